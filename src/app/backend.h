// Who answers the DynamoDB calls of a server: the embedded engine, or a store over the network.

#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "app/config.h"
#include "base/clock.h"
#include "dynamo/backups.h"
#include "dynamo/change_feed.h"
#include "dynamo/dynamo.h"
#include "dynamo/hot_keys.h"
#include "dynamo/partition_reader.h"
#include "dynamo/store_calls.h"
#include "dynamo/streams.h"
#include "dynamo/table_settings.h"
#include "model/runtime.h"
#include "storage/store.h"

namespace gateleg::engine {
class Engine;
}

namespace gateleg::app {

// Thread-safe. The clocks outlive it; calls have ended before it is destroyed.
class Backend {
public:
    // Opens the store, or asks a remote one what it can do. Throws ConfigError,
    // storage::StoreOpenError, or std::runtime_error if a remote store does not answer.
    Backend(const Config& config, const Clock& clock, const Clock& real_clock);
    ~Backend();
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;

    dynamo::Dynamo& dynamo();
    // The streams of a remote store are asked again and again while somebody follows a table.
    dynamo::ChangeFeed& changes();
    // What a remote store answers besides; null with the embedded one.
    dynamo::StoreCalls* store_calls();
    // Null with a remote store, all of these: it answers for them itself.
    dynamo::Streams* streams();
    dynamo::Backups* backups();
    dynamo::TableSettings* settings();
    const storage::Store* store() const;
    const engine::Engine* engine() const;
    const dynamo::PartitionReader* partitions() const;
    const dynamo::HotKeyReader* hot_keys() const;
    // The embedded store can no longer promise to keep writes.
    bool has_failed() const;

    // Throws ConfigError if a remote store lacks a call that one of these needs, naming each
    // operation that could not run.
    void require_operations(const std::vector<model::Runtime*>& runtimes) const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace gateleg::app

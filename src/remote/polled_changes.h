// The changes of tables in a store over the network, told as a store of our own tells them
// (dynamo/change_feed.h): the shards of a table's stream are asked for records again and again
// while somebody follows the table, and what they give gets numbers of one order.
//
// The records of an item keep their order; those of different shards come as they were read. The
// numbers are this server's own, and it keeps the newest records only: whoever comes back with a
// number of before is told that records were skipped.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "base/clock.h"
#include "dynamo/change_feed.h"
#include "dynamo/dynamo.h"
#include "dynamo/streams.h"

namespace gateleg::remote {

namespace internal {
class FollowedTable;
}

struct PollOptions {
    // AWS allows five reads a second of a shard, and two readers.
    std::chrono::milliseconds interval{500};
    // How often is asked for new shards, and whether the stream is still there.
    std::chrono::milliseconds look{20'000};
    // Also after a call that failed.
    std::chrono::milliseconds pause{5'000};
    // A table that nobody has asked for is not followed any more.
    std::chrono::milliseconds idle{120'000};
    // What is kept of a table.
    std::size_t max_records = 10'000;
    std::size_t max_bytes = std::size_t{16} << 20;
};

// Thread-safe. What it is given outlives it. changes_range() asks the store and waits for it;
// read_changes() does not.
class PolledChanges final : public dynamo::ChangeFeed {
public:
    PolledChanges(
        dynamo::Dynamo& tables,
        dynamo::Streams& streams,
        const Clock& real_clock,
        PollOptions options = {}
    );
    ~PolledChanges() override;
    PolledChanges(const PolledChanges&) = delete;
    PolledChanges& operator=(const PolledChanges&) = delete;

    Result<dynamo::ChangesRange> changes_range(const std::string& table) const override;
    Result<dynamo::ChangesReply> read_changes(const dynamo::ChangesRequest& request) const override;
    void on_changes(std::function<void()> listener) override;

private:
    using Pointer = std::shared_ptr<internal::FollowedTable>;

    Pointer find(const std::string& table) const;
    void run(const std::stop_token& stop);
    void drop_idle();

    dynamo::Dynamo& tables_;
    dynamo::Streams& streams_;
    const Clock& clock_;
    const PollOptions options_;
    mutable std::mutex mutex_;
    mutable std::condition_variable_any changed_;
    mutable std::map<std::string, Pointer, std::less<>> followed_;
    std::mutex listener_mutex_;
    std::function<void()> listener_;
    std::jthread thread_;  // last: starts when everything above is there
};

}  // namespace gateleg::remote

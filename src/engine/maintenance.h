// Work nobody asked for in a request: building new indexes, deleting items whose time to live has
// ended, forgetting old idempotency records, opening new shards of streams and trimming old
// records.
//
// What goes by the clock waits while the clock is not believed (clock_guard.h).
//
// It looks for work four times a second on a thread of its own and hands every change to the commit
// thread.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "engine/core.h"
#include "engine/stream.h"

namespace gateleg::engine {

class Maintenance {
public:
    explicit Maintenance(const Core& core);
    // Ends after the page at hand.
    ~Maintenance() = default;
    Maintenance(const Maintenance&) = delete;
    Maintenance& operator=(const Maintenance&) = delete;

private:
    void run(const std::stop_token& stop);
    void build_indexes(const std::stop_token& stop);
    // Whether the clock is believed; notes so for a later start.
    bool check_clock();
    void expire_items(const std::stop_token& stop);
    void forget_tokens(const std::stop_token& stop);
    void tend_streams(const std::stop_token& stop);
    bool is_trim_due(const Stream& stream, std::int64_t now_millis);
    bool wait_for_next_round(const std::stop_token& stop);

    const Core& core_;
    // When a stream was last looked through for records to trim. On the thread only.
    std::map<StreamId, std::int64_t> checked_millis_;
    std::optional<std::int64_t> anchored_up_millis_;
    std::mutex mutex_;
    std::condition_variable_any round_;
    std::jthread thread_;
};

}  // namespace gateleg::engine

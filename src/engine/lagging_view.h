// The store as it was a moment ago, for reads that shall be behind on purpose.

#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include "storage/store.h"

namespace gateleg::engine {

// Thread-safe. Takes a snapshot each `lag` on a thread of its own and gives out the one before the
// newest.
class LaggingView {
public:
    LaggingView(const storage::Store& store, std::chrono::milliseconds lag);
    ~LaggingView() = default;
    LaggingView(const LaggingView&) = delete;
    LaggingView& operator=(const LaggingView&) = delete;

    // Null while there is none: then reads see the latest state.
    std::shared_ptr<const storage::Snapshot> snapshot() const;

private:
    void run(const std::stop_token& stop);

    const storage::Store& store_;
    const std::chrono::milliseconds lag_;
    mutable std::mutex mutex_;
    std::condition_variable_any round_;
    std::shared_ptr<const storage::Snapshot> older_;
    std::shared_ptr<const storage::Snapshot> newer_;
    std::jthread thread_;  // last: starts when everything above is there
};

}  // namespace gateleg::engine

// A few threads for work that blocks, behind a queue with an end. A thread is started when there is
// work for it and none is idle.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "base/unique_function.h"

namespace gateleg {

// Thread-safe. The destructor waits for what is running and for what is queued.
class WorkerPool {
public:
    WorkerPool(std::size_t threads, std::size_t max_queued);
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    // Runs `job` on one of the threads; it must not throw. False, and `job` is as it was, when the
    // queue is full, or when there is no thread and the system gives none.
    [[nodiscard]] bool submit(UniqueFunction<void()>& job);

private:
    // With the lock held.
    bool start_thread();
    void work();

    const std::size_t max_threads_;
    const std::size_t max_queued_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<UniqueFunction<void()>> queue_;
    std::size_t idle_ = 0;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace gateleg

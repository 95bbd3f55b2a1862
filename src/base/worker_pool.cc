#include "base/worker_pool.h"

#include <system_error>
#include <utility>

namespace gateleg {

WorkerPool::WorkerPool(std::size_t threads, std::size_t max_queued)
    : max_threads_(threads), max_queued_(max_queued) {
    threads_.reserve(threads);
}

WorkerPool::~WorkerPool() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_) {
        thread.join();
    }
}

bool WorkerPool::submit(UniqueFunction<void()>& job) {
    {
        const std::lock_guard lock(mutex_);
        if (queue_.size() >= max_queued_) {
            return false;
        }
        // Each idle thread will take one of those that wait.
        if (idle_ <= queue_.size() && threads_.size() < max_threads_ && !stopping_ &&
            !start_thread() && threads_.empty()) {
            return false;
        }
        queue_.push_back(std::move(job));
    }
    changed_.notify_one();
    return true;
}

bool WorkerPool::start_thread() {
    try {
        threads_.emplace_back([this] { work(); });
        return true;
    } catch (const std::system_error&) {
        return false;
    }
}

void WorkerPool::work() {
    for (;;) {
        UniqueFunction<void()> job;
        {
            std::unique_lock lock(mutex_);
            ++idle_;
            changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
            --idle_;
            if (queue_.empty()) {
                return;
            }
            job = std::move(queue_.front());
            queue_.pop_front();
        }
        job();
    }
}

}  // namespace gateleg

#include "base/worker_pool.h"

#include <utility>

namespace gateleg {

WorkerPool::WorkerPool(std::size_t threads, std::size_t max_queued) : max_queued_(max_queued) {
    threads_.reserve(threads);
    for (std::size_t i = 0; i < threads; ++i) {
        threads_.emplace_back([this] { work(); });
    }
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
        queue_.push_back(std::move(job));
    }
    changed_.notify_one();
    return true;
}

void WorkerPool::work() {
    for (;;) {
        UniqueFunction<void()> job;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
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

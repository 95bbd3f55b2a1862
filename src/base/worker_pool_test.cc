#include "base/worker_pool.h"

#include <atomic>
#include <future>
#include <thread>

#include <gtest/gtest.h>

namespace gateleg {
namespace {

TEST(WorkerPoolTest, RunsEverythingBeforeItEnds) {
    std::atomic<int> ran = 0;
    {
        WorkerPool pool(2, 100);
        for (int i = 0; i < 100; ++i) {
            UniqueFunction<void()> job = [&ran] { ++ran; };
            ASSERT_TRUE(pool.submit(job));
        }
    }
    EXPECT_EQ(ran, 100);
}

// The jobs wait for each other: they end only if each has a thread of its own.
TEST(WorkerPoolTest, ThereAreAsManyThreadsAsAreNeededAtOnce) {
    constexpr int kThreads = 8;
    std::atomic<int> running = 0;
    WorkerPool pool(kThreads, 100);
    for (int round = 0; round < 2; ++round) {
        running = 0;
        std::atomic<int> ended = 0;
        std::promise<void> all;
        for (int i = 0; i < kThreads; ++i) {
            UniqueFunction<void()> job = [&] {
                if (++running == kThreads) {
                    all.set_value();
                }
                while (running < kThreads) {
                    std::this_thread::yield();
                }
                ++ended;
            };
            ASSERT_TRUE(pool.submit(job));
        }
        all.get_future().wait();
        while (ended < kThreads) {
            std::this_thread::yield();
        }
    }
}

TEST(WorkerPoolTest, AFullQueueRefusesAndLeavesTheJob) {
    std::promise<void> started;
    std::promise<void> release;
    WorkerPool pool(1, 1);
    UniqueFunction<void()> holding = [&] {
        started.set_value();
        release.get_future().wait();
    };
    ASSERT_TRUE(pool.submit(holding));
    started.get_future().wait();
    UniqueFunction<void()> waiting = [] {};
    EXPECT_TRUE(pool.submit(waiting));
    bool ran = false;
    UniqueFunction<void()> refused = [&ran] { ran = true; };
    EXPECT_FALSE(pool.submit(refused));
    refused();
    EXPECT_TRUE(ran);
    release.set_value();
}

}  // namespace
}  // namespace gateleg

#include "base/worker_pool.h"

#include <atomic>
#include <future>

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

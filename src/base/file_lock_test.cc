#include "base/file_lock.h"

#include <chrono>
#include <cstdio>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace gateleg {
namespace {

class FileLockTest : public ::testing::Test {
protected:
    FileLockTest() : path(::testing::TempDir() + "lock-" + std::to_string(::getpid())) {}
    ~FileLockTest() override { std::remove(path.c_str()); }
    int open() const { return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600); }

    std::string path;
};

TEST_F(FileLockTest, OneHolderAtATime) {
    const int first = open();
    const int second = open();
    EXPECT_TRUE(lock_exclusively(first));
    EXPECT_FALSE(lock_exclusively(second));
    ::close(first);
    EXPECT_TRUE(lock_exclusively(second));
    ::close(second);
}

TEST_F(FileLockTest, AHolderThatIsAboutToEndIsWaitedFor) {
    const int first = open();
    const int second = open();
    ASSERT_TRUE(lock_exclusively(first));
    std::thread ends([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        ::close(first);
    });
    EXPECT_TRUE(lock_exclusively(second));
    ends.join();
    ::close(second);
}

TEST_F(FileLockTest, WhatIsNotOpenIsNotLocked) {
    EXPECT_FALSE(lock_exclusively(-1));
}

}  // namespace
}  // namespace gateleg

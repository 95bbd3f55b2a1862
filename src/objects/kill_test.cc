#include <algorithm>
#include <array>
#include <csignal>
#include <map>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "objects/test_store.h"
#include "objects/test_writer.h"
#include "storage/internal/test_directory.h"

namespace gateleg::objects {
namespace {

// Starts the writer at `first`, kills it after so many acknowledged writes, and returns the last
// one that was.
int write_and_kill(const std::filesystem::path& directory, int first, int writes) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::string program = "/proc/self/exe";
    std::string mode = "write-for-ever";
    std::string where = directory.string();
    std::string from = std::to_string(first);
    std::array<char*, 5> arguments = {
        program.data(), mode.data(), where.data(), from.data(), nullptr};
    pid_t writer = 0;
    EXPECT_EQ(
        ::posix_spawn(&writer, program.c_str(), &actions, nullptr, arguments.data(), environ), 0
    );
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    std::string acks;
    bool killed = false;
    for (;;) {
        std::array<char, 256> buffer{};
        const auto got = ::read(ends[0], buffer.data(), buffer.size());
        if (got <= 0) {
            break;
        }
        acks.append(buffer.data(), static_cast<std::size_t>(got));
        if (!killed && std::count(acks.begin(), acks.end(), '\n') >= writes) {
            ::kill(writer, SIGKILL);
            killed = true;
        }
    }
    ::close(ends[0]);
    int status = 0;
    EXPECT_EQ(::waitpid(writer, &status, 0), writer);
    EXPECT_TRUE(killed) << "the writer ended by itself";
    acks.resize(acks.rfind('\n') + 1);
    return first + static_cast<int>(std::count(acks.begin(), acks.end(), '\n')) - 1;
}

TEST(KillTest, WhatWasAcknowledgedIsThereAndWhole) {
    const storage::internal::TestDirectory directory;
    const auto root = directory / "objects";
    const SystemClock clock;
    int next = 0;
    std::map<std::string, int> acknowledged;  // the number that each key must have
    for (const int writes : {3, 1, 17, 6}) {
        const auto last = write_and_kill(root, next, writes);
        ASSERT_GE(last, next);
        for (int number = next; number <= last; ++number) {
            acknowledged[writer_key(number)] = number;
        }
        ObjectStore store(on_disk(root), clock);
        for (auto& [key, number] : acknowledged) {
            const auto body = get(store, "pictures", key);
            ASSERT_TRUE(body) << key;
            // The write after the last acknowledged one may have been done, or not.
            if (key == writer_key(last + 1) && *body == writer_body(last + 1)) {
                number = last + 1;
            }
            EXPECT_TRUE(*body == writer_body(number)) << key;
        }
        ASSERT_TRUE(store.sweep());
        const auto check = store.check(false);
        ASSERT_TRUE(check);
        EXPECT_EQ(check->missing_count, 0);
        EXPECT_EQ(check->loose_records, 0);
        EXPECT_EQ(check->orphans, 0);
        EXPECT_EQ(check->bodies, check->objects);
        next = last + 2;
    }
}

}  // namespace
}  // namespace gateleg::objects

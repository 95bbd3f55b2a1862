#include "app/memory_limit.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <stdlib.h>

namespace gateleg::app {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;

class MemoryLimitTest : public testing::Test {
protected:
    MemoryLimitTest() {
        auto name = (fs::temp_directory_path() / "memory-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) {
            throw std::runtime_error("mkdtemp failed");
        }
        root = name;
        write("proc/meminfo", "MemTotal:       16777216 kB\nMemFree: 1 kB\n");
    }
    ~MemoryLimitTest() override { fs::remove_all(root); }

    void write(const std::string& name, const std::string& text) const {
        fs::create_directories((root / name).parent_path());
        std::ofstream(root / name) << text;
    }
    std::uint64_t limit() const { return memory_limit(root / "proc", root / "cgroup"); }

    fs::path root;
};

TEST_F(MemoryLimitTest, WithoutGroupsItIsTheMachine) {
    EXPECT_EQ(limit(), 16384 * kMega);
    write("proc/self/cgroup", "nonsense\n0::/\n");
    EXPECT_EQ(limit(), 16384 * kMega);
}

TEST_F(MemoryLimitTest, TheTightestGroupAboveCounts) {
    write("proc/self/cgroup", "0::/system/server\n");
    write("cgroup/system/server/memory.max", "max\n");
    EXPECT_EQ(limit(), 16384 * kMega);
    write("cgroup/system/memory.max", std::to_string(512 * kMega) + "\n");
    EXPECT_EQ(limit(), 512 * kMega);
    write("cgroup/system/server/memory.max", std::to_string(256 * kMega) + "\n");
    EXPECT_EQ(limit(), 256 * kMega);
}

TEST_F(MemoryLimitTest, VersionOneHasAFolderForMemory) {
    write("proc/self/cgroup", "5:cpu:/other\n4:memory,hugetlb:/box\n");
    write("cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write("cgroup/memory/box/memory.limit_in_bytes", std::to_string(600 * kMega) + "\n");
    EXPECT_EQ(limit(), 600 * kMega);
}

TEST_F(MemoryLimitTest, InAContainerTheRootIsTheGroup) {
    write("proc/self/cgroup", "0::/of/the/machine/outside\n");
    write("cgroup/memory.max", std::to_string(700 * kMega) + "\n");
    EXPECT_EQ(limit(), 700 * kMega);
}

TEST(BodyPoolTest, IsAPartWithinBounds) {
    EXPECT_EQ(body_pool_bytes(512 * kMega), 64 * kMega);
    EXPECT_EQ(body_pool_bytes(64 * kMega), 32 * kMega);
    EXPECT_EQ(body_pool_bytes(64 * 1024 * kMega), 1024 * kMega);
}

TEST(BlockCacheTest, IsAPartWithinBounds) {
    EXPECT_EQ(block_cache_bytes(512 * kMega), 64 * kMega);
    EXPECT_EQ(block_cache_bytes(64 * kMega), 32 * kMega);
    EXPECT_EQ(block_cache_bytes(64 * 1024 * kMega), 256 * kMega);
}

}  // namespace
}  // namespace gateleg::app

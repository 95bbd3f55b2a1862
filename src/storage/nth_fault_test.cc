// T3: the nth call of a kind fails, for n up to all calls of a life of the store. Whatever was
// acknowledged is there afterwards, nothing that was not asked for is, and nobody waits for ever.
// GATELEG_ALL_FAULTS=1 tries every n; otherwise a sample of each kind.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "storage/internal/fault_fs.h"
#include "storage/internal/hooks.h"
#include "storage/internal/test_directory.h"
#include "storage/store.h"

namespace gateleg::storage {
namespace {

namespace fs = std::filesystem;
using internal::DiskCall;
using internal::DiskFault;

// For one call of the store; the bound is that of a machine that others use as well.
constexpr std::chrono::seconds kHang{30};
constexpr int kWrites = 30;
constexpr int kKeys = 12;
constexpr int kSample = 12;  // of each kind and fault

std::string key_of(int number) {
    return "key" + std::to_string(number % kKeys);
}

// Some fill more than a block.
std::string value_of(int number) {
    return std::string(number % 7 == 3 ? 40'000 : 300, static_cast<char>('a' + number % 26)) +
           std::to_string(number);
}

class NthFaultTest : public testing::TestWithParam<int> {
protected:
    static DiskCall kind() { return static_cast<DiskCall>(GetParam()); }
    static const char* name() {
        return internal::kDiskCallNames[static_cast<std::size_t>(GetParam())];
    }

    NthFaultTest() {
        hooks_->file_system = internal::make_fault_fs(faults_);
        hooks_->tick = std::chrono::milliseconds(5);
        hooks_->disk_space = [] { return internal::DiskSpace{1ULL << 40, 1ULL << 41}; };
        // A store that was killed, with rows in a sorted file and rows in its log.
        const auto live = directory_ / "live";
        const auto store = open(live);
        for (int i = 0; i < kKeys; ++i) {
            write(*store, i);
            if (i == kKeys / 2) {
                EXPECT_TRUE(store->flush());
            }
        }
        fs::copy(live, directory_ / "killed", fs::copy_options::recursive);
        begun_ = allowed_;
    }

    std::unique_ptr<Store> open(const fs::path& data) {
        StoreOptions options;
        options.directory = data;
        options.hooks = hooks_;
        options.block_cache_bytes = 1;  // every read goes to the disk
        return Store::open(options);
    }

    // A write that fails may still have been done.
    bool write(Store& store, int number) {
        WriteBatch batch;
        batch.put(key_of(number), value_of(number));
        const auto began = std::chrono::steady_clock::now();
        const bool done = store.write(batch).has_value();
        EXPECT_LT(std::chrono::steady_clock::now() - began, kHang);
        auto& values = allowed_[key_of(number)];
        if (done) {
            values.clear();
        }
        values.insert(value_of(number));
        return done;
    }

    // Reads may fail; what they return must be right. Returns how many failed.
    int read_all(const Store& store) {
        int failed = 0;
        for (const auto& [key, values] : allowed_) {
            std::string value;
            const auto found = store.get(key, value);
            failed += found ? 0 : 1;
            if (found) {
                EXPECT_TRUE(*found && values.contains(value)) << key << " has " << value.size();
            }
        }
        return failed;
    }

    void live(const fs::path& data) {
        try {
            const auto store = open(data);
            bool refused = false;
            for (int i = kKeys; i < kKeys + kWrites; ++i) {
                refused = !write(*store, i) || refused;
                if (i % 8 == 0) {
                    refused = !store->flush() || refused;
                    read_all(*store);
                }
            }
            // Whoever was refused finds the reason.
            EXPECT_TRUE(!refused || faults_->fired > 0);
        } catch (const StoreOpenError& error) {
            EXPECT_GT(faults_->fired, 0) << error.what();
        }
    }

    // False if the life was over before the fault came.
    bool live_with_fault(DiskFault fault, int call) {
        SCOPED_TRACE(
            std::string(name()) + " " + std::to_string(call) + " fails as " +
            std::to_string(static_cast<int>(fault))
        );
        const auto data = directory_ / "data";
        fs::remove_all(data);
        fs::copy(directory_ / "killed", data, fs::copy_options::recursive);
        fs::permissions(data, fs::perms::owner_all);
        allowed_ = begun_;
        faults_->fired = 0;
        faults_->fault = fault;
        faults_->failing = kind();
        faults_->calls_until_error = call;
        live(data);
        const bool fired = faults_->fired > 0;
        faults_->calls_until_error = -1;
        try {
            const auto store = open(data);
            EXPECT_EQ(read_all(*store), 0);
            EXPECT_TRUE(write(*store, 0));
        } catch (const StoreOpenError& error) {
            ADD_FAILURE() << error.what();
        }
        return fired;
    }

    // How many calls of the kind a life without faults makes.
    int count_calls() {
        auto& calls = faults_->calls[static_cast<std::size_t>(GetParam())];
        calls = 0;
        live_with_fault(DiskFault::kError, 1'000'000);
        return calls;
    }

    static std::vector<DiskFault> faults_of_kind() {
        switch (kind()) {
            case DiskCall::kAppend:
                return {DiskFault::kError, DiskFault::kNoSpace, DiskFault::kShortWrite};
            case DiskCall::kDelete:
            case DiskCall::kRead:
                return {DiskFault::kError};
            default:
                return {DiskFault::kError, DiskFault::kNoSpace};
        }
    }

    internal::TestDirectory directory_;
    std::shared_ptr<internal::Faults> faults_ = std::make_shared<internal::Faults>();
    std::shared_ptr<internal::Hooks> hooks_ = std::make_shared<internal::Hooks>();
    std::map<std::string, std::set<std::string>> allowed_;  // values that a key may have
    std::map<std::string, std::set<std::string>> begun_;
};

TEST_P(NthFaultTest, NothingAcknowledgedIsLostAndNothingIsMadeUp) {
    const int calls = count_calls();
    ASSERT_GT(calls, 0);
    const bool all = std::getenv("GATELEG_ALL_FAULTS") != nullptr;
    int fired = 0;
    for (const auto fault : faults_of_kind()) {
        // Spread, and not always the same calls of a cycle.
        const int step = all ? 1 : std::max(1, calls / kSample);
        for (int call = 0; call < calls && !HasFailure(); call += step) {
            fired += live_with_fault(fault, std::min(calls - 1, call + call % 3)) ? 1 : 0;
        }
    }
    std::printf("     counts nth-fault store_faults=%d | calls_%s=%d\n", fired, name(), calls);
    EXPECT_GT(fired, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Calls,
    NthFaultTest,
    testing::Range(0, static_cast<int>(internal::kDiskCallNames.size())),
    [](const testing::TestParamInfo<int>& info) { return std::to_string(info.param); }
);

}  // namespace
}  // namespace gateleg::storage

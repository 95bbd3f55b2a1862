#include "storage/internal/tidying.h"

#include <filesystem>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "storage/internal/hooks.h"
#include "storage/internal/test_directory.h"
#include "storage/store.h"

namespace gateleg::storage {
namespace {

using namespace std::chrono_literals;

constexpr int kRows = 12'000;

std::string letters(std::mt19937& random) {
    std::string text(1000, ' ');
    for (auto& c : text) {
        c = static_cast<char>('a' + random() % 26);
    }
    return text;
}

class TidyingTest : public testing::Test {
protected:
    std::unique_ptr<Store> open() const {
        auto hooks = std::make_shared<internal::Hooks>();
        hooks->tick = 50ms;
        return Store::open(
            {.directory = directory / "data", .durability = Durability::kProcess, .hooks = hooks}
        );
    }
    static void write(Store& store, unsigned seed) {
        std::mt19937 random(seed);
        for (int i = 0; i < kRows; ++i) {
            WriteBatch batch;
            batch.put("key" + std::to_string(i), letters(random));
            ASSERT_TRUE(store.write(batch));
        }
    }
    static void expect_rows(const Store& store, unsigned seed) {
        std::mt19937 random(seed);
        std::string value;
        for (int i = 0; i < kRows; ++i) {
            const auto found = store.get("key" + std::to_string(i), value);
            ASSERT_TRUE(found && *found);
            ASSERT_EQ(value, letters(random));
        }
    }
    std::uintmax_t bytes_of(const std::string& extension) const {
        std::uintmax_t sum = 0;
        std::error_code ignored;  // files come and go
        for (const auto& file : std::filesystem::recursive_directory_iterator(directory / "data")) {
            if (file.path().extension() == extension) {
                const auto size = file.file_size(ignored);
                sum += ignored ? 0 : size;
            }
        }
        return sum;
    }
    // Letters of 26 take five of eight bits, if they are compressed well.
    bool is_tidy() const {
        const auto sorted = bytes_of(".sst");
        return bytes_of(".log") < 100'000 && sorted > kRows * 500 && sorted < kRows * 700;
    }
    bool becomes_tidy() const {
        for (int i = 0; i < 200; ++i) {
            if (is_tidy()) {
                return true;
            }
            std::this_thread::sleep_for(200ms);
        }
        return false;
    }

    internal::TestDirectory directory;
};

TEST_F(TidyingTest, WhatNobodyWritesToIsPutInOrder) {
    auto store = open();
    write(*store, 1);
    EXPECT_TRUE(becomes_tidy()) << bytes_of(".log") << " and " << bytes_of(".sst");
    expect_rows(*store, 1);
    // And once more, with files that are there already.
    write(*store, 2);
    EXPECT_FALSE(is_tidy());
    EXPECT_TRUE(becomes_tidy()) << bytes_of(".log") << " and " << bytes_of(".sst");
    expect_rows(*store, 2);
    store.reset();
    expect_rows(*open(), 2);
}

}  // namespace
}  // namespace gateleg::storage

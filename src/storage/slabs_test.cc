#include "storage/internal/slabs.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace gateleg::storage::internal {
namespace {

struct Piece {
    char* start;
    std::size_t bytes;
};

// Small ones, a few of the largest items, and more than one slab of everything.
std::vector<Piece> take_pieces(Slabs& slabs) {
    std::mt19937 random(20261118);
    std::vector<Piece> pieces;
    for (int i = 0; i < 8'000; ++i) {
        const std::size_t bytes = i % 1000 == 0 ? 420'000 : 1 + random() % 2'000;
        pieces.push_back({slabs.take(bytes), bytes});
    }
    return pieces;
}

TEST(SlabsTest, PiecesAreAlignedAndApart) {
    Slabs slabs;
    auto pieces = take_pieces(slabs);
    std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
        return std::less<>()(a.start, b.start);
    });
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const auto [start, bytes] = pieces[i];
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(start) % Slabs::kAlignment, 0U);
        ASSERT_TRUE(i == 0 || pieces[i - 1].start + pieces[i - 1].bytes <= start);
        std::memset(start, static_cast<int>(i % 251), bytes);
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const auto [start, bytes] = pieces[i];
        ASSERT_TRUE(std::all_of(start, start + bytes, [&](char c) {
            return c == static_cast<char>(i % 251);
        }));
    }
}

TEST(SlabsTest, CountsWhatWasTaken) {
    Slabs slabs;
    EXPECT_EQ(slabs.bytes(), 0U);
    std::size_t taken = 0;
    for (const auto& piece : take_pieces(slabs)) {
        taken += (piece.bytes + Slabs::kAlignment - 1) / Slabs::kAlignment * Slabs::kAlignment;
    }
    EXPECT_EQ(slabs.bytes(), taken);
}

TEST(SlabPoolTest, SlabsAreUsedAgain) {
    const auto pool = std::make_shared<SlabPool>();
    std::vector<char*> large;
    {
        Slabs slabs(pool);
        for (const auto& piece : take_pieces(slabs)) {
            large.push_back(piece.start);
        }
        EXPECT_EQ(pool->bytes(), 0U);
    }
    const auto kept = pool->bytes();
    EXPECT_GT(kept, 0U);
    const Slabs idle(pool);
    EXPECT_EQ(pool->bytes(), kept);  // small ones come from elsewhere
    Slabs again(pool);
    const auto pieces = take_pieces(again);
    EXPECT_LT(pool->bytes(), kept);
    EXPECT_TRUE(std::any_of(pieces.begin(), pieces.end(), [&](const Piece& piece) {
        return std::find(large.begin(), large.end(), piece.start) != large.end();
    }));
}

TEST(SlabPoolTest, KeepsNoMoreThanItMayAndNothingThatNobodyTakes) {
    const auto pool = std::make_shared<SlabPool>();
    {
        std::vector<std::unique_ptr<Slabs>> many;
        for (int i = 0; i < 20; ++i) {
            many.push_back(std::make_unique<Slabs>(pool));
            take_pieces(*many.back());
        }
    }
    EXPECT_EQ(pool->bytes(), SlabPool::kMostBytes);
    pool->trim();  // some were taken since it was made
    EXPECT_EQ(pool->bytes(), SlabPool::kMostBytes);
    pool->trim();
    EXPECT_EQ(pool->bytes(), 0U);
}

}  // namespace
}  // namespace gateleg::storage::internal

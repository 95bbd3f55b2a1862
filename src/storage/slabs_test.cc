#include "storage/internal/slabs.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
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

}  // namespace
}  // namespace gateleg::storage::internal

#include "storage/internal/wal_scan.h"

#include <gtest/gtest.h>

#include "storage/internal/crc32c.h"
#include "storage/internal/little_endian.h"
#include "storage/internal/test_directory.h"

namespace gateleg::storage::internal {
namespace {

std::string fragment(char type, std::string_view payload) {
    std::string typed(1, type);
    typed += payload;
    const auto crc = crc32c(typed);
    std::string bytes;
    append_u32(bytes, ((crc >> 15) | (crc << 17)) + 0xA282EAD8U);
    bytes.push_back(static_cast<char>(payload.size() & 0xFF));
    bytes.push_back(static_cast<char>(payload.size() >> 8));
    return bytes + typed;
}

std::string batch(std::uint64_t sequence, std::uint32_t count, std::size_t size = 40) {
    std::string bytes;
    append_u64(bytes, sequence);
    append_u32(bytes, count);
    bytes.resize(size, 'b');
    return bytes;
}

std::string full(std::uint64_t sequence, std::uint32_t count = 1) {
    return fragment(1, batch(sequence, count));
}

TEST(Crc32cTest, MatchesThePublishedValues) {
    EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
    EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
    EXPECT_EQ(crc32c("56789", crc32c("1234")), 0xE3069283U);
}

TEST(Crc32cTest, OfTwoTextsIsThatOfBothTogether) {
    std::string text(200'000, 'a');
    for (std::size_t i = 0; i < text.size(); ++i) {
        text[i] = static_cast<char>(i * 7 + i / 251);
    }
    const std::string_view all(text);
    for (const std::size_t size :
         {0, 1, 2, 3, 255, 256, 257, 32761, 65535, 65536, 65537, 131072, 199'990}) {
        const auto second = all.substr(1, size);
        EXPECT_EQ(
            crc32c_of_both(crc32c(all.substr(0, 1)), crc32c(second), size),
            crc32c(all.substr(0, 1 + size))
        ) << size;
    }
}

TEST(WalScanTest, ReadsSequencesOfWholeRecords) {
    const auto scan = scan_wal(full(7, 2) + full(9, 3));
    EXPECT_EQ(scan.records, 2U);
    EXPECT_EQ(scan.first_sequence, 7U);
    EXPECT_EQ(scan.next_sequence, 12U);
    EXPECT_FALSE(scan.damage);
}

TEST(WalScanTest, EmptyLogIsWhole) {
    EXPECT_FALSE(scan_wal("").damage);
    EXPECT_EQ(scan_wal("").next_sequence, 0U);
}

TEST(WalScanTest, RecordMayCrossBlocks) {
    const auto bytes = batch(5, 1, 40000);
    const std::size_t first = 32768 - 7;
    const auto log =
        fragment(2, bytes.substr(0, first)) + fragment(4, bytes.substr(first)) + full(6);
    const auto scan = scan_wal(log);
    EXPECT_EQ(scan.records, 2U);
    EXPECT_EQ(scan.next_sequence, 7U);
    EXPECT_FALSE(scan.damage);
}

TEST(WalScanTest, CutAnywhereInTheLastRecordIsATornTail) {
    const auto good = full(1);
    const auto log = good + full(2);
    for (std::size_t size = good.size() + 1; size < log.size(); ++size) {
        const auto scan = scan_wal(std::string_view(log).substr(0, size));
        ASSERT_TRUE(scan.damage) << size;
        EXPECT_EQ(scan.damage->offset, good.size());
        EXPECT_EQ(scan.damage->bytes, size - good.size());
        EXPECT_EQ(scan.damage->records_behind, 0U);
        EXPECT_EQ(scan.next_sequence, 2U);
    }
}

TEST(WalScanTest, EveryFlippedBitBeforeARecordIsSeen) {
    const auto log = full(1) + full(2) + full(3);
    const std::size_t begin = full(1).size();
    for (std::size_t bit = 8 * begin; bit < 16 * begin; ++bit) {
        auto damaged = log;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
        const auto scan = scan_wal(damaged);
        ASSERT_TRUE(scan.damage) << bit;
        EXPECT_EQ(scan.damage->offset, begin);
        EXPECT_EQ(scan.damage->records_behind, 1U) << bit;
    }
}

TEST(WalScanTest, FragmentsOfTheTornRecordItselfAreNotBehindIt) {
    const auto bytes = batch(5, 1, 80000);
    auto log = fragment(2, bytes.substr(0, 32761)) + fragment(3, bytes.substr(32761, 32761)) +
               fragment(4, bytes.substr(65522));
    log[100] = static_cast<char>(log[100] ^ 1);
    const auto scan = scan_wal(log);
    ASSERT_TRUE(scan.damage);
    EXPECT_EQ(scan.damage->records_behind, 0U);
}

TEST(WalScanTest, ZerosBehindTheLastRecordAreRoom) {
    const auto log = full(1) + full(2);
    for (const std::size_t zeros : {1, 6, 7, 8, 4096, 100000}) {
        const auto scan = scan_wal(log + std::string(zeros, '\0'));
        ASSERT_TRUE(scan.damage) << zeros;
        EXPECT_TRUE(scan.damage->is_room) << zeros;
        EXPECT_EQ(scan.damage->offset, log.size());
        EXPECT_EQ(scan.damage->records_behind, 0U);
        EXPECT_EQ(scan.next_sequence, 3U);
    }
}

TEST(WalScanTest, ZerosInARecordOrBeforeOneAreDamage) {
    const auto bytes = batch(5, 1, 40000);
    const auto torn = scan_wal(fragment(2, bytes.substr(0, 32761)) + std::string(9000, '\0'));
    ASSERT_TRUE(torn.damage);
    EXPECT_FALSE(torn.damage->is_room);
    const auto lost = scan_wal(full(1) + std::string(full(2).size(), '\0') + full(3));
    ASSERT_TRUE(lost.damage);
    EXPECT_FALSE(lost.damage->is_room);
    EXPECT_EQ(lost.damage->records_behind, 1U);
}

TEST(WalScanTest, RecordsMissingBetweenTwoLogsAreDamage) {
    const TestDirectory directory;
    const auto scan_of = [&](const std::string& older, const std::string& younger) {
        std::ofstream(directory / "000004.log", std::ios::binary) << older;
        std::ofstream(directory / "000007.log", std::ios::binary) << younger;
        return scan_wals(directory / "");
    };
    const std::string room(8192, '\0');
    const auto whole = scan_of(full(1) + full(2) + room, full(3) + room);
    ASSERT_TRUE(whole.damage);
    EXPECT_TRUE(whole.damage->is_room);
    EXPECT_EQ(whole.damage->records_behind, 0U);
    EXPECT_EQ(whole.next_sequence, 4U);
    // The older log's last record reads as zeros.
    EXPECT_EQ(scan_of(full(1) + room, full(3) + room).damage->records_behind, 1U);
}

TEST(WalScanTest, OlderRecordBehindDamageIsNoneOfOurs) {
    const auto scan = scan_wal(full(100) + std::string(30, 'x') + full(50));
    ASSERT_TRUE(scan.damage);
    EXPECT_EQ(scan.damage->records_behind, 0U);
}

}  // namespace
}  // namespace gateleg::storage::internal

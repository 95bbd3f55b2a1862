#include "base/crc32.h"

#include <random>
#include <string>

#include <gtest/gtest.h>
#include <zlib.h>

namespace gateleg {
namespace {

std::uint32_t crc32_of_zlib(std::string_view bytes) {
    return static_cast<std::uint32_t>(
        ::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()))
    );
}

TEST(Crc32Test, GivesTheCheckValueOfThePolynomial) {
    EXPECT_EQ(gateleg::crc32("123456789"), 0xcbf43926U);
    EXPECT_EQ(gateleg::crc32(""), 0U);
    EXPECT_EQ(gateleg::crc32("{}"), 2745614147U);  // what DynamoDB sends with an empty reply
}

TEST(Crc32Test, AgreesWithZlibForEveryLengthAndAlignment) {
    std::mt19937_64 random(1);
    std::string bytes(4096, '\0');
    for (auto& byte : bytes) {
        byte = static_cast<char>(random());
    }
    const std::string_view all = bytes;
    for (std::size_t length = 0; length < 700; ++length) {
        const auto part = all.substr(random() % 64, length);
        ASSERT_EQ(gateleg::crc32(part), crc32_of_zlib(part)) << length;
    }
    for (int i = 0; i < 2000; ++i) {
        const auto start = random() % all.size();
        const auto part = all.substr(start, random() % (all.size() - start));
        ASSERT_EQ(gateleg::crc32(part), crc32_of_zlib(part)) << start << '+' << part.size();
    }
}

}  // namespace
}  // namespace gateleg

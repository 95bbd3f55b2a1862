#include "objects/checksum.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/base64.h"

namespace gateleg::objects {
namespace {

struct Vector {
    ChecksumAlgorithm algorithm;
    std::string bytes;
    std::string hex;
};

TEST(ChecksumTest, KnownVectors) {
    const std::vector<Vector> vectors = {
        {ChecksumAlgorithm::kCrc32, "123456789", "cbf43926"},
        {ChecksumAlgorithm::kCrc32c, "123456789", "e3069283"},
        {ChecksumAlgorithm::kCrc64Nvme, "123456789", "ae8b14860a799888"},
        {ChecksumAlgorithm::kSha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
        {ChecksumAlgorithm::kSha256,
         "abc",
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {ChecksumAlgorithm::kCrc32, "", "00000000"},
        {ChecksumAlgorithm::kCrc32c, std::string(32, '\0'), "8a9136aa"},
        {ChecksumAlgorithm::kCrc32c, std::string(32, '\xFF'), "62a8ab43"},
        {ChecksumAlgorithm::kCrc64Nvme, "", "0000000000000000"},
    };
    for (const auto& vector : vectors) {
        EXPECT_EQ(hex_of(digest_of(vector.algorithm, vector.bytes)), vector.hex)
            << to_text(vector.algorithm);
    }
    EXPECT_EQ(hex_of(md5_of("")), "d41d8cd98f00b204e9800998ecf8427e");
    EXPECT_EQ(hex_of(md5_of("abc")), "900150983cd24fb0d6963f7d28e17f72");
}

TEST(ChecksumTest, WhatTheSdkSendsForHello) {
    EXPECT_EQ(encode_base64(digest_of(ChecksumAlgorithm::kCrc32, "hello")), "NhCmhg==");
}

TEST(ChecksumTest, NamesAreReadInAnyCase) {
    EXPECT_EQ(parse_checksum_algorithm("crc64nvme"), ChecksumAlgorithm::kCrc64Nvme);
    EXPECT_EQ(parse_checksum_algorithm("Sha1"), ChecksumAlgorithm::kSha1);
    EXPECT_FALSE(parse_checksum_algorithm("MD5"));
    EXPECT_EQ(parse_checksum_type("FULL_OBJECT"), ChecksumType::kFullObject);
    EXPECT_FALSE(parse_checksum_type("FULL"));
    for (const auto algorithm : kChecksumAlgorithms) {
        EXPECT_EQ(parse_checksum_algorithm(to_text(algorithm)), algorithm);
        EXPECT_EQ(digest_of(algorithm, "x").size(), digest_bytes(algorithm));
    }
}

TEST(ChecksumTest, DigestTextHasTheRightLength) {
    EXPECT_TRUE(is_digest_text(ChecksumAlgorithm::kCrc32, "NhCmhg=="));
    EXPECT_FALSE(is_digest_text(ChecksumAlgorithm::kCrc64Nvme, "NhCmhg=="));
    EXPECT_FALSE(is_digest_text(ChecksumAlgorithm::kCrc32, "NhCmhg"));
}

TEST(ChecksumTest, EtagOfParts) {
    // Two parts "a" and "b", as S3 computes it.
    const std::vector<std::string> md5s = {md5_of("a"), md5_of("b")};
    EXPECT_EQ(multipart_etag(md5s), hex_of(md5_of(md5_of("a") + md5_of("b"))) + "-2");
}

TEST(ChecksumTest, KindsThatDoNotExist) {
    const std::vector<PartDigest> parts = {{std::string(32, 'x'), 1}};
    EXPECT_FALSE(combine_checksums(ChecksumAlgorithm::kSha256, ChecksumType::kFullObject, parts));
    EXPECT_FALSE(combine_checksums(ChecksumAlgorithm::kCrc64Nvme, ChecksumType::kComposite, parts));
}

TEST(ChecksumTest, CompositeIsTheChecksumOfChecksums) {
    const auto a = digest_of(ChecksumAlgorithm::kSha256, "a");
    const auto b = digest_of(ChecksumAlgorithm::kSha256, "b");
    const std::vector<PartDigest> parts = {{a, 1}, {b, 1}};
    const auto whole =
        combine_checksums(ChecksumAlgorithm::kSha256, ChecksumType::kComposite, parts);
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->value, encode_base64(digest_of(ChecksumAlgorithm::kSha256, a + b)) + "-2");
}

RC_GTEST_PROP(
    ChecksumProperty, PiecesGiveTheDigestOfTheWhole, (const std::vector<std::string>& pieces)
) {
    std::string whole;
    for (const auto& piece : pieces) {
        whole += piece;
    }
    for (const auto algorithm : kChecksumAlgorithms) {
        const auto digester = make_digester(algorithm);
        for (const auto& piece : pieces) {
            digester->update(piece);
        }
        RC_ASSERT(digester->finish() == digest_of(algorithm, whole));
    }
}

RC_GTEST_PROP(ChecksumProperty, CrcsOfPartsJoin, (const std::vector<std::string>& pieces)) {
    std::string whole;
    for (const auto algorithm :
         {ChecksumAlgorithm::kCrc32, ChecksumAlgorithm::kCrc32c, ChecksumAlgorithm::kCrc64Nvme}) {
        whole.clear();
        std::vector<PartDigest> parts;
        for (const auto& piece : pieces) {
            whole += piece;
            parts.push_back({digest_of(algorithm, piece), piece.size()});
        }
        const auto joined = combine_checksums(algorithm, ChecksumType::kFullObject, parts);
        RC_ASSERT(joined.has_value());
        RC_ASSERT(joined->value == encode_base64(digest_of(algorithm, whole)));
    }
}

}  // namespace
}  // namespace gateleg::objects

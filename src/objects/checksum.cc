#include "objects/checksum.h"

#include <algorithm>
#include <utility>

#include <openssl/evp.h>

#include "base/base64.h"
#include "base/check.h"
#include "objects/internal/crc.h"

namespace gateleg::objects {

namespace {

using internal::CrcKind;

struct AlgorithmRow {
    ChecksumAlgorithm algorithm;
    std::string_view name;
    std::string_view header;
    std::size_t bytes;
};
constexpr std::array kRows = {
    AlgorithmRow{ChecksumAlgorithm::kCrc32, "CRC32", "x-amz-checksum-crc32", 4},
    AlgorithmRow{ChecksumAlgorithm::kCrc32c, "CRC32C", "x-amz-checksum-crc32c", 4},
    AlgorithmRow{ChecksumAlgorithm::kCrc64Nvme, "CRC64NVME", "x-amz-checksum-crc64nvme", 8},
    AlgorithmRow{ChecksumAlgorithm::kSha1, "SHA1", "x-amz-checksum-sha1", 20},
    AlgorithmRow{ChecksumAlgorithm::kSha256, "SHA256", "x-amz-checksum-sha256", 32},
};

const AlgorithmRow& row_of(ChecksumAlgorithm algorithm) {
    return kRows[static_cast<std::size_t>(algorithm)];
}

bool equal_in_any_case(std::string_view a, std::string_view upper) {
    return std::equal(a.begin(), a.end(), upper.begin(), upper.end(), [](char x, char y) {
        return (x >= 'a' && x <= 'z' ? static_cast<char>(x - 'a' + 'A') : x) == y;
    });
}

std::string big_endian(std::uint64_t value, std::size_t bytes) {
    std::string out(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i) {
        out[bytes - 1 - i] = static_cast<char>(value >> (8 * i));
    }
    return out;
}

std::uint64_t from_big_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (const char c : bytes) {
        value = value << 8 | static_cast<unsigned char>(c);
    }
    return value;
}

class CrcDigester final : public Digester {
public:
    using Continue = std::uint64_t (*)(std::uint64_t, std::string_view);
    CrcDigester(Continue function, std::size_t bytes) : continue_(function), bytes_(bytes) {}

    void update(std::string_view bytes) override { crc_ = continue_(crc_, bytes); }
    std::string finish() override { return big_endian(crc_, bytes_); }

private:
    Continue continue_;
    std::size_t bytes_;
    std::uint64_t crc_ = 0;
};

class EvpDigester final : public Digester {
public:
    explicit EvpDigester(const EVP_MD* method) : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
        GATELEG_CHECK(context_ && EVP_DigestInit_ex(context_.get(), method, nullptr) == 1);
    }

    void update(std::string_view bytes) override {
        GATELEG_CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
    }
    std::string finish() override {
        std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
        unsigned size = 0;
        GATELEG_CHECK(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1);
        return {digest.begin(), digest.begin() + size};
    }

private:
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

std::optional<CrcKind> crc_kind(ChecksumAlgorithm algorithm) {
    switch (algorithm) {
        case ChecksumAlgorithm::kCrc32:
            return internal::kCrc32;
        case ChecksumAlgorithm::kCrc32c:
            return internal::kCrc32c;
        case ChecksumAlgorithm::kCrc64Nvme:
            return internal::kCrc64Nvme;
        case ChecksumAlgorithm::kSha1:
        case ChecksumAlgorithm::kSha256:
            return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

std::string_view to_text(ChecksumAlgorithm algorithm) {
    return row_of(algorithm).name;
}

std::optional<ChecksumAlgorithm> parse_checksum_algorithm(std::string_view text) {
    for (const auto& row : kRows) {
        if (equal_in_any_case(text, row.name)) {
            return row.algorithm;
        }
    }
    return std::nullopt;
}

std::string_view to_text(ChecksumType type) {
    return type == ChecksumType::kFullObject ? "FULL_OBJECT" : "COMPOSITE";
}

std::optional<ChecksumType> parse_checksum_type(std::string_view text) {
    for (const auto type : {ChecksumType::kFullObject, ChecksumType::kComposite}) {
        if (equal_in_any_case(text, to_text(type))) {
            return type;
        }
    }
    return std::nullopt;
}

std::string_view header_name(ChecksumAlgorithm algorithm) {
    return row_of(algorithm).header;
}

std::size_t digest_bytes(ChecksumAlgorithm algorithm) {
    return row_of(algorithm).bytes;
}

bool is_digest_text(ChecksumAlgorithm algorithm, std::string_view text) {
    std::string digest;
    return append_decoded_base64(digest, text) && digest.size() == digest_bytes(algorithm);
}

std::unique_ptr<Digester> make_digester(ChecksumAlgorithm algorithm) {
    const auto bytes = digest_bytes(algorithm);
    switch (algorithm) {
        case ChecksumAlgorithm::kCrc32:
            return std::make_unique<CrcDigester>(internal::continue_crc32, bytes);
        case ChecksumAlgorithm::kCrc32c:
            return std::make_unique<CrcDigester>(internal::continue_crc32c, bytes);
        case ChecksumAlgorithm::kCrc64Nvme:
            return std::make_unique<CrcDigester>(internal::continue_crc64nvme, bytes);
        case ChecksumAlgorithm::kSha1:
            return std::make_unique<EvpDigester>(EVP_sha1());
        case ChecksumAlgorithm::kSha256:
            return std::make_unique<EvpDigester>(EVP_sha256());
    }
    return nullptr;
}

std::unique_ptr<Digester> make_md5() {
    return std::make_unique<EvpDigester>(EVP_md5());
}

std::string digest_of(ChecksumAlgorithm algorithm, std::string_view bytes) {
    const auto digester = make_digester(algorithm);
    digester->update(bytes);
    return digester->finish();
}

std::string md5_of(std::string_view bytes) {
    const auto digester = make_md5();
    digester->update(bytes);
    return digester->finish();
}

std::string hex_of(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out += kDigits[byte >> 4];
        out += kDigits[byte & 15];
    }
    return out;
}

std::optional<Checksum> combine_checksums(
    ChecksumAlgorithm algorithm, ChecksumType type, std::span<const PartDigest> parts
) {
    const auto kind = crc_kind(algorithm);
    if (type == ChecksumType::kFullObject) {
        if (!kind) {
            return std::nullopt;
        }
        std::uint64_t crc = 0;
        for (const auto& part : parts) {
            crc = internal::join_crcs(*kind, crc, from_big_endian(part.digest), part.size);
        }
        return Checksum{algorithm, type, encode_base64(big_endian(crc, digest_bytes(algorithm)))};
    }
    if (algorithm == ChecksumAlgorithm::kCrc64Nvme) {
        return std::nullopt;
    }
    const auto digester = make_digester(algorithm);
    for (const auto& part : parts) {
        digester->update(part.digest);
    }
    return Checksum{
        algorithm, type, encode_base64(digester->finish()) + "-" + std::to_string(parts.size())};
}

std::string multipart_etag(std::span<const std::string> md5s) {
    const auto digester = make_md5();
    for (const auto& md5 : md5s) {
        digester->update(md5);
    }
    return hex_of(digester->finish()) + "-" + std::to_string(md5s.size());
}

}  // namespace gateleg::objects

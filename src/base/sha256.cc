#include "base/sha256.h"

#include <algorithm>
#include <memory>
#include <span>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/check.h"

namespace gateleg {
namespace {

// -1 if `c` is not a lower-case hexadecimal digit.
constexpr int hex_value(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::span<const std::uint8_t> as_bytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// Looking SHA-256 up in OpenSSL's providers costs more than hashing a short message.
const EVP_MD* sha256_algorithm() {
    static const std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> algorithm(
        EVP_MD_fetch(nullptr, "SHA256", nullptr), &EVP_MD_free
    );
    return algorithm.get();
}

// The hash of two pieces. One context a thread, reused: a new or duplicated one (EVP_MAC_CTX_dup
// included) allocates several times.
Sha256Digest hash_pieces(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
    thread_local const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(
        EVP_MD_CTX_new(), &EVP_MD_CTX_free
    );
    Sha256Digest digest{};
    const bool ok = EVP_DigestInit_ex2(context.get(), sha256_algorithm(), nullptr) == 1 &&
                    EVP_DigestUpdate(context.get(), a.data(), a.size()) == 1 &&
                    EVP_DigestUpdate(context.get(), b.data(), b.size()) == 1 &&
                    EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1;
    GATELEG_CHECK(ok);
    return digest;
}

}  // namespace

Sha256Digest sha256(std::string_view bytes) {
    return hash_pieces(as_bytes(bytes), {});
}

void append_hex(std::string& out, const Sha256Digest& digest) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::array<char, 2 * std::tuple_size_v<Sha256Digest>> text{};
    for (std::size_t i = 0; i < digest.size(); ++i) {
        text[2 * i] = kDigits[digest[i] >> 4];
        text[2 * i + 1] = kDigits[digest[i] & 15];
    }
    out.append(text.data(), text.size());
}

std::string to_hex(const Sha256Digest& digest) {
    std::string text;
    text.reserve(2 * digest.size());
    append_hex(text, digest);
    return text;
}

std::optional<Sha256Digest> parse_hex_digest(std::string_view text) {
    Sha256Digest digest{};
    if (text.size() != 2 * digest.size()) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < digest.size(); ++i) {
        const int high = hex_value(text[2 * i]);
        const int low = hex_value(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            return std::nullopt;
        }
        digest[i] = static_cast<std::uint8_t>(high << 4 | low);
    }
    return digest;
}

bool equal_in_constant_time(const Sha256Digest& a, const Sha256Digest& b) {
    return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

HmacKey::HmacKey(std::string_view key) {
    const auto hashed = key.size() > kBlockBytes ? sha256(key) : Sha256Digest{};
    const auto bytes =
        key.size() > kBlockBytes ? std::span<const std::uint8_t>(hashed) : as_bytes(key);
    std::copy(bytes.begin(), bytes.end(), inner_pad_.begin());
    std::copy(bytes.begin(), bytes.end(), outer_pad_.begin());
    for (auto& byte : inner_pad_) {
        byte ^= 0x36;
    }
    for (auto& byte : outer_pad_) {
        byte ^= 0x5c;
    }
}

HmacKey::HmacKey(const Sha256Digest& key)
    : HmacKey(std::string_view(reinterpret_cast<const char*>(key.data()), key.size())) {}

Sha256Digest HmacKey::sign(std::string_view message) const {
    return hash_pieces(outer_pad_, hash_pieces(inner_pad_, as_bytes(message)));
}

}  // namespace gateleg

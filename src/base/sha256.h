// SHA-256, HMAC-SHA-256 and their hexadecimal form.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateleg {

using Sha256Digest = std::array<std::uint8_t, 32>;

Sha256Digest sha256(std::string_view bytes);

void append_hex(std::string& out, const Sha256Digest& digest);
std::string to_hex(const Sha256Digest& digest);

// Exactly 64 lower-case hexadecimal digits, or nothing.
std::optional<Sha256Digest> parse_hex_digest(std::string_view text);

// In time that does not depend on the content.
bool equal_in_constant_time(const Sha256Digest& a, const Sha256Digest& b);

// A key for HMAC-SHA-256, with its two pads ready. Immutable, so any thread may sign with it.
class HmacKey {
public:
    explicit HmacKey(std::string_view key);
    explicit HmacKey(const Sha256Digest& key);

    Sha256Digest sign(std::string_view message) const;

private:
    static constexpr std::size_t kBlockBytes = 64;
    using Block = std::array<std::uint8_t, kBlockBytes>;

    Block inner_pad_{};
    Block outer_pad_{};
};

}  // namespace gateleg

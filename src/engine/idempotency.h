// What is remembered of a transaction under its ClientRequestToken.

#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace gateleg::engine {

// Written to disk as it is.
struct TokenRecord {
    std::uint64_t content_hash = 0;
    std::int64_t expires_seconds = 0;
};

inline std::string encode_token(const TokenRecord& record) {
    std::string bytes(sizeof record, '\0');
    std::memcpy(bytes.data(), &record, sizeof record);
    return bytes;
}

inline std::optional<TokenRecord> decode_token(std::string_view bytes) {
    TokenRecord record;
    if (bytes.size() != sizeof record) {
        return std::nullopt;
    }
    std::memcpy(&record, bytes.data(), sizeof record);
    return record;
}

}  // namespace gateleg::engine

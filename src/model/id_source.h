// Ids for new items: random, or made from an idempotency key.

#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "base/sha256.h"

namespace gateleg::model {

// 26 characters from 48 bits of time and 80 bits.
std::string render_ulid(std::int64_t millis, std::uint16_t high, std::uint64_t low);

// Thread-safe. The ULIDs it gives ascend, also within a millisecond.
class UlidSource {
public:
    std::string next(std::int64_t millis);

private:
    std::mutex mutex_;
    std::int64_t last_millis_ = 0;
    std::uint16_t high_ = 0;
    std::uint64_t low_ = 0;
};

// Ids of one request with an idempotency key: equal for equal keys, and nobody without the secret
// can guess or meet them. The time of a ULID is that of the request, so that ids still sort by
// time; a repeated request that finds no record has written nothing under its earlier ids.
class DerivedIds {
public:
    DerivedIds(const HmacKey& key, std::string_view seed) : key_(key), seed_(seed) {}
    std::string next_ulid(std::int64_t millis);
    std::string next_uuid();

private:
    Sha256Digest next();

    const HmacKey& key_;
    std::string seed_;
    int count_ = 0;
};

}  // namespace gateleg::model

#include "model/id_source.h"

#include <cstring>

#include "base/ids.h"

namespace gateleg::model {
namespace {

constexpr std::string_view kBase32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::string_view kHex = "0123456789abcdef";

std::uint64_t read_u64(const std::uint8_t* bytes) {
    std::uint64_t value = 0;
    for (int at = 0; at < 8; ++at) {
        value = value << 8U | bytes[at];
    }
    return value;
}

}  // namespace

std::string render_ulid(std::int64_t millis, std::uint16_t high, std::uint64_t low) {
    std::string text(26, '0');
    auto time = static_cast<std::uint64_t>(millis < 0 ? 0 : millis);
    for (int at = 9; at >= 0; --at) {
        text[static_cast<std::size_t>(at)] = kBase32[time & 31U];
        time >>= 5U;
    }
    __extension__ unsigned __int128 rest = high;
    rest = rest << 64U | low;
    for (int at = 25; at >= 10; --at) {
        text[static_cast<std::size_t>(at)] = kBase32[static_cast<unsigned>(rest & 31U)];
        rest >>= 5U;
    }
    return text;
}

std::string UlidSource::next(std::int64_t millis) {
    const std::lock_guard lock(mutex_);
    if (millis > last_millis_) {
        const auto digest = sha256(random_uuid() + random_uuid());
        last_millis_ = millis;
        // Room to count up in.
        high_ = static_cast<std::uint16_t>(read_u64(digest.data()) & 0x7fffU);
        low_ = read_u64(digest.data() + 8);
    } else if (++low_ == 0) {
        ++high_;
    }
    return render_ulid(last_millis_, high_, low_);
}

Sha256Digest DerivedIds::next() {
    return key_.sign(seed_ + '\0' + std::to_string(count_++));
}

std::string DerivedIds::next_ulid(std::int64_t millis) {
    const auto digest = next();
    return render_ulid(
        millis, static_cast<std::uint16_t>(read_u64(digest.data())), read_u64(digest.data() + 8)
    );
}

std::string DerivedIds::next_uuid() {
    auto digest = next();
    digest[6] = static_cast<std::uint8_t>((digest[6] & 0x0fU) | 0x40U);
    digest[8] = static_cast<std::uint8_t>((digest[8] & 0x3fU) | 0x80U);
    std::string text;
    for (std::size_t at = 0; at < 16; ++at) {
        if (at == 4 || at == 6 || at == 8 || at == 10) {
            text.push_back('-');
        }
        text.push_back(kHex[digest[at] >> 4U]);
        text.push_back(kHex[digest[at] & 15U]);
    }
    return text;
}

}  // namespace gateleg::model

#include "outbound/address.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace gateleg::outbound {
namespace {

struct Range4 {
    std::uint32_t first;
    int bits;
};

constexpr std::uint32_t ip4(unsigned a, unsigned b, unsigned c, unsigned d) {
    return a << 24U | b << 16U | c << 8U | d;
}

// RFC 6890 and its registry: whatever is not global unicast.
constexpr std::array<Range4, 16> kNotPublic4 = {{
    {ip4(0, 0, 0, 0), 8},
    {ip4(10, 0, 0, 0), 8},
    {ip4(100, 64, 0, 0), 10},
    {ip4(127, 0, 0, 0), 8},
    {ip4(169, 254, 0, 0), 16},
    {ip4(172, 16, 0, 0), 12},
    {ip4(192, 0, 0, 0), 24},
    {ip4(192, 0, 2, 0), 24},
    {ip4(192, 88, 99, 0), 24},
    {ip4(192, 168, 0, 0), 16},
    {ip4(198, 18, 0, 0), 15},
    {ip4(198, 51, 100, 0), 24},
    {ip4(203, 0, 113, 0), 24},
    {ip4(168, 63, 129, 16), 32},  // a cloud's own services
    {ip4(224, 0, 0, 0), 4},
    {ip4(240, 0, 0, 0), 4},
}};

bool is_public4(std::uint32_t address) {
    return std::none_of(kNotPublic4.begin(), kNotPublic4.end(), [&](const Range4& range) {
        const auto mask = ~std::uint32_t{0} << (32 - range.bits);
        return (address & mask) == range.first;
    });
}

bool is_public6(const std::array<std::uint8_t, 16>& bytes) {
    static constexpr std::array<std::uint8_t, 12> kMapped = {
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255};
    if (std::equal(kMapped.begin(), kMapped.end(), bytes.begin())) {
        return is_public4(ip4(bytes[12], bytes[13], bytes[14], bytes[15]));
    }
    const auto first = static_cast<unsigned>(bytes[0]) << 8U | bytes[1];
    const auto second = static_cast<unsigned>(bytes[2]) << 8U | bytes[3];
    if (first < 0x2000 || first > 0x3FFF) {
        return false;
    }
    const bool special = first == 0x2001 && second < 0x200;  // Teredo, ORCHID and the like
    const bool documentation =
        (first == 0x2001 && second == 0xDB8) || (first == 0x3FFF && second < 0x1000);
    const bool six_to_four = first == 0x2002;  // holds an IPv4 address
    return !special && !documentation && !six_to_four;
}

}  // namespace

bool is_public(const sockaddr& address) {
    if (address.sa_family == AF_INET) {
        sockaddr_in four{};
        std::memcpy(&four, &address, sizeof four);
        return is_public4(ntohl(four.sin_addr.s_addr));
    }
    if (address.sa_family == AF_INET6) {
        sockaddr_in6 six{};
        std::memcpy(&six, &address, sizeof six);
        std::array<std::uint8_t, 16> bytes{};
        std::memcpy(bytes.data(), &six.sin6_addr, bytes.size());
        return is_public6(bytes);
    }
    return false;
}

std::string address_text(const sockaddr& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const void* bytes = nullptr;
    sockaddr_in four{};
    sockaddr_in6 six{};
    if (address.sa_family == AF_INET) {
        std::memcpy(&four, &address, sizeof four);
        bytes = &four.sin_addr;
    } else if (address.sa_family == AF_INET6) {
        std::memcpy(&six, &address, sizeof six);
        bytes = &six.sin6_addr;
    } else {
        return {};
    }
    return ::inet_ntop(address.sa_family, bytes, text.data(), text.size()) != nullptr ? text.data()
                                                                                      : "";
}

std::string plain_host(std::string_view host) {
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    }
    if (host.ends_with('.')) {
        host.remove_suffix(1);
    }
    std::string plain(host);
    std::transform(plain.begin(), plain.end(), plain.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return plain;
}

Result<AllowList> AllowList::parse(std::string_view text) {
    AllowList list;
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of(", \t"), text.size());
        const auto entry = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (entry.empty()) {
            continue;
        }
        const auto colon = entry.rfind(':');
        std::uint16_t port = 0;
        const auto digits =
            colon != std::string_view::npos ? entry.substr(colon + 1) : std::string_view();
        const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), port);
        if (digits.empty() || parsed.ec != std::errc() ||
            parsed.ptr != digits.data() + digits.size() || port == 0 || colon == 0) {
            return validation_error("'" + std::string(entry) + "' is not HOST:PORT");
        }
        list.entries_.push_back({plain_host(entry.substr(0, colon)), port});
    }
    return list;
}

bool AllowList::allows(std::string_view host, std::uint16_t port) const {
    const auto plain = plain_host(host);
    return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
        return entry.port == port && entry.host == plain;
    });
}

}  // namespace gateleg::outbound

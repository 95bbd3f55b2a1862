#include "http/host_policy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include <arpa/inet.h>

namespace gateleg::http {
namespace {

struct Authority {
    std::string_view host;  // an IPv6 address without its brackets
    std::string_view port;
    bool bracketed = false;
};

bool is_port(std::string_view text) {
    return text.size() <= 5 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<Authority> parse_authority(std::string_view text) {
    Authority authority;
    std::string_view rest;
    if (text.starts_with('[')) {
        const auto close = text.find(']');
        if (close == std::string_view::npos) {
            return std::nullopt;
        }
        authority.bracketed = true;
        authority.host = text.substr(1, close - 1);
        rest = text.substr(close + 1);
    } else {
        const auto colon = std::min(text.find(':'), text.size());
        authority.host = text.substr(0, colon);
        rest = text.substr(colon);
    }
    if (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))) {
        return std::nullopt;
    }
    authority.port = rest.empty() ? rest : rest.substr(1);
    if (authority.host.empty()) {
        return std::nullopt;
    }
    return authority;
}

// The address's bytes in `out`, if `text` is one of that family.
template <std::size_t kBytes>
bool parse_address(int family, std::string_view text, std::array<unsigned char, kBytes>& out) {
    std::array<char, INET6_ADDRSTRLEN + 1> terminated{};
    if (text.size() >= terminated.size()) {
        return false;
    }
    std::memcpy(terminated.data(), text.data(), text.size());
    return inet_pton(family, terminated.data(), out.data()) == 1;
}

bool is_ip_literal(const Authority& authority) {
    std::array<unsigned char, 16> v6{};
    std::array<unsigned char, 4> v4{};
    return authority.bracketed ? parse_address(AF_INET6, authority.host, v6)
                               : parse_address(AF_INET, authority.host, v4);
}

bool is_localhost_name(const Authority& authority) {
    constexpr std::string_view kName = "localhost";
    if (authority.bracketed || authority.host.size() < kName.size()) {
        return false;
    }
    const auto before = authority.host.size() - kName.size();
    return equal_ignoring_case(authority.host.substr(before), kName) &&
           (before == 0 || authority.host[before - 1] == '.');
}

bool is_loopback(const Authority& authority) {
    std::array<unsigned char, 4> v4{};
    if (authority.bracketed) {
        std::array<unsigned char, 16> v6{};
        std::array<unsigned char, 16> one{};
        one.back() = 1;
        return parse_address(AF_INET6, authority.host, v6) && v6 == one;
    }
    return is_localhost_name(authority) ||
           (parse_address(AF_INET, authority.host, v4) && v4[0] == 127);
}

bool is_listed(const Authority& authority, const std::vector<std::string>& hosts) {
    return std::any_of(hosts.begin(), hosts.end(), [&](const std::string& entry) {
        const auto listed = parse_authority(entry);
        return listed && listed->bracketed == authority.bracketed &&
               equal_ignoring_case(listed->host, authority.host) &&
               (listed->port.empty() || listed->port == authority.port);
    });
}

}  // namespace

bool is_allowed_host(std::string_view text, const HostPolicy& policy) {
    const auto authority = parse_authority(text);
    return authority && (is_ip_literal(*authority) || is_localhost_name(*authority) ||
                         is_listed(*authority, policy.hosts));
}

bool is_allowed_origin(std::string_view origin, const HostPolicy& policy) {
    const bool listed =
        std::any_of(policy.origins.begin(), policy.origins.end(), [&](const std::string& entry) {
            return equal_ignoring_case(entry, origin);
        });
    if (listed) {
        return true;
    }
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (origin.size() > scheme.size() &&
            equal_ignoring_case(origin.substr(0, scheme.size()), scheme)) {
            const auto authority = parse_authority(origin.substr(scheme.size()));
            return authority && is_loopback(*authority);
        }
    }
    return false;
}

HostVerdict check_host(const RequestHead& head, const HostPolicy& policy) {
    bool has_host = false;
    for (const Header& header : head.headers()) {
        if (equal_ignoring_case(header.name, "Host")) {
            has_host = true;
            if (!is_allowed_host(header.value, policy)) {
                return HostVerdict::kForeignHost;
            }
        } else if (equal_ignoring_case(header.name, "Origin")) {
            if (!is_allowed_origin(header.value, policy)) {
                return HostVerdict::kForeignOrigin;
            }
        }
    }
    // The parser refuses HTTP/1.1 without Host; whoever skipped it gets no free pass.
    return has_host || head.minor_version() == 0 ? HostVerdict::kAllowed
                                                 : HostVerdict::kForeignHost;
}

}  // namespace gateleg::http

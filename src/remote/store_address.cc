#include "remote/store_address.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace gateleg::remote {
namespace {

bool is_host_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
}

bool is_region(std::string_view text) {
    return !text.empty() && text.size() <= 40 && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
}

// "[::1]", "127.0.0.1" or a name.
bool is_host(std::string_view text) {
    if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
        return text.find_first_not_of("0123456789abcdefABCDEF:.", 1) == text.size() - 1;
    }
    return !text.empty() && std::all_of(text.begin(), text.end(), is_host_character);
}

bool is_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
    return failure == std::errc() && end == text.data() + text.size() && port != 0;
}

bool is_loopback(std::string_view host) {
    return host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

// The region in "dynamodb.eu-west-1.amazonaws.com", if it is such a name.
std::string_view region_in(std::string_view host) {
    constexpr std::string_view kService = "dynamodb.";
    if (!host.starts_with(kService) || host.find(".amazonaws.com") == std::string_view::npos) {
        return {};
    }
    host.remove_prefix(kService.size());
    return host.substr(0, host.find('.'));
}

Error bad_store(std::string_view text, std::string_view why) {
    return validation_error("'" + std::string(text) + "' is no store: " + std::string(why));
}

Result<StoreAddress> parse_region(std::string_view text, std::string_view region) {
    if (region.ends_with('/')) {
        region.remove_suffix(1);
    }
    if (!is_region(region)) {
        return bad_store(text, "dynamodb:// is followed by a region such as eu-west-1");
    }
    StoreAddress address;
    address.region = region;
    address.host = "dynamodb." + address.region +
                   (region.starts_with("cn-") ? ".amazonaws.com.cn" : ".amazonaws.com");
    address.url = "https://" + address.host + "/";
    return address;
}

}  // namespace

StoreAddress at_unix_socket(std::string path) {
    return {
        .url = "http://localhost/",
        .host = "localhost",
        .region = "us-east-1",
        .loopback = true,
        .unix_socket = std::move(path)};
}

Result<StoreAddress> parse_store(std::string_view text, std::string_view default_region) {
    constexpr std::string_view kRegion = "dynamodb://";
    constexpr std::string_view kPlain = "http://";
    constexpr std::string_view kTls = "https://";
    if (text.starts_with(kRegion)) {
        return parse_region(text, text.substr(kRegion.size()));
    }
    const bool plain = text.starts_with(kPlain);
    if (!plain && !text.starts_with(kTls)) {
        return bad_store(text, "expected dynamodb://REGION, http://HOST:PORT or https://HOST:PORT");
    }
    auto authority = text.substr(plain ? kPlain.size() : kTls.size());
    if (authority.ends_with('/')) {
        authority.remove_suffix(1);
    }
    if (authority.find_first_of("/?#") != std::string_view::npos) {
        return bad_store(text, "nothing may follow the host and port");
    }
    if (authority.find('@') != std::string_view::npos) {
        return bad_store(text, "credentials do not go into the address");
    }
    const auto bracket = authority.rfind(']');
    const auto colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
    const auto host = authority.substr(0, colon);
    const auto port = colon == std::string_view::npos ? "" : authority.substr(colon + 1);
    if (!is_host(host)) {
        return bad_store(text, "the host is not a name or an address");
    }
    if (colon != std::string_view::npos && !is_port(port)) {
        return bad_store(text, "the port is not a number from 1 to 65535");
    }
    StoreAddress address;
    const bool own_port = port.empty() || port == (plain ? "80" : "443");
    address.host = own_port ? std::string(host) : std::string(authority);
    address.url = std::string(plain ? kPlain : kTls) + address.host + "/";
    const auto named = region_in(host);
    address.region = named.empty() ? default_region : named;
    address.loopback = is_loopback(host);
    return address;
}

}  // namespace gateleg::remote

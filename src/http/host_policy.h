// Which Host and Origin a request may name: the defence against DNS rebinding and foreign pages.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "http/request.h"

namespace gateleg::http {

struct HostPolicy {
    // Names this server is reached by, beside IP addresses, localhost and *.localhost.
    // "name" allows any port, "name:port" that one.
    std::vector<std::string> hosts;
    // Origins of pages that may call, such as "https://console.example", beside those on loopback.
    std::vector<std::string> origins;
};

enum class HostVerdict : std::uint8_t { kAllowed, kForeignHost, kForeignOrigin };

bool is_allowed_host(std::string_view host, const HostPolicy& policy);
bool is_allowed_origin(std::string_view origin, const HostPolicy& policy);

// Both headers at once. A request without Host (HTTP/1.0 only) is judged by its Origin alone.
HostVerdict check_host(const RequestHead& head, const HostPolicy& policy);

}  // namespace gateleg::http

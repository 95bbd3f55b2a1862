// Which addresses a request that somebody else caused may go to.
//
// A provider's answer, or a user, can name any URL; it must not lead into the network that this
// server stands in, nor to the metadata service of a cloud.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/socket.h>

#include "base/result.h"

namespace gateleg::outbound {

// True for an address of the public internet: not private, loopback, link-local (where metadata
// services live), shared, documentation, multicast, reserved, nor an IPv6 form that leads to one.
bool is_public(const sockaddr& address);

// "10.0.0.1" or "2001:db8::1"; empty for another family.
std::string address_text(const sockaddr& address);

// Hosts and ports of GATELEG_OUTBOUND_ALLOW, which may have any address. Immutable.
class AllowList {
public:
    AllowList() = default;
    // "minio.internal:9000, 127.0.0.1:8025, [::1]:25".
    static Result<AllowList> parse(std::string_view text);

    bool allows(std::string_view host, std::uint16_t port) const;

private:
    struct Entry {
        std::string host;  // lower case, no brackets
        std::uint16_t port;
    };
    std::vector<Entry> entries_;
};

// Lower case, without brackets and without the dot that ends a full name.
std::string plain_host(std::string_view host);

}  // namespace gateleg::outbound

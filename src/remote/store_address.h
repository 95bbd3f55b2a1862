// Where a remote store is, as --store names it.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace gateleg::remote {

struct StoreAddress {
    std::string url;     // "https://dynamodb.eu-west-1.amazonaws.com/"
    std::string host;    // the Host header: with the port, unless it is the scheme's own
    std::string region;  // what requests are signed for
    bool loopback = false;
    std::string unix_socket = {};  // the socket file to go through; empty: the network
};

// A server on this machine that listens on a socket file.
StoreAddress at_unix_socket(std::string path);

// "dynamodb://eu-west-1", "http://HOST[:PORT]" or "https://HOST[:PORT]". `default_region` is for
// hosts that do not name theirs. An error says what is wrong with the text.
Result<StoreAddress> parse_store(
    std::string_view text, std::string_view default_region = "us-east-1"
);

}  // namespace gateleg::remote

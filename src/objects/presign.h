// URLs that carry their own SigV4 signature.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "objects/types.h"

namespace gateleg::objects {

struct PresignUrl {
    std::string method;
    std::string base_url;            // "https://host[:port]", nothing after it
    std::string path;                // percent-encoded, with the leading slash
    std::vector<NamedText> query;    // not encoded
    std::vector<NamedText> headers;  // signed besides Host; names in lower case
    std::string access_key_id;
    std::string secret_access_key;
    std::string session_token;
    std::string region;
    std::int64_t now_seconds = 0;
    std::int64_t expires_seconds = 0;
};
std::string presign_url(const PresignUrl& request);

// As S3 encodes a key in a path: everything but unreserved characters and slashes.
std::string encode_key_path(std::string_view key);
std::string encode_query_text(std::string_view text);

}  // namespace gateleg::objects

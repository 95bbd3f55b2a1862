// Which bucket and key a request is about, and with which parameters: decoded once, from the same
// bytes that were signed.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/host_policy.h"
#include "http/request.h"

namespace gateleg::api::s3 {

// In the order sent. A parameter without '=' has an empty value.
class Query {
public:
    static Result<Query> parse(std::string_view text);

    bool has(std::string_view name) const { return find(name) != nullptr; }
    // The first of that name; null if there is none.
    const std::string* find(std::string_view name) const;
    // Empty if there is none.
    std::string get(std::string_view name) const;

private:
    std::vector<std::pair<std::string, std::string>> parameters_;
};

struct Target {
    std::string bucket;  // empty: the service itself
    std::string key;     // empty: the bucket itself
    Query query;
};

// "/bucket/key" or, on bucket.localhost or under a name of the policy, "/key". Keys are any UTF-8,
// "..", "//" and NUL included: they are data and never paths.
Result<Target> read_target(const http::RequestHead& head, const http::HostPolicy& policy);

// "bucket" of "bucket.localhost:9000", or of a name below one that the policy lists.
std::optional<std::string> bucket_of_host(std::string_view host, const http::HostPolicy& policy);

// "/bucket/key" or "bucket/key" of x-amz-copy-source, percent-encoded; a versionId must be null.
Result<std::pair<std::string, std::string>> read_copy_source(std::string_view text);

// Nothing if a '%' starts no escape or the result is not UTF-8.
std::optional<std::string> decode(std::string_view text, bool plus_is_blank = false);
// Everything but unreserved characters, and slashes if `keep_slashes`.
std::string encode(std::string_view text, bool keep_slashes);

}  // namespace gateleg::api::s3

// Which pages may talk to a bucket: its own rules, and pages of this machine or of --origin.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/host_policy.h"
#include "objects/store.h"

namespace gateleg::api::s3 {

struct PageRequest {
    std::string origin;
    std::string method;                       // of the request itself, or of the one to come
    std::vector<std::string> wanted_headers;  // of a preflight, lower case
};

// The header lines that the answer needs. A bucket's rules count first; if it has none, pages
// that the policy allows may do everything. 403 for a page of another origin without a rule.
Result<std::string> allow_page(
    const objects::ObjectStore& store,
    const http::HostPolicy& policy,
    std::string_view bucket,
    const PageRequest& page,
    bool preflight
);

// "*" stands for any text, once.
bool matches_wildcard(std::string_view pattern, std::string_view text);

}  // namespace gateleg::api::s3

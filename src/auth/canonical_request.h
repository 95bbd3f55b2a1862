// The text that a SigV4 signature is made over, built from a request as it was received.
//
// Signing and verifying share this one implementation. It knows nothing of keys or credentials.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gateleg::auth {

struct HeaderField {
    std::string_view name;
    std::string_view value;
};

// A request as far as a signature cares. The views must outlive the call it is given to.
struct SignedRequest {
    std::string_view method;
    // As on the request line, still percent-encoded: "/", "/bucket/key?uploads".
    std::string_view target;
    // As received: any case, repeats kept, in order.
    std::vector<HeaderField> headers;
    std::string_view body;
};

// How the path of the target becomes the canonical path.
enum class PathForm : std::uint8_t {
    // Every service but S3: dot segments and repeated slashes removed, then encoded once more.
    kNormalized,
    // S3, where a key may hold "..": decoded and encoded once, nothing removed.
    kLiteral,
};
PathForm path_form_of(std::string_view service);

// `lower_name` is lower case; header names match in any case.
std::size_t count_headers(std::span<const HeaderField> headers, std::string_view lower_name);
// The first header of that name, without the white space around its value.
std::optional<std::string_view> find_header(
    std::span<const HeaderField> headers, std::string_view lower_name
);

// True if the query holds a parameter of this name once decoded; the case of ASCII letters does
// not matter.
bool has_query_parameter(std::string_view target, std::string_view name);

// `signed_names` are lower case and sorted. `payload_hash` is the last line as it stands.
std::string canonical_request(
    const SignedRequest& request,
    std::span<const std::string_view> signed_names,
    std::string_view payload_hash,
    PathForm path_form
);

}  // namespace gateleg::auth

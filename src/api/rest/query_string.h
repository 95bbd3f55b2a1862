// Paths and query strings, taken apart and percent-decoded once.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/runtime.h"

namespace gateleg::api::rest {

// Nothing if a '%' is not followed by two hexadecimal digits or the result is not UTF-8.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_blank);

// The decoded segments of "/v1/stories/a%2Fb": "v1", "stories", "a/b". One '/' at the end does not
// count. Nothing if a segment cannot be decoded or is empty.
std::optional<std::vector<std::string>> split_path(std::string_view path);

using QueryParameters = std::map<std::string, std::string, std::less<>>;

// Every parameter once: a second one of the same name is ValidationFailed.
model::CallResult<QueryParameters> parse_query(std::string_view query);

}  // namespace gateleg::api::rest

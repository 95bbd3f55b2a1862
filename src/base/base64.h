// Base64 (RFC 4648 section 4), as DynamoDB puts binary values into JSON.

#pragma once

#include <string>
#include <string_view>

namespace gateleg {

void append_base64(std::string& out, std::string_view bytes);
std::string encode_base64(std::string_view bytes);

// Appends the decoded bytes. False if `text` is not strict base64 with padding: nothing else is
// accepted, and `out` is then left as it was.
bool append_decoded_base64(std::string& out, std::string_view text);

}  // namespace gateleg

// The Authorization header of SigV4, taken apart:
//
//     AWS4-HMAC-SHA256 Credential=KEY/DATE/REGION/SERVICE/aws4_request, SignedHeaders=a;b,
//     Signature=HEX

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "auth/signing_key.h"
#include "base/result.h"

namespace gateleg::auth {

// Views into the header value. An absent parameter is empty.
struct AuthorizationHeader {
    std::string_view credential;
    std::string_view signed_headers;
    std::string_view signature;
};

// Parameters are separated by commas, white space or both; unknown ones are passed over. Fails if
// the algorithm is not ours, or if a parameter repeats or has no equals sign.
Result<AuthorizationHeader> parse_authorization(std::string_view value);

struct CredentialParts {
    std::string_view access_key_id;
    SigningScope scope;
    std::string_view terminator;
};
Result<CredentialParts> parse_credential(std::string_view credential);

// The names in "a;b;c". Fails unless they are lower case, sorted and unique, as SigV4 has them.
Result<std::vector<std::string_view>> parse_signed_headers(std::string_view text);

// Client bytes made fit for an error message: printable ASCII, at most 128 characters.
std::string printable(std::string_view bytes);

}  // namespace gateleg::auth

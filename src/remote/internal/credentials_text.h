// The texts that credentials come in.

#pragma once

#include <string_view>

#include "base/result.h"
#include "remote/credentials_chain.h"

namespace gateleg::remote::internal {

std::string_view trimmed(std::string_view text);

// {"AccessKeyId": ..., "SecretAccessKey": ..., "Token": ..., "Expiration": "2025-03-01T00:00:00Z"}
// as the container's endpoint and the instance's metadata give it.
Result<AwsCredentials> parse_credentials_document(std::string_view json);

}  // namespace gateleg::remote::internal

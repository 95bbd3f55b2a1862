// Errors as S3 names them, for requests that S3's rules of signing refuse.

#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace gateleg::auth {

// What such an Error carries beside its message.
struct S3ErrorDetail final : ErrorDetail {
    std::string code;  // "SignatureDoesNotMatch"
    int status = 400;
    std::string extra;  // further XML elements, already escaped
};

Error s3_error(int status, std::string_view code, std::string message, std::string extra = {});

// Null if the error came from elsewhere.
const S3ErrorDetail* s3_detail(const Error& error);

}  // namespace gateleg::auth

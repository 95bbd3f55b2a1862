#include "auth/s3_error.h"

#include <memory>
#include <utility>

namespace gateleg::auth {
namespace {

ErrorCode shared_code(int status) {
    switch (status) {
        case 403:
            return ErrorCode::kAccessDenied;
        case 503:
            return ErrorCode::kServiceUnavailable;
        default:
            return ErrorCode::kValidation;
    }
}

}  // namespace

Error s3_error(int status, std::string_view code, std::string message, std::string extra) {
    auto detail = std::make_shared<S3ErrorDetail>();
    detail->code = code;
    detail->status = status;
    detail->extra = std::move(extra);
    return {shared_code(status), std::move(message), std::move(detail)};
}

const S3ErrorDetail* s3_detail(const Error& error) {
    return dynamic_cast<const S3ErrorDetail*>(error.detail.get());
}

}  // namespace gateleg::auth

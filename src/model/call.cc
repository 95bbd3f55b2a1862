#include "model/call.h"

#include <string_view>

namespace gateleg::model {

CallError to_call_error(const Error& error) {
    switch (error.code) {
        case ErrorCode::kValidation:
            if (error.message.find("Item size") != std::string::npos ||
                error.message.find("item size") != std::string::npos) {
                return {413, "PayloadTooLarge", "The item would be larger than 400 KB."};
            }
            return {400, "ValidationFailed", error.message};
        case ErrorCode::kRequestTooLarge:
            return {413, "PayloadTooLarge", error.message};
        case ErrorCode::kThrottling:
        case ErrorCode::kLimitExceeded:
            return {503, "Throttled", "The table is busy; try again."};
        case ErrorCode::kServiceUnavailable:
        case ErrorCode::kResourceNotFound:
        case ErrorCode::kResourceInUse:
            return {503, "Unavailable", error.message};
        default:
            return {500, "Internal", "Something went wrong on our side."};
    }
}

CallError validation_failed(std::string field, std::string message) {
    CallError error{400, "ValidationFailed", "'" + field + "' " + message, field};
    error.details.emplace_back(std::move(field), std::move(message));
    return error;
}

}  // namespace gateleg::model

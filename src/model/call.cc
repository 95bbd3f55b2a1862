#include "model/call.h"

#include <algorithm>
#include <array>

namespace gateleg::model {
namespace {

constexpr std::array<std::pair<std::string_view, int>, 9> kShared = {{
    {"ValidationFailed", 400},
    {"Unauthenticated", 401},
    {"InsufficientCredits", 402},
    {"Forbidden", 403},
    {"TokenExpired", 410},
    {"TokenUsed", 410},
    {"VersionMismatch", 412},
    {"AccountLocked", 423},
    {"RateLimited", 429},
}};

}  // namespace

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
            if (error.message.starts_with("The disk of the server")) {
                return {507, "StorageFull", error.message};
            }
            return {503, "Unavailable", error.message};
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

int outcome_status(const Model& model, std::string_view name) {
    const auto is_it = [&](const auto& one) { return one.first == name; };
    const auto* shared = std::find_if(kShared.begin(), kShared.end(), is_it);
    const bool listed = std::any_of(model.errors.begin(), model.errors.end(), is_it);
    return shared != kShared.end() && !listed ? shared->second : model.error_status(name);
}

}  // namespace gateleg::model

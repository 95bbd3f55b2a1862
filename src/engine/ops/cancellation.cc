#include "engine/ops/cancellation.h"

#include <string>

namespace gateleg::engine::ops {

void Cancellation::add(std::size_t action, const Error& error) {
    auto& reason = reasons_[action];
    reason.code = error.code == ErrorCode::kConditionalCheckFailed ? "ConditionalCheckFailed"
                                                                   : "ValidationError";
    reason.message = error.message;
    if (const auto* failed = dynamic_cast<const dynamo::FailedItem*>(error.detail.get())) {
        reason.item = failed->item;
    }
    any_ = true;
}

Error Cancellation::error() && {
    std::string message =
        "Transaction cancelled, please refer cancellation reasons for specific reasons [";
    for (std::size_t i = 0; i < reasons_.size(); ++i) {
        message.append(i == 0 ? "" : ", ").append(reasons_[i].code);
    }
    message += ']';
    return {
        ErrorCode::kTransactionCanceled,
        std::move(message),
        std::make_shared<dynamo::CancellationReasons>(std::move(reasons_))};
}

}  // namespace gateleg::engine::ops

// Gathers why a transaction cannot go ahead: one reason per action, in their order.

#pragma once

#include <cstddef>
#include <vector>

#include "base/error.h"
#include "dynamo/replies.h"

namespace gateleg::engine::ops {

class Cancellation {
public:
    explicit Cancellation(std::size_t actions) : reasons_(actions) {}

    void add(std::size_t action, const Error& error);
    bool any() const { return any_; }
    // TransactionCanceledException with all reasons.
    Error error() &&;

private:
    std::vector<dynamo::CancellationReason> reasons_;
    bool any_ = false;
};

}  // namespace gateleg::engine::ops

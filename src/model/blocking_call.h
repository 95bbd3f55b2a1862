// Waits for the reply of a call of Dynamo. Never on the thread that answers.

#pragma once

#include <functional>
#include <future>
#include <utility>

#include "base/result.h"
#include "dynamo/dynamo.h"

namespace gateleg::model {

template <class Request>
Result<typename Request::Reply> blocking_call(
    dynamo::Dynamo& dynamo,
    void (dynamo::Dynamo::*method)(Request, dynamo::Done<Request>),
    Request request
) {
    using Reply = Result<typename Request::Reply>;
    std::promise<Reply> promise;
    auto future = promise.get_future();
    // The callback owns the promise: it may still be inside set_value() when we go on.
    auto done = [promise = std::move(promise)](Reply reply) mutable {
        promise.set_value(std::move(reply));
    };
    std::invoke(method, dynamo, std::move(request), std::move(done));
    return future.get();
}

}  // namespace gateleg::model

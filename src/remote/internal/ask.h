// A call of one of the store's interfaces whose reply is waited for later.

#pragma once

#include <future>
#include <utility>

#include "base/result.h"
#include "dynamo/dynamo.h"

namespace gateleg::remote::internal {

template <class Service, class Request>
std::future<Result<typename Request::Reply>> ask(
    Service& service, void (Service::*call)(Request, dynamo::Done<Request>), Request request
) {
    using Reply = Result<typename Request::Reply>;
    std::promise<Reply> promise;
    auto future = promise.get_future();
    // The callback owns the promise: it may still be inside set_value() when we go on.
    (service.*call)(std::move(request), [promise = std::move(promise)](Reply reply) mutable {
        promise.set_value(std::move(reply));
    });
    return future;
}

}  // namespace gateleg::remote::internal

// A call of StoreClient with a request and a reply in place of bytes.

#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "remote/decode_reply.h"
#include "remote/encode_request.h"
#include "remote/store_client.h"

namespace gateleg::remote::internal {

struct CallKind {
    std::string_view operation;
    Repeat repeat = Repeat::kHarmless;
    bool writes = false;
    // The whole X-Amz-Target, if it is not of DynamoDB itself.
    std::string_view target = {};
};

// `done` takes a Result of the request's reply.
template <class Request, class Done>
void call_store(
    StoreClient& client, CallKind kind, const Request& request, SteadyTime deadline, Done done
) {
    using Reply = typename Request::Reply;
    auto reply = std::make_shared<Reply>();
    StoreCall call{
        .operation = kind.operation,
        .body = {},
        .repeat = kind.repeat,
        .writes = kind.writes,
        .deadline = deadline,
        .target = std::string(kind.target),
        .decode =
            [reply](std::string_view body) {
                *reply = Reply();
                return decode_reply(body, *reply);
            },
    };
    encode_request(call.body, request);
    client.run(std::move(call), [reply, done = std::move(done)](Result<void> result) mutable {
        if (result) {
            done(Result<Reply>(std::move(*reply)));
        } else {
            done(Result<Reply>(std::move(result).error()));
        }
    });
}

}  // namespace gateleg::remote::internal

// What the tests of this module share: items from JSON, and calls that wait for their reply.

#pragma once

#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "dynamo/dynamo.h"
#include "value/json_codec.h"

namespace gateleg::remote {

// {"pk": {"S": "a"}} as an item.
inline value::EncodedItem item_of(
    std::string_view json, value::MapOf what = value::MapOf::kAttributes
) {
    simdjson::dom::parser parser;
    const simdjson::dom::element root = parser.parse(json.data(), json.size(), true);
    std::string bytes;
    if (auto read = value::append_map_of_values(bytes, root, what); !read) {
        throw std::runtime_error(read.error().message);
    }
    return value::EncodedItem(std::move(bytes));
}

inline dynamo::Placeholders placeholders(
    std::vector<std::pair<std::string, std::string>> names, std::string_view values = ""
) {
    dynamo::Placeholders all;
    if (!names.empty()) {
        all.names = std::move(names);
    }
    if (!values.empty()) {
        all.values = item_of(values, value::MapOf::kExpressionValues);
    }
    return all;
}

template <class Request>
using Call = void (dynamo::Dynamo::*)(Request, dynamo::Done<Request>);

template <class Request>
Result<typename Request::Reply> call_and_wait(
    dynamo::Dynamo& dynamo, Call<Request> call, Request request
) {
    using Reply = typename Request::Reply;
    std::promise<Result<Reply>> promise;
    auto future = promise.get_future();
    (dynamo.*call
    )(std::move(request), [&promise](Result<Reply> reply) { promise.set_value(std::move(reply)); });
    return future.get();
}

}  // namespace gateleg::remote

// For tests: requests read from JSON text, replies as JSON text.

#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <simdjson.h>

#include "api/dynamodb/read_request.h"
#include "api/dynamodb/write_reply.h"

namespace gateleg::api::dynamodb {

template <class Request>
Result<void> read_text(std::string_view json, Request& request) {
    dom::parser parser;
    Problems problems;
    return read_request(Fields(problems, parser.parse(json.data(), json.size()).value()), request);
}

// "ValidationException: ..." of a request that is refused; "" of one that is not.
template <class Request>
std::string problem_of(std::string_view json) {
    Request request;
    const auto read = read_text(json, request);
    return read ? std::string()
                : std::string(wire_name(read.error().code)) + ": " + read.error().message;
}

// A request that must be read.
template <class Request>
Request read(std::string_view json) {
    Request request;
    const auto result = read_text(json, request);
    EXPECT_TRUE(result.has_value()) << json << ": " << result.error().message;
    return request;
}

template <class Reply>
std::string written(const Reply& reply) {
    std::string out;
    write_reply(out, reply);
    return out;
}

inline value::EncodedItem item(std::string_view json) {
    dom::parser parser;
    std::string bytes;
    const auto result =
        value::append_map_of_values(bytes, parser.parse(json.data(), json.size()).value());
    EXPECT_TRUE(result.has_value()) << json;
    return value::EncodedItem(std::move(bytes));
}

struct BadRequest {
    const char* json;
    const char* problem;
};

template <class Request>
void expect_problems(std::initializer_list<BadRequest> cases) {
    for (const auto& each : cases) {
        EXPECT_EQ(problem_of<Request>(each.json), each.problem) << each.json;
    }
}

}  // namespace gateleg::api::dynamodb

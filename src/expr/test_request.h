// For tests: a request's names and values, and items, written as DynamoDB's JSON.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <simdjson.h>

#include "expr/scope.h"
#include "value/json_codec.h"
#include "value/value_view.h"

namespace gateleg::expr {

// {"a": {"S": "x"}} as an item.
inline value::EncodedItem item(std::string_view json) {
    simdjson::dom::parser parser;
    std::string bytes;
    const auto result =
        value::append_map_of_values(bytes, parser.parse(json.data(), json.size()).value());
    EXPECT_TRUE(result.has_value()) << json << ": " << result.error().message;
    return value::EncodedItem(std::move(bytes));
}

inline std::string to_json(value::ValueView map) {
    std::string text;
    value::append_json_map(text, map);
    return text;
}

// Written with the same codec, so that two spellings of one item are equal.
inline std::string normalized(std::string_view json) {
    return to_json(item(json).view());
}

class TestRequest {
public:
    // Either map may be empty: the request does not have it then.
    explicit TestRequest(std::string_view values, Scope::Names names = {})
        : names_(std::move(names)), values_(item(values.empty() ? "{}" : values)) {}
    TestRequest(const TestRequest&) = delete;
    TestRequest& operator=(const TestRequest&) = delete;

    Scope& scope() { return scope_; }

private:
    Scope::Names names_;
    value::EncodedItem values_;
    Scope scope_{&names_, values_.view()};
};

// Of an expression that is refused; "" if it is not.
template <class T>
std::string message_of(const Result<T>& result) {
    return result ? std::string() : result.error().message;
}

}  // namespace gateleg::expr

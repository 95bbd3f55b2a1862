// Operations whose body is C++.
//
// The model file declares who may call them, where, with what and what they answer with; the
// function calls patterns and other operations, and never sees a key.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/call.h"
#include "model/schema.h"

namespace gateleg::model {

// A call that has passed `allow` and whose inputs are valid. Lives as long as the function runs.
struct NativeCall {
    const Operation& operation;
    // The inputs that have a value, in stored form, normalised, defaults filled in.
    const Arguments& arguments;
    const Caller& caller;
    // For handing on to the operation that has the effect: its record then has this call's key
    // and route.
    const OperationCall& original;

    bool has(std::string_view name) const { return arguments.contains(name); }
    // Empty if the input has no value. Of a text, an enum, a timestamp.
    std::string text(std::string_view name) const;
    std::optional<std::int64_t> integer(std::string_view name) const;
    bool flag(std::string_view name) const;
    const value::AttributeValue* find(std::string_view name) const;

    std::string_view raw_body() const { return original.raw_body; }
    // Empty if no request is behind the call or it has no such header.
    std::string_view header(std::string_view name) const;
    std::string remote_address() const;
};

// Throwing is a defect: it answers 500.
using NativeFunction = std::function<CallResult<OperationReply>(const NativeCall&)>;

// C++ that acts for the system itself: may call everything and sees every item.
Caller internal_caller();
// The same in the name of a user: `caller` in expressions is that user.
Caller internal_caller(std::string user);

// Values for arguments and answers.
value::AttributeValue text(std::string value);
value::AttributeValue number(std::int64_t value);
value::AttributeValue boolean(bool value);

// Attributes of an item in stored form; nothing, or empty, if it is absent or of another type.
std::string text_of(const value::Item& item, std::string_view attribute);
std::optional<std::int64_t> integer_of(const value::Item& item, std::string_view attribute);
bool flag_of(const value::Item& item, std::string_view attribute);

}  // namespace gateleg::model

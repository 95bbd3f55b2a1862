// Evaluates resolved expressions on items in their stored form. Pure: clock, ids and caller are
// given.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "base/result.h"
#include "model/expression.h"
#include "model/schema.h"
#include "value/attribute_value.h"

namespace gateleg::model {

struct Time {
    std::int64_t millis = 0;
    auto operator<=>(const Time&) const = default;
};
struct Duration {
    std::int64_t millis = 0;
    auto operator<=>(const Duration&) const = default;
};
// `caller` when nobody is signed in: equal to nothing, not even to an item without an owner.
struct Nobody {};

// What an expression gives. Times are moments, whatever attribute they come from or go to; null is
// AttributeValue{Null}.
using Value = std::variant<value::AttributeValue, Time, Duration, Nobody>;

Value null_value();
Value text_value(std::string text);
Value boolean_value(bool value);
Value number_value(value::Number number);
bool is_null(const Value& value);

// Between the stored form of an attribute and values: times by type and precision, booleans by
// their spelling. Without an attribute a time becomes ISO text.
Value from_stored(const value::AttributeValue& stored, const Attribute* attribute);
value::AttributeValue to_stored(const Value& value, const Attribute* attribute);

// The order of two values, or nothing when they have none (null, different types).
std::optional<std::strong_ordering> compare_values(const Value& left, const Value& right);
bool equal_values(const Value& left, const Value& right);

struct Environment {
    // The item at hand, stored form, attributes of its key included. Null: there is none.
    const value::Item* item = nullptr;
    // Inputs and constants (stored form), reads and `as` (maps), lets and loop variables.
    std::map<std::string, Value, std::less<>> variables = {};
    std::int64_t now_millis = 0;
    std::int64_t attempt = 0;
    std::optional<std::string> caller = {};
    std::string viewer = {};
    std::set<std::string, std::less<>> roles = {};
    std::function<std::string()> make_ulid = {};
    std::function<std::string()> make_uuid = {};
};

// Fails on what types cannot exclude: division by zero, numbers out of range, text that is no time.
Result<Value> evaluate(const Expr& expr, const Environment& environment);
inline Result<Value> evaluate(const Expression& expression, const Environment& environment) {
    return evaluate(*expression.root, environment);
}

// True if the value is true; null and everything else is false.
bool is_true(const Value& value);
Result<bool> holds(const Expression& expression, const Environment& environment);

// Pads, dates and plain spellings as in key templates. Null stays null.
Result<std::optional<std::string>> render_value(const Value& value, const KeyFormat& format);

}  // namespace gateleg::model

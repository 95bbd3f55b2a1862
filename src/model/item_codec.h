// Values between the API and the table: types, rules and spellings of attributes.
//
// API form: names and JSON types, times as RFC 3339 text, booleans as booleans. Stored form: what
// DynamoDB keeps.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/call.h"
#include "model/schema.h"
#include "value/attribute_value.h"

namespace gateleg::model {

// Collects what is wrong with the fields of one request. One thread at a time.
class FieldErrors {
public:
    void invalid(std::string field, std::string message);
    void unknown(std::string field);

    bool empty() const { return invalid_.empty() && unknown_.empty(); }
    // ValidationFailed with every bad field, or UnknownField when nothing else is wrong.
    CallError to_error() const;

private:
    std::vector<std::pair<std::string, std::string>> invalid_;
    std::vector<std::string> unknown_;
};

// How a value came: a body has JSON types, a path or a query string only text.
enum class Spelling { kJson, kText };

// The stored form of a value in API form, normalised and checked against the attribute's rules.
// Null gives Null. Nothing, and an error under `field`, if the value does not fit.
std::optional<value::AttributeValue> read_value(
    const Attribute& attribute,
    const value::AttributeValue& given,
    Spelling spelling,
    const std::string& field,
    FieldErrors& errors
);

// Normalises a value in stored form and checks it: for values that were computed or found.
std::optional<value::AttributeValue> settle_value(
    const Attribute& attribute,
    value::AttributeValue stored,
    const std::string& field,
    FieldErrors& errors
);

// The API form of a stored value; without an attribute, of one that the model does not describe.
value::AttributeValue value_to_api(const Attribute* attribute, const value::AttributeValue& stored);

// The API form of an item: no key attributes, no marker, nothing hidden.
value::AttributeValue item_to_api(
    const Model& model, const Entity& entity, const value::Item& stored
);

bool is_null(const value::AttributeValue& value);

}  // namespace gateleg::model

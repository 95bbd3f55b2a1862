// The properties each construct of a model file may have, in one table: the reader refuses what is
// not in it, and the JSON Schema for editors is made from it.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gateleg::model {

enum class Shape : std::uint8_t {
    kText,
    kName,
    kNames,        // a list of names
    kNameOrNames,  // one name or a list
    kFlag,         // true or false
    kInteger,
    kNumber,
    kDuration,  // 30s, 15m, 24h, 30d
    kChoice,    // one of `choices`
    kExpression,
    kExpressions,         // a map of expressions
    kExpressionsOrInput,  // a map of expressions, or the word input
    kItem,                // Entity(args), $read, pattern(args) or match(..)
    kItems,               // a map of items
    kAccess,              // anyone, signed_in, internal or role(..)
    kRoutes,              // "GET /path", or a list
    kLoop,                // x in $list
    kKeyTypes,            // { PK: S, SK: S }
    kProjection,          // all, keys or a list of attributes
    kValues,              // a list of values
    kStatuses,            // a map of HTTP statuses
    kAttribute,           // a typeword, a list of enum values or an `attribute`
    kAttributes,          // a map of those
    kStored,              // false, or the spellings of true and false
    kKeys,                // a map of templates or `key`s
    kConstruct,           // a `construct`
    kConstructs,          // a map of them
    kConstructList,       // a list of them
    kAnything,
};

struct Property {
    std::string_view name;
    Shape shape = Shape::kText;
    std::string_view help = {};
    bool required = false;
    std::string_view construct = {};             // of kConstruct..
    std::vector<std::string_view> choices = {};  // of kChoice
};

struct Construct {
    std::string_view name;
    std::string_view help;
    std::vector<Property> properties;

    const Property* find(std::string_view property) const;
    std::vector<std::string> names() const;
};

const std::vector<Construct>& constructs();
const Construct& construct(std::string_view name);

// The words a type may be, without '!'.
const std::vector<std::string>& type_words();

// JSON Schema (2020-12) of a model file, for editors.
std::string json_schema();

}  // namespace gateleg::model

// A value and an item as trees, for code that builds or changes them piece by piece.
//
// The engine's hot paths work on the binary form (value_view.h); encode() and decode() go between.

#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "value/number.h"
#include "value/types.h"
#include "value/value_view.h"

namespace gateleg::value {

struct AttributeValue;

struct Binary {
    std::string bytes;
    auto operator<=>(const Binary&) const = default;
};
struct Null {
    bool operator==(const Null&) const = default;
};
using List = std::vector<AttributeValue>;
using Map = std::map<std::string, AttributeValue, std::less<>>;
using StringSet = std::set<std::string>;
using NumberSet = std::set<Number>;
using BinarySet = std::set<Binary>;

// Copies and moves like any value.
struct AttributeValue {
    // In the order of Type, so that index() + 1 is the Type.
    using Variant = std::variant<
        std::string,
        Number,
        Binary,
        bool,
        Null,
        List,
        Map,
        StringSet,
        NumberSet,
        BinarySet>;
    Variant data;

    Type type() const { return static_cast<Type>(data.index() + 1); }
    bool operator==(const AttributeValue& other) const;
};

using Item = Map;

void append_encoded(std::string& out, const AttributeValue& value);
std::string encode(const AttributeValue& value);
EncodedItem encode_item(const Item& item);

AttributeValue decode(ValueView value);
Item decode_item(ValueView map);

}  // namespace gateleg::value

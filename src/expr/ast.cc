#include "expr/ast.h"

#include <algorithm>
#include <array>

namespace gateleg::expr {
namespace {

constexpr std::array kFunctions = {
    Op::kAttributeExists,
    Op::kAttributeNotExists,
    Op::kAttributeType,
    Op::kBeginsWith,
    Op::kContains,
    Op::kSize,
    Op::kIfNotExists,
    Op::kListAppend,
};

}  // namespace

std::string_view kind_name(Kind kind) {
    switch (kind) {
        case Kind::kCondition:
            return "ConditionExpression";
        case Kind::kFilter:
            return "FilterExpression";
        case Kind::kKeyCondition:
            return "KeyConditionExpression";
        case Kind::kProjection:
            return "ProjectionExpression";
        case Kind::kUpdate:
            return "UpdateExpression";
    }
    return {};
}

std::string_view op_name(Op op) {
    // In the order of Op.
    static constexpr std::array<std::string_view, 24> kNames = {
        "path",
        "value",
        "AND",
        "OR",
        "NOT",
        "=",
        "<>",
        "<",
        "<=",
        ">",
        ">=",
        "BETWEEN",
        "IN",
        "attribute_exists",
        "attribute_not_exists",
        "attribute_type",
        "begins_with",
        "contains",
        "size",
        "if_not_exists",
        "list_append",
        "function",
        "+",
        "-",
    };
    static_assert(kNames.size() == static_cast<std::size_t>(Op::kMinus) + 1);
    return kNames.at(static_cast<std::size_t>(op));
}

Op find_function(std::string_view name) {
    const auto* const found = std::find_if(kFunctions.begin(), kFunctions.end(), [&](Op op) {
        return op_name(op) == name;
    });
    return found == kFunctions.end() ? Op::kUnknownFunction : *found;
}

}  // namespace gateleg::expr

#include "expr/errors.h"

#include "value/types.h"

namespace gateleg::expr {
namespace {

using value::Type;
using value::ValueView;

// As Java prints an AttributeValue.
std::string render_bound(ValueView bound) {
    const auto type = value::type_name(bound.type());
    if (bound.type() != Type::kBinary) {
        return concat({"AttributeValue: {", type, ":", bound.text(), "}"});
    }
    const auto size = std::to_string(bound.text().size());
    return concat(
        {"AttributeValue: {B:java.nio.HeapByteBuffer[pos=0 lim=", size, " cap=", size, "]}"}
    );
}

std::string_view long_type_name(Type type) {
    switch (type) {
        case Type::kString:
            return "STRING";
        case Type::kNumber:
            return "NUMBER";
        case Type::kBinary:
            return "BINARY";
        case Type::kBool:
            return "BOOLEAN";
        case Type::kNull:
            return "NULL";
        case Type::kList:
            return "LIST";
        case Type::kMap:
            return "MAP";
        case Type::kStringSet:
            return "STRING_SET";
        case Type::kNumberSet:
            return "NUMBER_SET";
        case Type::kBinarySet:
            return "BINARY_SET";
    }
    return {};
}

Error bad_bounds(Kind kind, std::string_view problem, ValueView lower, ValueView upper) {
    return invalid(
        kind,
        concat({
            "The BETWEEN operator requires ",
            problem,
            "; lower bound operand: ",
            render_bound(lower),
            ", upper bound operand: ",
            render_bound(upper),
        })
    );
}

Error clashing_paths(
    Kind kind, std::string_view verb, std::string_view first, std::string_view second
) {
    return invalid(
        kind,
        concat({
            "Two document paths ",
            verb,
            " with each other; must remove or rewrite one of these paths; path one: ",
            first,
            ", path two: ",
            second,
        })
    );
}

}  // namespace

std::string concat(std::initializer_list<std::string_view> parts) {
    std::string result;
    for (const auto part : parts) {
        result += part;
    }
    return result;
}

Error invalid(Kind kind, std::string_view problem) {
    return validation_error(concat({"Invalid ", kind_name(kind), ": ", problem}));
}

Error syntax_error(Kind kind, std::string_view token, std::string_view near) {
    return invalid(kind, concat({"Syntax error; token: \"", token, "\", near: \"", near, "\""}));
}

Error redundant_parentheses(Kind kind) {
    return invalid(kind, "The expression has redundant parentheses;");
}

Error undefined_name(Kind kind, std::string_view placeholder) {
    return invalid(
        kind,
        concat({
            "An expression attribute name used in the document path is not defined; "
            "attribute name: ",
            placeholder,
        })
    );
}

Error undefined_value(Kind kind, std::string_view placeholder) {
    return invalid(
        kind,
        concat({
            "An expression attribute value used in expression is not defined; attribute value: ",
            placeholder,
        })
    );
}

Error wrong_operand_count(Kind kind, Op op, std::size_t count) {
    return invalid(
        kind,
        concat({
            "Incorrect number of operands for operator or function; operator or function: ",
            op_name(op),
            ", number of operands: ",
            std::to_string(count),
        })
    );
}

Error wrong_operand_type(Kind kind, Op op, std::string_view type) {
    return invalid(
        kind,
        concat({
            "Incorrect operand type for operator or function; operator or function: ",
            op_name(op),
            ", operand type: ",
            type,
        })
    );
}

Error wrong_action_type(Section section, Type type) {
    const std::string_view action = section == Section::kAdd ? "ADD" : "DELETE";
    return invalid(
        Kind::kUpdate,
        concat({
            "Incorrect operand type for operator or function; operator: ",
            action,
            ", operand type: ",
            long_type_name(type),
            ", typeSet: ALLOWED_FOR_",
            action,
            "_OPERAND",
        })
    );
}

Error needs_document_path(Kind kind, Op op) {
    return invalid(
        kind,
        concat({
            "Operator or function requires a document path; operator or function: ",
            op_name(op),
        })
    );
}

Error operands_not_distinct(Kind kind, Op op, std::string_view path) {
    return invalid(
        kind,
        concat({
            "The first operand must be distinct from the remaining operands for this operator or "
            "function; operator: ",
            op_name(op),
            ", first operand: ",
            path,
        })
    );
}

Error unknown_type_name(Kind kind, std::string_view name) {
    return invalid(
        kind,
        concat({
            "Invalid attribute type name found; type: ",
            name,
            ", valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
        })
    );
}

Error mixed_between_bounds(Kind kind, ValueView lower, ValueView upper) {
    return bad_bounds(kind, "same data type for lower and upper bounds", lower, upper);
}

Error reversed_between_bounds(Kind kind, ValueView lower, ValueView upper) {
    return bad_bounds(kind, "upper bound to be greater than or equal to lower bound", lower, upper);
}

Error overlapping_paths(Kind kind, std::string_view first, std::string_view second) {
    return clashing_paths(kind, "overlap", first, second);
}

Error conflicting_paths(Kind kind, std::string_view first, std::string_view second) {
    return clashing_paths(kind, "conflict", first, second);
}

Error bad_update_path() {
    return validation_error(
        "The document path provided in the update expression is invalid for update"
    );
}

Error missing_operand() {
    return validation_error(
        "The provided expression refers to an attribute that does not exist in the item"
    );
}

Error wrong_update_operand() {
    return validation_error("An operand in the update expression has an incorrect data type");
}

}  // namespace gateleg::expr

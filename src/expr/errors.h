// DynamoDB's texts for expressions that it refuses. Each begins "Invalid <parameter>: " unless
// noted.

#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/error.h"
#include "expr/ast.h"
#include "value/value_view.h"

namespace gateleg::expr {

std::string concat(std::initializer_list<std::string_view> parts);

// "Invalid ConditionExpression: " and what is wrong.
Error invalid(Kind kind, std::string_view problem);

Error syntax_error(Kind kind, std::string_view token, std::string_view near);
Error redundant_parentheses(Kind kind);
Error undefined_name(Kind kind, std::string_view placeholder);
Error undefined_value(Kind kind, std::string_view placeholder);
Error wrong_operand_count(Kind kind, Op op, std::size_t count);
Error wrong_operand_type(Kind kind, Op op, std::string_view type);
// ADD and DELETE, whose message differs from every other operator's.
Error wrong_action_type(Section section, value::Type type);
Error needs_document_path(Kind kind, Op op);
Error operands_not_distinct(Kind kind, Op op, std::string_view path);
Error unknown_type_name(Kind kind, std::string_view name);
Error mixed_between_bounds(Kind kind, value::ValueView lower, value::ValueView upper);
Error reversed_between_bounds(Kind kind, value::ValueView lower, value::ValueView upper);
Error overlapping_paths(Kind kind, std::string_view first, std::string_view second);
Error conflicting_paths(Kind kind, std::string_view first, std::string_view second);

// While an update is applied; without the prefix.
Error bad_update_path();
Error missing_operand();
Error wrong_update_operand();

}  // namespace gateleg::expr

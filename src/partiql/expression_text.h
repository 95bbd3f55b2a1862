// Renders the conditions and assignments of a statement as DynamoDB expressions, with a placeholder
// for every name and value, so that one evaluator serves both languages.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "dynamo/requests.h"
#include "partiql/ast.h"
#include "partiql/literal.h"

namespace gateleg::partiql {

// Gathers the placeholders of all expressions of one request. Refers to the parameters.
class ExpressionText {
public:
    explicit ExpressionText(const Parameters& parameters) : parameters_(parameters) {}

    Result<std::string> condition(const Expr& expr);
    // An AND of several; empty for none.
    Result<std::string> conditions(const std::vector<const Expr*>& exprs);
    Result<std::string> update(const std::vector<Assignment>& assignments);

    std::string path(const Path& path);
    std::string name(const std::string& attribute);
    std::string value(value::AttributeValue value);

    dynamo::Placeholders placeholders() const;

private:
    enum class Level { kOr, kAnd, kNot };

    Result<std::string> render(const Expr& expr, Level around);
    Result<std::string> joined(const Expr& expr, Level around);
    Result<std::string> compared(const Expr& expr, Level around);
    Result<std::string> in(const Expr& expr);
    Result<std::string> is_type(const Expr& expr, Level around);
    Result<std::string> predicate(const Expr& call);
    Result<std::string> operand(const Expr& expr);
    Result<std::string> assigned(const Expr& expr);
    Result<std::string> list_append(const Expr& call);
    Result<std::string> set_change(const Assignment& assignment);

    const Parameters& parameters_;
    std::vector<std::pair<std::string, std::string>> names_;
    value::Map values_;
};

}  // namespace gateleg::partiql

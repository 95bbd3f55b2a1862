// Expressions as DynamoDB condition and filter expressions.
//
// DynamoDB compares attributes and cannot calculate. compile() keeps the comparisons of attributes
// and finds everything that is known before the call; bind() computes that and gives the text.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/evaluate.h"
#include "model/expression.h"
#include "model/schema.h"

namespace gateleg::model {

// A condition with its names and values, ready for a request.
struct BoundCondition {
    // Known without asking the table; `text` is then empty.
    std::optional<bool> constant = {};
    std::string text = {};
    std::map<std::string, std::string> names = {};  // "#n0" -> attribute
    value::Item values = {};                        // ":v0" -> value
    int next = 0;  // no placeholder has this number or a greater one
};

// Immutable, so any thread may bind it. Points into the model.
class Condition {
public:
    struct Node;

    // `expression` is resolved for an item of `entity`. Fails, naming the part, where an attribute
    // would have to be calculated with.
    static Result<Condition> compile(
        const Expression& expression, const Entity& entity, const Table& table
    );

    // Computes what is known. In `environment` the item at hand needs only the attributes of its
    // key. `first` numbers the placeholders, so that several conditions fit into one request.
    Result<BoundCondition> bind(const Environment& environment, int first = 0) const;

    // The value expressions, in the order of their placeholders if all of them are used.
    std::vector<const Expr*> value_expressions() const;

private:
    std::shared_ptr<const Node> root_;
    const Table* table_ = nullptr;
};

// compile() and bind() at once.
Result<BoundCondition> to_condition(
    const Expression& expression,
    const Entity& entity,
    const Table& table,
    const Environment& environment
);

}  // namespace gateleg::model

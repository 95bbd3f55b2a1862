// Key condition expressions: an AND of conditions on attributes, for the engine to match with a
// key schema.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "expr/cache.h"
#include "expr/resolver.h"
#include "expr/scope.h"
#include "value/value_view.h"

namespace gateleg::expr {

enum class KeyOp : std::uint8_t {
    kEqual,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual,
    kBetween,
    kBeginsWith,
};

// `5 < age` has become `age > 5`.
struct KeyPredicate {
    std::string attribute;
    KeyOp op;
    value::ValueView value;
    std::optional<value::ValueView> upper;  // Only for kBetween.
};

// Compiled for one request: refers to the names and values of its scope. Immutable.
class KeyCondition {
public:
    explicit KeyCondition(Binding binding) : binding_(std::move(binding)) {}
    const Binding& binding() const { return binding_; }

private:
    Binding binding_;
};

// The checks that any condition must pass. What a key condition must be beside that is left to
// key_predicates(), for DynamoDB asks it only after the request's other expressions and
// Scope::check_all_used().
Result<KeyCondition> compile_key_condition(Cache& cache, std::string_view text, Scope& scope);

// In the order they are written, each attribute once.
Result<std::vector<KeyPredicate>> key_predicates(const KeyCondition& condition);

}  // namespace gateleg::expr

// The ExpressionAttributeNames and ExpressionAttributeValues of one request.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "value/value_view.h"

namespace gateleg::expr {

// Knows which names and values the request's expressions have used so far.
// Refers to what it is given, which must outlive it and everything compiled with it.
// One thread at a time.
class Scope {
public:
    // "#n" and the attribute name it stands for, in the order of the request.
    using Names = std::vector<std::pair<std::string, std::string>>;

    // `names` may be null. `values` is a map from ":v" to its value.
    Scope(const Names* names, std::optional<value::ValueView> values);

    // What a placeholder stands for; counts it as used.
    std::optional<std::string_view> find_name(std::string_view placeholder);
    std::optional<value::ValueView> find_value(std::string_view placeholder);

    // To be asked when all expressions of the request are compiled: fails naming the placeholders
    // that none has used, names first.
    Result<void> check_all_used() const;

private:
    const Names* names_;
    std::optional<value::ValueView> values_;
    std::vector<bool> used_names_;
    std::vector<bool> used_values_;
};

// Whether the maps themselves are well-formed; DynamoDB asks before it reads any expression.
Result<void> check_names(const Scope::Names& names);
Result<void> check_value_names(value::ValueView values);

}  // namespace gateleg::expr

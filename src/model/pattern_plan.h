// What a pattern asks DynamoDB: the ranges it reads, in order.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/call.h"
#include "model/database.h"
#include "model/evaluate.h"
#include "model/schema.h"

namespace gateleg::model {

class ShardBook;

// The parameters of a call, in stored form, under the names of the pattern's first entity.
struct PatternValues {
    value::Item known = {};  // `by` and `fixed`, or the variables of a get's key
    std::optional<value::AttributeValue> from = {};
    std::optional<value::AttributeValue> to = {};
    std::optional<std::string> prefix = {};
};

CallResult<PatternValues> read_pattern_values(
    const Model& model,
    const Pattern& pattern,
    const PatternCall& call,
    const Environment& environment
);

// The placeholder of the partition in the values of a query.
inline constexpr std::string_view kPartitionValue = ":h";

// Groups are read one after the other; the queries of a group are merged on the sort key.
struct QueryPlan {
    std::vector<std::vector<RangeQuery>> groups;
};
CallResult<QueryPlan> plan_query(
    const Model& model,
    const Pattern& pattern,
    const PatternValues& values,
    bool forward,
    std::int64_t now_millis,
    const ShardBook* shards
);

// The names under which an entity knows the parameters: those of the first, by their place in the
// partition key.
value::Item rename_values(
    const Model& model, const Pattern& pattern, const Entity& entity, const value::Item& values
);

}  // namespace gateleg::model

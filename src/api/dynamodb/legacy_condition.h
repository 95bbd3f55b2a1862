// A condition from before there were expressions, as Expected, KeyConditions, QueryFilter and
// ScanFilter have one per attribute.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/dynamodb/wire_reader.h"

namespace gateleg::api::dynamodb {

enum class Comparison : std::uint8_t {
    kEqual,
    kNotEqual,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual,
    kNull,
    kNotNull,
    kContains,
    kNotContains,
    kBeginsWith,
    kIn,
    kBetween,
};

struct LegacyCondition {
    std::string attribute;
    Comparison comparison = Comparison::kEqual;
    std::vector<std::string> values;  // Each in its binary form.
};

// The conditions of `parameter`, in the order of the request. What is wrong with them is among the
// problems of `in` afterwards; they are not to be used then.
std::vector<LegacyCondition> read_filter(const Fields& in, std::string_view parameter);
// The same for Expected, where Value and Exists may stand for a comparison.
std::vector<LegacyCondition> read_expected(const Fields& in);
// The same for KeyConditions, where not every comparison can be looked up.
std::vector<LegacyCondition> read_key_conditions(const Fields& in);

}  // namespace gateleg::api::dynamodb

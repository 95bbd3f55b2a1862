#include "api/dynamodb/legacy_condition.h"

#include <algorithm>
#include <compare>
#include <optional>
#include <utility>

#include "api/dynamodb/legacy_names.h"
#include "value/number.h"
#include "value/types.h"
#include "value/value_view.h"

namespace gateleg::api::dynamodb {
namespace {

using value::Type;
using value::ValueView;

constexpr std::pair<std::string_view, Comparison> kComparisons[] = {
    {"EQ", Comparison::kEqual},
    {"NE", Comparison::kNotEqual},
    {"LT", Comparison::kLess},
    {"LE", Comparison::kLessOrEqual},
    {"GT", Comparison::kGreater},
    {"GE", Comparison::kGreaterOrEqual},
    {"NULL", Comparison::kNull},
    {"NOT_NULL", Comparison::kNotNull},
    {"CONTAINS", Comparison::kContains},
    {"NOT_CONTAINS", Comparison::kNotContains},
    {"BEGINS_WITH", Comparison::kBeginsWith},
    {"IN", Comparison::kIn},
    {"BETWEEN", Comparison::kBetween},
};

std::string name_of(Comparison comparison) {
    const auto* found =
        std::find_if(std::begin(kComparisons), std::end(kComparisons), [&](const auto& each) {
            return each.second == comparison;
        });
    return std::string(found->first);
}

std::optional<Comparison> read_comparison(const Fields& condition) {
    const auto word = condition.text("ComparisonOperator");
    if (!word) {
        return std::nullopt;
    }
    for (const auto& [name, comparison] : kComparisons) {
        if (name == *word) {
            return comparison;
        }
    }
    condition.problems().constraint(
        *word,
        condition.path_of("ComparisonOperator"),
        "Member must satisfy enum value set: [IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, "
        "NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]"
    );
    return std::nullopt;
}

Error invalid(const std::string& text) {
    return validation_error("One or more parameter values were invalid: " + text);
}

bool takes_count(Comparison comparison, std::size_t count) {
    switch (comparison) {
        case Comparison::kNull:
        case Comparison::kNotNull:
            return count == 0;
        case Comparison::kIn:
            return count > 0;
        case Comparison::kBetween:
            return count == 2;
        default:
            return count == 1;
    }
}

bool takes_type(Comparison comparison, Type type) {
    const bool has_text = type == Type::kString || type == Type::kBinary;
    switch (comparison) {
        case Comparison::kEqual:
        case Comparison::kNotEqual:
            return true;
        case Comparison::kContains:
        case Comparison::kNotContains:
            return !value::is_set(type) && type != Type::kList && type != Type::kMap;
        case Comparison::kBeginsWith:
            return has_text;
        default:
            return has_text || type == Type::kNumber;
    }
}

bool is_greater(ValueView left, ValueView right) {
    return left.type() == Type::kNumber
               ? std::is_gt(value::compare_number_texts(left.text(), right.text()))
               : left.text() > right.text();
}

// Whether the comparison can be made with its values, whatever the item is.
Result<void> check_values(const LegacyCondition& condition) {
    const auto& [attribute, comparison, values] = condition;
    if (!takes_count(comparison, values.size())) {
        return invalid(
            "Invalid number of argument(s) for the " + name_of(comparison) + " ComparisonOperator"
        );
    }
    if (values.empty()) {
        return {};
    }
    const ValueView first(values[0].data());
    for (const auto& bytes : values) {
        if (ValueView(bytes.data()).type() != first.type()) {
            return invalid("AttributeValues inside AttributeValueList must be of same type");
        }
    }
    if (!takes_type(comparison, first.type())) {
        return invalid(
            "ComparisonOperator " + name_of(comparison) + " is not valid for " +
            std::string(value::type_name(first.type())) + " AttributeValue type"
        );
    }
    if (comparison == Comparison::kBetween && is_greater(first, ValueView(values[1].data()))) {
        return validation_error(
            "The BETWEEN condition was provided a range where the lower bound is greater than the "
            "upper bound"
        );
    }
    return {};
}

Result<void> append_value(std::vector<std::string>& values, dom::element json) {
    return value::append_value(values.emplace_back(), json);
}

// Its AttributeValueList or, for Expected, its Value.
Result<void> read_values(const Fields& in, LegacyCondition& condition) {
    if (const auto list = in.list("AttributeValueList")) {
        for (const auto element : *list) {
            GATELEG_TRY(append_value(condition.values, element));
        }
    } else if (const auto single = in.find("Value")) {
        GATELEG_TRY(append_value(condition.values, *single));
    }
    return {};
}

Result<void> read_compared(const Fields& in, LegacyCondition& condition) {
    GATELEG_TRY(read_values(in, condition));
    return check_values(condition);
}

Result<void> read_filter_condition(const Fields& in, LegacyCondition& condition) {
    in.require("ComparisonOperator");
    if (const auto comparison = read_comparison(in)) {
        condition.comparison = *comparison;
    }
    return read_compared(in, condition);
}

// Without a ComparisonOperator: Value is what the attribute has to be, unless it must not exist.
Result<void> read_existence(const Fields& in, LegacyCondition& condition) {
    const auto exists = in.boolean("Exists");
    if (!exists.value_or(true)) {
        if (in.has("Value")) {
            return invalid(
                "Value cannot be used when Exists is false for Attribute: " + condition.attribute
            );
        }
        condition.comparison = Comparison::kNull;
        return {};
    }
    if (!in.has("Value")) {
        return invalid(
            std::string("Value must be provided when Exists is ") + (exists ? "true" : "null") +
            " for Attribute: " + condition.attribute
        );
    }
    return read_values(in, condition);
}

Result<void> read_expected_condition(const Fields& in, LegacyCondition& condition) {
    const auto comparison = read_comparison(in);
    const bool has_list = in.has("AttributeValueList");
    const auto where = " for Attribute: " + condition.attribute;
    if (has_list && in.has("Value")) {
        return invalid("Value and AttributeValueList cannot be used together" + where);
    }
    if (!comparison) {
        if (has_list) {
            return invalid("AttributeValueList can only be used with a ComparisonOperator" + where);
        }
        return read_existence(in, condition);
    }
    if (in.has("Exists")) {
        return invalid("Exists and ComparisonOperator cannot be used together" + where);
    }
    condition.comparison = *comparison;
    if (!takes_count(*comparison, 0) && !has_list && !in.has("Value")) {
        return invalid(
            "Value or AttributeValueList must be used with ComparisonOperator: " +
            name_of(*comparison) + where
        );
    }
    return read_compared(in, condition);
}

using Read = Result<void> (*)(const Fields&, LegacyCondition&);

std::vector<LegacyCondition> read_all(const Fields& in, std::string_view parameter, Read read) {
    std::vector<LegacyCondition> conditions;
    const auto map = in.map(parameter);
    if (!map) {
        return conditions;
    }
    for (const auto& [name, json] : *map) {
        auto& condition = conditions.emplace_back();
        condition.attribute = name;
        if (auto checked = check_attribute_name(name); !checked) {
            in.problems().later(std::move(checked).error());
        }
        const Fields fields(
            in.problems(), json, in.path_of(parameter) + "." + condition.attribute + ".member."
        );
        if (auto checked = read(fields, condition); !checked) {
            in.problems().later(std::move(checked).error());
        }
    }
    return conditions;
}

bool is_indexable(Comparison comparison) {
    switch (comparison) {
        case Comparison::kNotEqual:
        case Comparison::kNull:
        case Comparison::kNotNull:
        case Comparison::kContains:
        case Comparison::kNotContains:
        case Comparison::kIn:
            return false;
        default:
            return true;
    }
}

}  // namespace

std::vector<LegacyCondition> read_filter(const Fields& in, std::string_view parameter) {
    return read_all(in, parameter, read_filter_condition);
}

std::vector<LegacyCondition> read_expected(const Fields& in) {
    return read_all(in, "Expected", read_expected_condition);
}

std::vector<LegacyCondition> read_key_conditions(const Fields& in) {
    constexpr std::size_t kMaxConditions = 2;
    auto conditions = read_all(in, "KeyConditions", read_filter_condition);
    if (!in.has("KeyConditions")) {
        return conditions;
    }
    if (conditions.empty() || conditions.size() > kMaxConditions) {
        in.problems().later(validation_error("Conditions can be of length 1 or 2 only"));
    }
    for (const auto& condition : conditions) {
        if (!is_indexable(condition.comparison)) {
            in.problems().later(
                validation_error("Attempted conditional constraint is not an indexable operation")
            );
        }
    }
    return conditions;
}

}  // namespace gateleg::api::dynamodb

#include <algorithm>

#include "api/dynamodb/read_request.h"
#include "api/dynamodb/table_arns.h"
#include "dynamo/table_settings.h"

namespace gateleg::api::dynamodb {
namespace {

bool is_name_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
}

}  // namespace

Result<std::string> read_table_name(const Fields& in, std::size_t min_length) {
    constexpr std::size_t kMaxLength = 255;
    auto name = in.text("TableName");
    if (name) {
        name = table_of_arn(*name);
    }
    Problems own;
    const auto path = in.path_of("TableName");
    if (!name) {
        // A wrong JSON type, if that is why, was noted as a serialization problem of the request.
        GATELEG_TRY(in.problems().check());
        own.constraint_on_null(path);
    } else if (!std::all_of(name->begin(), name->end(), is_name_character)) {
        own.constraint(
            *name, path, "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
        );
    } else if (name->size() < min_length) {
        own.constraint(
            *name,
            path,
            "Member must have length greater than or equal to " + std::to_string(min_length)
        );
    } else if (name->size() > kMaxLength) {
        own.constraint(
            *name,
            path,
            "Member must have length less than or equal to " + std::to_string(kMaxLength)
        );
    }
    GATELEG_TRY(own.check());
    return *std::move(name);
}

dynamo::Placeholders read_placeholders(const Fields& in) {
    dynamo::Placeholders placeholders;
    if (const auto names = in.map("ExpressionAttributeNames")) {
        auto& list = placeholders.names.emplace();
        for (const auto& [key, json] : *names) {
            std::string_view name;
            if (json.get_string().get(name) != simdjson::SUCCESS) {
                in.problems().serialization("Unexpected value type in ExpressionAttributeNames");
            }
            list.emplace_back(key, name);
        }
        if (list.empty()) {
            in.problems().later(validation_error("ExpressionAttributeNames must not be empty"));
        }
    }
    placeholders.values = in.values("ExpressionAttributeValues", value::MapOf::kExpressionValues);
    if (placeholders.values && placeholders.values->view().count() == 0) {
        in.problems().later(validation_error("ExpressionAttributeValues must not be empty"));
    }
    return placeholders;
}

dynamo::ReturnCapacity read_return_capacity(const Fields& in) {
    using dynamo::ReturnCapacity;
    return in
        .choice<ReturnCapacity>(
            "ReturnConsumedCapacity",
            {{"NONE", ReturnCapacity::kNone},
             {"TOTAL", ReturnCapacity::kTotal},
             {"INDEXES", ReturnCapacity::kIndexes}},
            "[INDEXES, TOTAL, NONE]"
        )
        .value_or(ReturnCapacity::kNone);
}

bool read_return_collection_metrics(const Fields& in) {
    return in
        .choice<bool>(
            "ReturnItemCollectionMetrics", {{"NONE", false}, {"SIZE", true}}, "[SIZE, NONE]"
        )
        .value_or(false);
}

bool read_return_old_on_failure(const Fields& in) {
    return in
        .choice<bool>(
            "ReturnValuesOnConditionCheckFailure",
            {{"NONE", false}, {"ALL_OLD", true}},
            "[ALL_OLD, NONE]"
        )
        .value_or(false);
}

std::optional<std::int64_t> read_time(const Fields& in, std::string_view name) {
    const auto found = in.find(name);
    if (!found) {
        return std::nullopt;
    }
    double seconds = 0;
    constexpr double kMax = 1e12;
    if (found->get_double().get(seconds) != simdjson::SUCCESS || seconds < 0 || seconds > kMax) {
        in.problems().serialization("Unexpected value type for a time");
        return std::nullopt;
    }
    return static_cast<std::int64_t>(seconds * 1000);
}

Result<void> check_resource_policy(const std::string& text) {
    const auto refuse = [](const std::string& why) {
        return validation_error("One or more parameter values were invalid: " + why);
    };
    const auto invalid = [&](const std::string& why) {
        return refuse("Invalid policy document: " + why);
    };
    if (text.size() > dynamo::kMaxPolicyBytes) {
        return refuse(
            "Maximum policy size of " + std::to_string(dynamo::kMaxPolicyBytes) + " bytes exceeded"
        );
    }
    dom::parser parser;  // the request's own is in use
    dom::element root;
    if (parser.parse(text).get(root) != simdjson::SUCCESS || root.is_array()) {
        return invalid("This policy contains invalid Json");
    }
    if (!root.is_object()) {
        return invalid("This text appears not to be a policy");
    }
    dom::element statement;
    if (root["Statement"].get(statement) != simdjson::SUCCESS) {
        return invalid("Syntax error at position (1," + std::to_string(text.size() + 1) + ")");
    }
    const auto check = [&](dom::element each) -> Result<void> {
        for (const std::string_view field : {"Effect", "Resource"}) {
            if (each[field].error() != simdjson::SUCCESS) {
                return invalid("Missing required field " + std::string(field));
            }
        }
        return {};
    };
    dom::array list;
    if (statement.get(list) != simdjson::SUCCESS) {
        return check(statement);
    }
    if (list.size() == 0) {
        return invalid("Could not parse the policy: Statement is empty!");
    }
    for (const auto each : list) {
        GATELEG_TRY(check(each));
    }
    return {};
}

}  // namespace gateleg::api::dynamodb

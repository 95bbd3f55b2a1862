#include "partiql/errors.h"

#include <array>

#include "dynamo/named_error.h"

namespace gateleg::partiql {

Error malformed(std::string_view detail) {
    return validation_error(
        "Statement wasn't well formed, can't be processed: " + std::string(detail)
    );
}

std::string at(const Position& position) {
    return " at " + std::to_string(position.line) + ":" + std::to_string(position.column) + ":" +
           std::to_string(position.length);
}

Error missing_key_equality() {
    return validation_error(
        "Where clause does not contain a mandatory equality on all key attributes"
    );
}

Error parameter_count_differs() {
    return validation_error("Number of parameters in request and statement don't match.");
}

Error unrecognized_function(const Expr& call) {
    return validation_error("Unrecognized function: " + call.text + at(call.at));
}

Error unexpected_component(const Position& position) {
    return validation_error("Unexpected path component" + at(position));
}

Error duplicate_item() {
    return dynamo::named_error(
        ErrorCode::kConditionalCheckFailed,
        "DuplicateItemException",
        "Duplicate primary key exists in table"
    );
}

Error in_statement_words(Error error) {
    constexpr std::array<std::string_view, 4> kPrefixes = {
        "Invalid ConditionExpression: ",
        "Invalid FilterExpression: ",
        "Invalid KeyConditionExpression: ",
        "Invalid UpdateExpression: ",
    };
    for (const auto prefix : kPrefixes) {
        if (error.message.starts_with(prefix)) {
            error.message.erase(0, prefix.size());
        }
    }
    return error;
}

}  // namespace gateleg::partiql

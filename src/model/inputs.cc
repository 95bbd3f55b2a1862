#include "model/inputs.h"

#include <algorithm>

#include "model/item_codec.h"

namespace gateleg::model {
namespace {

Spelling spelling_of(const Operation& operation, const std::string& name) {
    const auto has = [&](const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (const auto& route : operation.routes) {
        const bool fixed =
            std::any_of(route.fixed.begin(), route.fixed.end(), [&](const auto& one) {
                return one.first == name;
            });
        const bool in_query = route.method == "GET" || route.method == "DELETE";
        if (fixed || in_query || has(route.path_inputs) || has(route.query)) {
            return Spelling::kText;
        }
    }
    return Spelling::kJson;
}

}  // namespace

CallResult<Nothing> read_inputs(
    const Operation& operation,
    const OperationCall& call,
    Environment& environment,
    std::set<std::string, std::less<>>& given
) {
    FieldErrors errors;
    std::set<std::string, std::less<>> bad;
    auto& variables = environment.variables;
    for (const auto& [name, value] : call.arguments) {
        const auto* input = operation.find_input(name);
        if (input == nullptr) {
            errors.unknown(name);
            continue;
        }
        auto stored =
            read_value(input->attribute, value, spelling_of(operation, name), name, errors);
        if (stored) {
            variables[name] = from_stored(*stored, &input->attribute);
            given.insert(name);
        } else {
            bad.insert(name);
        }
    }
    for (const auto& input : operation.inputs) {
        const auto& name = input.attribute.name;
        const auto found = variables.find(name);
        if ((given.contains(name) && !is_null(found->second)) || bad.contains(name)) {
            continue;
        }
        // A borrowed default is that of the item, which applies it when it is put.
        if (input.attribute.default_value && input.borrowed == nullptr) {
            GATELEG_CALL_TRY_ASSIGN(
                auto value, evaluate(*input.attribute.default_value, environment)
            );
            variables[name] = std::move(value);
        } else if (input.attribute.required) {
            errors.invalid(name, "is required");
        } else {
            variables[name] = null_value();
        }
    }
    if (!errors.empty()) {
        return errors.to_error();
    }
    return Nothing{};
}

}  // namespace gateleg::model

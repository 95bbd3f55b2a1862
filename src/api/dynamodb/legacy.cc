#include "api/dynamodb/legacy.h"

#include <algorithm>
#include <array>

#include "api/dynamodb/legacy_names.h"
#include "api/dynamodb/legacy_update.h"
#include "value/types.h"
#include "value/value_writer.h"

namespace gateleg::api::dynamodb {
namespace {

using value::Type;

// What an expression may be; legacy parameters become one.
constexpr std::size_t kMaxTextBytes = 4096;
constexpr std::size_t kMaxOperators = 300;
constexpr std::size_t kMaxInOperands = 100;

// Short, so that as much as possible fits into an expression.
std::string placeholder(char sigil, std::size_t number) {
    constexpr std::string_view kDigits =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::string text;
    do {
        text.insert(text.begin(), kDigits[number % kDigits.size()]);
        number /= kDigits.size();
    } while (number > 0);
    return sigil + text;
}

std::string concat(std::initializer_list<std::string_view> parts) {
    std::string text;
    for (const auto part : parts) {
        text += part;
    }
    return text;
}

void append_to_list(std::string& list, std::string_view separator, std::string_view element) {
    list.append(list.empty() ? "" : separator).append(element);
}

std::string present(const Fields& in, LegacyTranslator::Names names) {
    std::string list;
    for (const auto name : names) {
        if (in.has(name)) {
            append_to_list(list, ", ", name);
        }
    }
    return list;
}

std::string_view symbol(Comparison comparison) {
    switch (comparison) {
        case Comparison::kNotEqual:
            return "<>";
        case Comparison::kLess:
            return "<";
        case Comparison::kLessOrEqual:
            return "<=";
        case Comparison::kGreater:
            return ">";
        case Comparison::kGreaterOrEqual:
            return ">=";
        default:
            return "=";
    }
}

// The clauses of an update expression, each a list of actions.
struct UpdateClauses {
    std::string set;
    std::string remove;
    std::string add;
    std::string del;

    std::string text() const {
        std::string all;
        for (const auto& [word, actions] :
             {std::pair("SET ", &set),
              std::pair("REMOVE ", &remove),
              std::pair("ADD ", &add),
              std::pair("DELETE ", &del)}) {
            if (!actions->empty()) {
                append_to_list(all, " ", word + *actions);
            }
        }
        return all;
    }
};

std::string empty_list() {
    std::string bytes;
    value::ValueWriter writer(bytes);
    writer.end(writer.begin_list(0));
    return bytes;
}

}  // namespace

LegacyTranslator::LegacyTranslator(const Fields& in, Names legacy, Names expressions) : in_(in) {
    in_use_ = std::any_of(legacy.begin(), legacy.end(), [&](auto name) { return in.has(name); });
    if (in_use_) {
        check_mixing(legacy, expressions);
        check_placeholders(expressions);
        read_conditional_operator(legacy);
    }
}

void LegacyTranslator::check_mixing(Names legacy, Names expressions) {
    const auto used_expressions = present(in_, expressions);
    if (!used_expressions.empty()) {
        in_.problems().later(validation_error(
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {" +
            present(in_, legacy) + "} Expression parameters: {" + used_expressions + "}"
        ));
    }
}

// The client's own names and values need an expression of its own.
void LegacyTranslator::check_placeholders(Names expressions) {
    std::string missing;
    std::size_t count = 0;
    for (const auto name : expressions) {
        if (name != "ProjectionExpression" || expressions.size() == 1) {
            append_to_list(missing, " and ", name);
            ++count;
        }
    }
    for (const auto* parameter : {"ExpressionAttributeNames", "ExpressionAttributeValues"}) {
        if (in_.has(parameter)) {
            in_.problems().later(validation_error(
                std::string(parameter) + " can only be specified when using expressions: " +
                missing + (count == 1 ? " is null" : " are null")
            ));
        }
    }
}

void LegacyTranslator::read_conditional_operator(Names legacy) {
    const auto joiner = in_.choice<std::string_view>(
        "ConditionalOperator", {{"AND", " AND "}, {"OR", " OR "}}, "[OR, AND]"
    );
    if (!joiner) {
        return;
    }
    joiner_ = *joiner;
    std::size_t conditions = 0;
    for (const auto name : legacy) {
        if (name == "Expected" || name == "QueryFilter" || name == "ScanFilter") {
            const auto map = in_.map(name);
            conditions += map ? map->size() : 0;
        }
    }
    if (conditions == 0) {
        in_.problems().later(
            validation_error("ConditionalOperator cannot be used without Filter or Expected")
        );
    } else if (conditions == 1) {
        in_.problems().later(validation_error(
            "ConditionalOperator can only be used when Filter or Expected has two or more elements"
        ));
    }
}

std::optional<std::string> LegacyTranslator::attributes_to_get() {
    const auto attributes = read_attributes_to_get(in_);
    if (has_problem()) {
        return std::nullopt;
    }
    std::string text;
    for (const auto attribute : attributes) {
        append_to_list(text, ",", write_name(attribute));
    }
    return limited("AttributesToGet", std::move(text));
}

std::optional<std::string> LegacyTranslator::attribute_updates() {
    auto updates = read_updates(in_);
    if (has_problem()) {
        return std::nullopt;
    }
    UpdateClauses clauses;
    for (auto& update : updates) {
        const auto name = write_name(update.attribute);
        if (!update.value) {
            append_to_list(clauses.remove, ",", name);
            continue;
        }
        const bool is_list = update.type() == Type::kList;
        const auto value = write_value(*std::move(update.value));
        if (update.action == LegacyAction::kPut) {
            append_to_list(clauses.set, ",", concat({name, "=", value}));
        } else if (update.action == LegacyAction::kDelete) {
            append_to_list(clauses.del, ",", concat({name, " ", value}));
        } else if (!is_list) {
            append_to_list(clauses.add, ",", concat({name, " ", value}));
        } else {
            // An expression's ADD does not take lists.
            const auto empty = write_value(empty_list());
            append_to_list(
                clauses.set,
                ",",
                concat({name, "=list_append(if_not_exists(", name, ",", empty, "),", value, ")"})
            );
            operators_ += 2;
        }
    }
    return limited("AttributeUpdates", clauses.text());
}

std::optional<std::string> LegacyTranslator::expected() {
    return join("Expected", read_expected(in_), joiner_);
}

std::optional<std::string> LegacyTranslator::filter(std::string_view parameter) {
    return join(parameter, read_filter(in_, parameter), joiner_);
}

std::optional<std::string> LegacyTranslator::key_conditions() {
    return join("KeyConditions", read_key_conditions(in_), " AND ");
}

std::optional<std::string> LegacyTranslator::join(
    std::string_view parameter,
    const std::vector<LegacyCondition>& conditions,
    std::string_view joiner
) {
    if (has_problem()) {
        return std::nullopt;
    }
    std::string text;
    for (const auto& condition : conditions) {
        append_to_list(text, joiner, write(condition));
        ++operators_;
    }
    return limited(parameter, std::move(text));
}

std::string LegacyTranslator::write(const LegacyCondition& condition) {
    if (condition.comparison == Comparison::kIn) {
        return write_in(condition);
    }
    const auto name = write_name(condition.attribute);
    const auto value = [&](std::size_t i) { return write_value(condition.values[i]); };
    ++operators_;
    switch (condition.comparison) {
        case Comparison::kNull:
            return "attribute_not_exists(" + name + ")";
        case Comparison::kNotNull:
            return "attribute_exists(" + name + ")";
        case Comparison::kContains:
            return "contains(" + name + "," + value(0) + ")";
        case Comparison::kNotContains:
            // An attribute that is not there neither contains a value nor does not contain it.
            operators_ += 3;
            return "attribute_exists(" + name + ") AND NOT contains(" + name + "," + value(0) + ")";
        case Comparison::kBeginsWith:
            return "begins_with(" + name + "," + value(0) + ")";
        case Comparison::kBetween: {
            const auto lower = value(0);
            return name + " BETWEEN " + lower + " AND " + value(1);
        }
        default:
            return name + std::string(symbol(condition.comparison)) + value(0);
    }
}

// An expression's IN takes fewer values than the legacy one.
std::string LegacyTranslator::write_in(const LegacyCondition& condition) {
    const auto name = write_name(condition.attribute);
    std::string text;
    std::string values;
    for (std::size_t i = 0; i < condition.values.size(); ++i) {
        append_to_list(values, ",", write_value(condition.values[i]));
        if ((i + 1) % kMaxInOperands == 0 || i + 1 == condition.values.size()) {
            append_to_list(text, " OR ", name + " IN (" + std::exchange(values, "") + ")");
            operators_ += 2;
        }
    }
    return condition.values.size() > kMaxInOperands ? "(" + text + ")" : text;
}

std::string LegacyTranslator::write_name(std::string_view attribute) {
    return names_.emplace_back(next_placeholder('#', name_count_), attribute).first;
}

std::string LegacyTranslator::write_value(std::string bytes) {
    return values_.emplace_back(next_placeholder(':', value_count_), std::move(bytes)).first;
}

// One that the client has not used.
std::string LegacyTranslator::next_placeholder(char sigil, std::size_t& count) const {
    const auto is_taken = [&](const std::string& text) {
        if (client_ == nullptr) {
            return false;
        }
        if (sigil == ':') {
            return client_->values && client_->values->view().find(text).has_value();
        }
        return client_->names &&
               std::any_of(client_->names->begin(), client_->names->end(), [&](const auto& each) {
                   return each.first == text;
               });
    };
    auto text = placeholder(sigil, count++);
    while (is_taken(text)) {
        text = placeholder(sigil, count++);
    }
    return text;
}

// What is too large for an expression is refused here, where the parameter's name is known.
std::optional<std::string> LegacyTranslator::limited(std::string_view parameter, std::string text) {
    const auto operators = std::exchange(operators_, 0);
    if (text.size() > kMaxTextBytes || operators > kMaxOperators) {
        in_.problems().later(validation_error(
            "One or more parameter values were invalid: Too many elements in " +
            std::string(parameter)
        ));
        return std::nullopt;
    }
    return text.empty() ? std::nullopt : std::optional(std::move(text));
}

bool is_translated(const dynamo::KeysAndAttributes& wanted) {
    if (!wanted.projection || !wanted.placeholders.names) {
        return false;
    }
    std::string text;
    std::size_t count = 0;
    for (const auto& [name, attribute] : *wanted.placeholders.names) {
        if (name != placeholder('#', count++)) {
            return false;
        }
        append_to_list(text, ",", name);
    }
    return text == *wanted.projection;
}

dynamo::Placeholders LegacyTranslator::placeholders() const {
    auto result = client_ == nullptr ? dynamo::Placeholders() : *client_;
    if (!names_.empty()) {
        auto& names = result.names ? *result.names : result.names.emplace();
        names.insert(names.end(), names_.begin(), names_.end());
    }
    if (values_.empty()) {
        return result;
    }
    auto ordered = values_;
    if (result.values) {
        for (const auto& entry : result.values->view().entries()) {
            ordered.emplace_back(entry.name, entry.value.bytes());
        }
    }
    std::sort(ordered.begin(), ordered.end());
    std::string bytes;
    value::ValueWriter writer(bytes);
    const auto mark = writer.begin_map(ordered.size());
    for (const auto& [name, value] : ordered) {
        writer.name(name);
        writer.copy(value::ValueView(value.data()));
    }
    writer.end(mark);
    result.values = value::EncodedItem(std::move(bytes));
    return result;
}

Error in_legacy_words(Error error) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kWords = {{
        {"An operand in the update expression has an incorrect data type",
         "Type mismatch for attribute to update"},
        {"The update expression attempted to",
         "One or more parameter values were invalid: AttributeUpdates attempted to"},
        {"Filter Expression can only", "QueryFilter can only"},
        {"Cannot specify the ProjectionExpression", "Cannot specify the AttributesToGet"},
    }};
    for (const auto& [ours, theirs] : kWords) {
        if (error.code == ErrorCode::kValidation && error.message.starts_with(ours)) {
            error.message.replace(0, ours.size(), theirs);
            break;
        }
    }
    return error;
}

}  // namespace gateleg::api::dynamodb

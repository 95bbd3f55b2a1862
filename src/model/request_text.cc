#include "model/request_text.h"

#include <algorithm>

#include "model/item_codec.h"

namespace gateleg::model {
namespace {

void extend(std::string& clause, std::string_view verb, std::string text) {
    clause += clause.empty() ? std::string(verb) + " " : ", ";
    clause += text;
}

}  // namespace

void RequestText::require(const BoundCondition& condition) {
    if (condition.constant) {
        if (!*condition.constant) {
            // Known to fail: the refusal then names the outcome, as if the table had found it.
            const auto key = name(table_.key.partition.name);
            require("attribute_exists(" + key + ") AND attribute_not_exists(" + key + ")");
        }
        return;
    }
    conditions_.push_back(condition.text);
    names_.insert(condition.names.begin(), condition.names.end());
    values_.insert(condition.values.begin(), condition.values.end());
    next_bound_ = std::max(next_bound_, condition.next);
}

std::string RequestText::existence(bool exists) {
    const auto key = name(table_.key.partition.name);
    if (table_.ttl.empty()) {
        return (exists ? "attribute_exists(" : "attribute_not_exists(") + key + ")";
    }
    const auto ttl = name(table_.ttl);
    const auto now = value({value::Number::from_int(now_millis_ / 1000)});
    if (exists) {
        return "attribute_exists(" + key + ") AND (attribute_not_exists(" + ttl + ") OR " + ttl +
               " > " + now + ")";
    }
    return "(attribute_not_exists(" + key + ") OR " + ttl + " <= " + now + ")";
}

std::string RequestText::unchanged(
    const std::string& attribute, const value::AttributeValue* seen
) {
    if (seen != nullptr && !is_null(*seen)) {
        return equals(attribute, *seen);
    }
    const auto place = name(attribute);
    return "(attribute_not_exists(" + place + ") OR attribute_type(" + place + ", " +
           value({std::string("NULL")}) + "))";
}

std::string RequestText::equals(const std::string& attribute, const value::AttributeValue& wanted) {
    return name(attribute) + " = " + value(wanted);
}

void RequestText::set(const std::string& attribute, const value::AttributeValue& to) {
    extend(sets_, "SET", name(attribute) + " = " + value(to));
}

void RequestText::set_if_absent(const std::string& attribute, const value::AttributeValue& to) {
    const auto place = name(attribute);
    extend(sets_, "SET", place + " = if_not_exists(" + place + ", " + value(to) + ")");
}

void RequestText::remove(const std::string& attribute) {
    extend(removes_, "REMOVE", name(attribute));
}

void RequestText::add(const std::string& attribute, const value::Number& number) {
    extend(adds_, "ADD", name(attribute) + " " + value({number}));
}

void RequestText::append(const std::string& attribute, const value::List& list) {
    const auto place = name(attribute);
    extend(
        sets_,
        "SET",
        place + " = list_append(if_not_exists(" + place + ", " + value({value::List{}}) + "), " +
            value({list}) + ")"
    );
}

void RequestText::finish(Write& write) && {
    for (const auto& condition : conditions_) {
        write.condition += (write.condition.empty() ? "" : " AND ") + condition;
    }
    for (const auto* clause : {&sets_, &removes_, &adds_}) {
        if (!clause->empty()) {
            write.update += (write.update.empty() ? "" : " ") + *clause;
        }
    }
    write.names = std::move(names_);
    write.values = std::move(values_);
}

std::string RequestText::name(const std::string& attribute) {
    for (const auto& [placeholder, known] : names_) {
        if (known == attribute) {
            return placeholder;
        }
    }
    auto placeholder = "#p" + std::to_string(next_++);
    names_[placeholder] = attribute;
    return placeholder;
}

std::string RequestText::value(const value::AttributeValue& wanted) {
    for (const auto& [placeholder, known] : values_) {
        if (known == wanted) {
            return placeholder;
        }
    }
    auto placeholder = ":p" + std::to_string(next_++);
    values_[placeholder] = wanted;
    return placeholder;
}

}  // namespace gateleg::model

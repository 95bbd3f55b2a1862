#include "model/schema.h"

#include <algorithm>

#include <re2/re2.h>

namespace gateleg::model {
namespace {

template <class Things>
auto find_named(const Things& things, std::string_view name) -> decltype(things.data()) {
    for (const auto& thing : things) {
        if (thing.name == name) {
            return &thing;
        }
    }
    return nullptr;
}

template <class Assignments>
bool assigns(const Assignments& assignments, std::string_view attribute) {
    return std::any_of(assignments.begin(), assignments.end(), [&](const auto& one) {
        return one.attribute == attribute;
    });
}

// A pattern is taken to exclude '#' when none of these texts gets through.
bool pattern_allows_hash(const re2::RE2& regex) {
    for (const char* text : {"#", "a#", "#a", "a#a", "aaa#aaa", "1#1", "a@a#a", "a@a.a#", "a:a#"}) {
        if (re2::RE2::PartialMatch(text, regex)) {
            return true;
        }
    }
    return false;
}

}  // namespace

const Index* Table::find_index(std::string_view index) const {
    return find_named(indexes, index);
}

bool Table::is_primary_key(std::string_view attribute) const {
    return key.partition.name == attribute || (key.sort && key.sort->name == attribute);
}

bool Table::is_key_attribute(std::string_view attribute) const {
    return is_primary_key(attribute) ||
           std::any_of(indexes.begin(), indexes.end(), [&](const Index& index) {
               return index.key.partition.name == attribute ||
                      (index.key.sort && index.key.sort->name == attribute);
           });
}

std::string_view attribute_type_name(AttributeType type) {
    switch (type) {
        case AttributeType::kString:
            return "string";
        case AttributeType::kInteger:
            return "integer";
        case AttributeType::kNumber:
            return "number";
        case AttributeType::kBoolean:
            return "boolean";
        case AttributeType::kTimestamp:
            return "timestamp";
        case AttributeType::kEpochSeconds:
            return "epoch_s";
        case AttributeType::kEpochMillis:
            return "epoch_ms";
        case AttributeType::kUlid:
            return "ulid";
        case AttributeType::kUuid:
            return "uuid";
        case AttributeType::kEnum:
            return "enum";
        case AttributeType::kList:
            return "list";
        case AttributeType::kMap:
            return "map";
        case AttributeType::kSet:
            return "set";
        case AttributeType::kBinary:
            return "binary";
        case AttributeType::kAny:
            return "any";
    }
    return "";
}

bool is_time(AttributeType type) {
    return type == AttributeType::kTimestamp || type == AttributeType::kEpochSeconds ||
           type == AttributeType::kEpochMillis;
}

bool is_numeric(AttributeType type) {
    return type == AttributeType::kInteger || type == AttributeType::kNumber;
}

bool is_text(AttributeType type) {
    return type == AttributeType::kString || type == AttributeType::kUlid ||
           type == AttributeType::kUuid || type == AttributeType::kEnum;
}

const Attribute* Attribute::find_field(std::string_view field) const {
    return find_named(fields, field);
}

KeyValueType key_value_type(const Attribute& attribute) {
    using Kind = KeyValueType::Kind;
    KeyValueType type;
    switch (attribute.type) {
        case AttributeType::kInteger:
        case AttributeType::kNumber:
            type.kind = Kind::kNumber;
            break;
        case AttributeType::kBoolean:
            type.kind = Kind::kBoolean;
            if (attribute.spelling) {
                type.true_text = attribute.spelling->first;
                type.false_text = attribute.spelling->second;
            }
            break;
        case AttributeType::kTimestamp:
            type.kind = attribute.whole_seconds ? Kind::kTimestampSeconds : Kind::kTimestampMillis;
            break;
        case AttributeType::kEpochSeconds:
            type.kind = Kind::kEpochSeconds;
            break;
        case AttributeType::kEpochMillis:
            type.kind = Kind::kEpochMillis;
            break;
        case AttributeType::kUlid:
        case AttributeType::kUuid:
            type.may_hold_hash = false;
            break;
        case AttributeType::kEnum:
            type.values = attribute.values;
            break;
        case AttributeType::kString:
        case AttributeType::kList:
        case AttributeType::kMap:
        case AttributeType::kSet:
        case AttributeType::kBinary:
        case AttributeType::kAny:
            break;
    }
    if (attribute.regex && type.kind == Kind::kText) {
        type.may_hold_hash = pattern_allows_hash(*attribute.regex);
    }
    return type;
}

Type type_of(const Attribute& attribute) {
    switch (attribute.type) {
        case AttributeType::kInteger:
        case AttributeType::kNumber:
            return {ValueKind::kNumber, &attribute};
        case AttributeType::kBoolean:
            return {ValueKind::kBoolean, &attribute};
        case AttributeType::kTimestamp:
        case AttributeType::kEpochSeconds:
        case AttributeType::kEpochMillis:
            return {ValueKind::kTime, &attribute};
        case AttributeType::kString:
        case AttributeType::kUlid:
        case AttributeType::kUuid:
        case AttributeType::kEnum:
            return {ValueKind::kText, &attribute};
        case AttributeType::kList:
            return {ValueKind::kList, &attribute};
        case AttributeType::kMap:
            return {ValueKind::kMap, &attribute};
        case AttributeType::kSet:
            return {ValueKind::kSet, &attribute};
        case AttributeType::kBinary:
            return {ValueKind::kBinary, &attribute};
        case AttributeType::kAny:
            break;
    }
    return {ValueKind::kAny, &attribute};
}

std::string Outcome::name() const {
    switch (kind) {
        case Kind::kError:
            return error;
        case Kind::kUnchanged:
            return "unchanged";
        case Kind::kSkip:
            return "skip";
        case Kind::kRetry:
            return "retry";
    }
    return {};
}

std::string_view verb_name(Verb verb) {
    switch (verb) {
        case Verb::kPut:
            return "put";
        case Verb::kUpdate:
            return "update";
        case Verb::kUpsert:
            return "upsert";
        case Verb::kDelete:
            return "delete";
        case Verb::kCheck:
            return "check";
    }
    return "";
}

bool Step::names(std::string_view attribute) const {
    return assigns(set, attribute) || assigns(add, attribute) || assigns(append, attribute) ||
           find_named(copy, attribute) != nullptr;
}

const Attribute* Entity::find_attribute(std::string_view attribute) const {
    return find_named(attributes, attribute);
}

const KeyRule* Entity::find_key(std::string_view key) const {
    for (const auto& rule : keys) {
        if (rule.attribute == key) {
            return &rule;
        }
    }
    return nullptr;
}

bool Entity::in_index(const KeySchema& key) const {
    return find_key(key.partition.name) != nullptr &&
           (!key.sort || find_key(key.sort->name) != nullptr);
}

std::vector<std::string> key_variables(const Entity& entity, const KeySchema& key) {
    std::vector<std::string> names;
    const auto add = [&](const KeyAttribute& attribute) {
        const auto* rule = entity.find_key(attribute.name);
        if (rule == nullptr) {
            return;
        }
        for (const auto* variable : rule->key_template.variables()) {
            if (std::find(names.begin(), names.end(), variable->name) == names.end()) {
                names.push_back(variable->name);
            }
        }
    };
    add(key.partition);
    if (key.sort) {
        add(*key.sort);
    }
    return names;
}

std::string Access::text() const {
    switch (kind) {
        case Kind::kAnyone:
            return "anyone";
        case Kind::kSignedIn:
            return "signed_in";
        case Kind::kInternal:
            return "internal";
        case Kind::kRole:
            break;
    }
    std::string text = "role(";
    for (const auto& role : roles) {
        text += (text.back() == '(' ? "" : ", ") + role;
    }
    return text + ")";
}

const Input* Operation::find_input(std::string_view input) const {
    for (const auto& one : inputs) {
        if (one.attribute.name == input) {
            return &one;
        }
    }
    return nullptr;
}

const Read* Operation::find_read(std::string_view read) const {
    return find_named(reads, read);
}

const Entity* Model::find_entity(std::string_view entity) const {
    return find_named(entities, entity);
}
const Pattern* Model::find_pattern(std::string_view pattern) const {
    return find_named(patterns, pattern);
}
const Operation* Model::find_operation(std::string_view operation) const {
    return find_named(operations, operation);
}
const Constant* Model::find_constant(std::string_view constant) const {
    return find_named(constants, constant);
}

int Model::error_status(std::string_view error) const {
    for (const auto& [listed, status] : errors) {
        if (listed == error) {
            return status;
        }
    }
    return error.ends_with("NotFound") ? 404 : 409;
}

}  // namespace gateleg::model

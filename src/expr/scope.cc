#include "expr/scope.h"

#include <algorithm>
#include <cstddef>

#include "expr/errors.h"

namespace gateleg::expr {
namespace {

constexpr std::size_t kMaxPlaceholderBytes = 255;
constexpr std::size_t kMaxNameBytes = 65535;

bool is_placeholder(std::string_view key, char sigil) {
    return key.size() > 1 && key.front() == sigil &&
           std::all_of(key.begin() + 1, key.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_';
           });
}

Result<void> check_key(std::string_view map, std::string_view key, char sigil) {
    if (key.size() > kMaxPlaceholderBytes) {
        return validation_error(concat({
            map,
            " contains invalid key: The expression attribute map contains a key that is too long; "
            "size of key: ",
            std::to_string(key.size()),
        }));
    }
    if (!is_placeholder(key, sigil)) {
        return validation_error(
            concat({map, " contains invalid key: Syntax error; key: \"", key, "\""})
        );
    }
    return {};
}

Error unused(std::string_view map, const std::vector<std::string_view>& keys) {
    std::string list;
    for (const auto key : keys) {
        list += list.empty() ? "" : ", ";
        list += key;
    }
    return validation_error(
        concat({"Value provided in ", map, " unused in expressions: keys: {", list, "}"})
    );
}

}  // namespace

Scope::Scope(const Names* names, std::optional<value::ValueView> values)
    : names_(names),
      values_(values),
      used_names_(names == nullptr ? 0 : names->size()),
      used_values_(values ? values->count() : 0) {}

std::optional<std::string_view> Scope::find_name(std::string_view placeholder) {
    for (std::size_t i = 0; i < used_names_.size(); ++i) {
        if ((*names_)[i].first == placeholder) {
            used_names_[i] = true;
            return (*names_)[i].second;
        }
    }
    return std::nullopt;
}

std::optional<value::ValueView> Scope::find_value(std::string_view placeholder) {
    if (!values_) {
        return std::nullopt;
    }
    std::size_t i = 0;
    for (const auto entry : values_->entries()) {
        if (entry.name == placeholder) {
            used_values_[i] = true;
            return entry.value;
        }
        ++i;
    }
    return std::nullopt;
}

Result<void> Scope::check_all_used() const {
    std::vector<std::string_view> keys;
    for (std::size_t i = 0; i < used_names_.size(); ++i) {
        if (!used_names_[i]) {
            keys.push_back((*names_)[i].first);
        }
    }
    if (!keys.empty()) {
        return unused("ExpressionAttributeNames", keys);
    }
    if (std::find(used_values_.begin(), used_values_.end(), false) == used_values_.end()) {
        return {};
    }
    std::size_t i = 0;
    for (const auto entry : values_->entries()) {
        if (!used_values_[i++]) {
            keys.push_back(entry.name);
        }
    }
    return unused("ExpressionAttributeValues", keys);
}

Result<void> check_names(const Scope::Names& names) {
    if (names.empty()) {
        return validation_error("ExpressionAttributeNames must not be empty");
    }
    for (const auto& [key, name] : names) {
        GATELEG_TRY(check_key("ExpressionAttributeNames", key, '#'));
        if (name.empty()) {
            return validation_error(concat({
                "ExpressionAttributeNames contains invalid value: Empty attribute name for key ",
                key,
            }));
        }
        if (name.size() > kMaxNameBytes) {
            return validation_error(concat({
                "ExpressionAttributeNames contains invalid value: Attribute name is too large, "
                "must be less than 65536 bytes for key ",
                key,
            }));
        }
    }
    return {};
}

Result<void> check_value_names(value::ValueView values) {
    if (values.count() == 0) {
        return validation_error("ExpressionAttributeValues must not be empty");
    }
    for (const auto entry : values.entries()) {
        GATELEG_TRY(check_key("ExpressionAttributeValues", entry.name, ':'));
    }
    return {};
}

}  // namespace gateleg::expr

#include "model/native.h"

#include <algorithm>
#include <charconv>

#include "value/number.h"

namespace gateleg::model {
namespace {

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string text_in(const value::AttributeValue* found) {
    const auto* text = found != nullptr ? std::get_if<std::string>(&found->data) : nullptr;
    return text != nullptr ? *text : std::string();
}

std::optional<std::int64_t> integer_in(const value::AttributeValue* found) {
    const auto* number = found != nullptr ? std::get_if<value::Number>(&found->data) : nullptr;
    if (number == nullptr) {
        return std::nullopt;
    }
    const auto text = number->to_text();
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
    const bool good = error == std::errc() && end == text.data() + text.size();
    return good ? std::optional(whole) : std::nullopt;
}

// Also the spelling of a boolean that is kept as text.
bool flag_in(const value::AttributeValue* found) {
    if (found == nullptr) {
        return false;
    }
    const auto* flag = std::get_if<bool>(&found->data);
    return flag != nullptr ? *flag : text_in(found) == "true";
}

const value::AttributeValue* find_in(const value::Item& item, std::string_view attribute) {
    const auto found = item.find(attribute);
    return found == item.end() ? nullptr : &found->second;
}

}  // namespace

std::string_view RequestFacts::header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
        if (std::equal(key.begin(), key.end(), name.begin(), name.end(), [](char a, char b) {
                return lower(a) == lower(b);
            })) {
            return value;
        }
    }
    return {};
}

const value::AttributeValue* NativeCall::find(std::string_view name) const {
    const auto found = arguments.find(name);
    return found == arguments.end() ? nullptr : &found->second;
}

std::string NativeCall::text(std::string_view name) const {
    return text_in(find(name));
}

std::optional<std::int64_t> NativeCall::integer(std::string_view name) const {
    return integer_in(find(name));
}

bool NativeCall::flag(std::string_view name) const {
    return flag_in(find(name));
}

std::string_view NativeCall::header(std::string_view name) const {
    return original.request != nullptr ? original.request->header(name) : std::string_view();
}

std::string NativeCall::remote_address() const {
    return original.request != nullptr ? original.request->remote_address : std::string();
}

Caller internal_caller() {
    return {.internal = true};
}

Caller internal_caller(std::string user) {
    Caller caller{.user = user, .internal = true};
    caller.viewer = std::move(user);
    return caller;
}

value::AttributeValue text(std::string value) {
    return {std::move(value)};
}

value::AttributeValue number(std::int64_t value) {
    return {value::Number::from_int(value)};
}

value::AttributeValue boolean(bool value) {
    return {value};
}

std::string text_of(const value::Item& item, std::string_view attribute) {
    return text_in(find_in(item, attribute));
}

std::optional<std::int64_t> integer_of(const value::Item& item, std::string_view attribute) {
    return integer_in(find_in(item, attribute));
}

bool flag_of(const value::Item& item, std::string_view attribute) {
    return flag_in(find_in(item, attribute));
}

}  // namespace gateleg::model

// Which template made the keys of some items. Used by infer.cc only.

#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "value/attribute_value.h"

namespace gateleg::model {

// "USER#7" -> "USER", "7"; the separator is that of the table.
std::vector<std::string> split_key(std::string_view text, char separator);
// What most keys of the table are put together with.
char find_separator(const std::vector<value::Item>& items, const std::vector<std::string>& keys);

// Letters, '_' and '-' only: written by a programmer, not by a user.
bool is_key_word(std::string_view text);
bool is_upper_word(std::string_view text);
// Text, number or boolean as a template without a format writes it; nothing for other types.
std::optional<std::string> key_text(const value::AttributeValue& value);
// 1 for "2025-03-01T10:20:30.400Z", 2 for the same without a fraction, else 0.
int timestamp_kind(std::string_view text);

struct KeyGuess {
    std::string text;  // the template
    // Attributes in it, with the type they then must have; "" leaves it as it is.
    std::map<std::string, std::string> attributes;
    // Variables that no attribute holds: they exist in the key only.
    std::vector<std::string> key_only;
};

struct GuessRequest {
    std::string_view key;  // the key attribute
    char separator = '#';
    std::set<std::string, std::less<>> not_these;  // attributes that are no variables: keys, marker
    bool may_invent = false;                       // variables that no attribute holds
    std::string_view fallback = "id";  // name of such a variable when no word stands before it
};

// The template that makes the key of every item, or nothing. Values of invented variables are added
// to the items, so that the next key can be made from them.
std::optional<KeyGuess> guess_key(std::vector<value::Item>& items, const GuessRequest& request);

}  // namespace gateleg::model

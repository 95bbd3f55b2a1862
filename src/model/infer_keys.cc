#include "model/infer_keys.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "model/client_surface.h"
#include "model/key_template.h"

namespace gateleg::model {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// So many equal texts are no accident.
constexpr std::size_t kEnoughItems = 3;
constexpr std::size_t kMaxPadding = 37;

std::string lower_case(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return out;
}

bool is_digits(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view without_zeros(std::string_view text) {
    while (text.size() > 1 && text.front() == '0') {
        text.remove_prefix(1);
    }
    return text;
}

// How a date stands in a key, and how much of a timestamp that is.
struct DateShape {
    std::string_view format;
    std::string_view from_timestamp;  // the same with the timestamp's own dashes
    bool dashes;
};
constexpr std::array<DateShape, 4> kDates = {{
    {"%Y-%m-%d", "0000-00-00", true},
    {"%Y-%m", "0000-00", true},
    {"%Y%m%d", "0000-00-00", false},
    {"%Y%m", "0000-00", false},
}};

bool is_date_of(std::string_view text, const DateShape& shape, std::string_view timestamp) {
    std::string date(timestamp.substr(0, shape.from_timestamp.size()));
    if (!shape.dashes) {
        date.erase(std::remove(date.begin(), date.end(), '-'), date.end());
    }
    return text == date;
}

class Column {
public:
    Column(const std::vector<value::Item>& items, const Rows& rows, std::size_t at)
        : items_(items), rows_(rows), at_(at) {}

    const std::string& first() const { return rows_.front()[at_]; }
    const std::string& text(std::size_t row) const { return rows_[row][at_]; }
    bool is_constant() const {
        return std::all_of(rows_.begin(), rows_.end(), [&](const auto& row) {
            return row[at_] == first();
        });
    }
    bool has_empty() const {
        return std::any_of(rows_.begin(), rows_.end(), [&](const auto& row) {
            return row[at_].empty();
        });
    }

    // "{name}" or "{name:format}" if the attribute makes the column in every item; its type then.
    struct Match {
        std::string variable;
        std::string type;
    };
    std::optional<Match> match(const std::string& attribute) const {
        if (every(attribute, [](const std::string& text, const std::string& value, auto&) {
                return text == value;
            })) {
            return Match{"{" + attribute + "}", ""};
        }
        if (auto padded = match_padded(attribute)) {
            return padded;
        }
        for (const auto& shape : kDates) {
            int kind = 0;
            if (every(attribute, [&](const std::string& text, const std::string& value, auto&) {
                    const auto this_kind = timestamp_kind(value);
                    kind = kind == 0 ? this_kind : kind;
                    return this_kind != 0 && this_kind == kind && is_date_of(text, shape, value);
                })) {
                return Match{"{" + attribute + ":" + std::string(shape.format) + "}", ""};
            }
        }
        return std::nullopt;
    }

private:
    std::optional<Match> match_padded(const std::string& attribute) const {
        const auto width = first().size();
        const bool fits =
            width > 1 && width <= kMaxPadding &&
            every(attribute, [&](const std::string& text, const std::string& value, auto& stored) {
                return std::holds_alternative<value::Number>(stored.data) && is_digits(value) &&
                       text.size() == width && is_digits(text) && without_zeros(text) == value;
            });
        if (!fits) {
            return std::nullopt;
        }
        return Match{
            "{" + attribute + ":0" + std::to_string(width) + "}",
            "{ type: integer!, min: 0, max: " + std::string(width, '9') + " }"};
    }

    template <class Fits>
    bool every(const std::string& attribute, Fits fits) const {
        for (std::size_t row = 0; row < items_.size(); ++row) {
            const auto found = items_[row].find(attribute);
            if (found == items_[row].end()) {
                return false;
            }
            const auto value = key_text(found->second);
            if (!value || !fits(text(row), *value, found->second)) {
                return false;
            }
        }
        return true;
    }

    const std::vector<value::Item>& items_;
    const Rows& rows_;
    std::size_t at_;
};

// The attributes of the first item, those first whose name goes with the word before the column.
std::vector<std::string> candidates(
    const value::Item& item, const GuessRequest& request, std::string_view word
) {
    std::vector<std::string> names;
    for (const auto& [name, value] : item) {
        if (name != request.key && is_plain_identifier(name) && name != "shard" &&
            !request.not_these.contains(name)) {
            names.push_back(name);
        }
    }
    const auto near = lower_case(word);
    std::stable_sort(names.begin(), names.end(), [&](const auto& left, const auto& right) {
        const auto goes = [&](const std::string& name) {
            return !near.empty() && lower_case(name).find(near) != std::string::npos;
        };
        return goes(left) && !goes(right);
    });
    return names;
}

std::string invented_name(
    const std::vector<value::Item>& items, const GuessRequest& request, std::string_view word
) {
    const auto base =
        is_key_word(word) ? camel_case(lower_case(word)) + "Id" : std::string(request.fallback);
    const auto is_taken = [&](const std::string& name) {
        return request.not_these.contains(name) ||
               std::any_of(items.begin(), items.end(), [&](const value::Item& item) {
                   return item.contains(name);
               });
    };
    auto name = base;
    for (int again = 2; is_taken(name); ++again) {
        name = base + std::to_string(again);
    }
    return name;
}

bool is_literal(const Column& column, std::size_t at, std::size_t columns, std::size_t items) {
    const auto& text = column.first();
    if (!column.is_constant() || (!text.empty() && !is_key_word(text))) {
        return false;
    }
    // A word at the beginning names the kind; elsewhere one item proves little.
    return text.empty() || at == 0 || is_upper_word(text) || columns == 1 || items >= kEnoughItems;
}

}  // namespace

std::vector<std::string> split_key(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

char find_separator(const std::vector<value::Item>& items, const std::vector<std::string>& keys) {
    std::map<char, std::size_t> counts;
    for (const auto& item : items) {
        for (const auto& key : keys) {
            const auto found = item.find(key);
            const auto* text =
                found == item.end() ? nullptr : std::get_if<std::string>(&found->second.data);
            for (const char c : std::string_view("#|~/:")) {
                counts[c] += text != nullptr && text->find(c) != std::string::npos ? 1 : 0;
            }
        }
    }
    // Times hold colons, and paths slashes: such a separator must be commoner than all before it.
    char best = '#';
    for (const char c : std::string_view("|~/:")) {
        best = counts[c] > counts[best] ? c : best;
    }
    return counts['#'] > 0 ? '#' : best;
}

bool is_key_word(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    });
}

bool is_upper_word(std::string_view text) {
    return is_key_word(text) && std::none_of(text.begin(), text.end(), [](char c) {
               return std::islower(static_cast<unsigned char>(c)) != 0;
           });
}

std::optional<std::string> key_text(const value::AttributeValue& value) {
    if (const auto* text = std::get_if<std::string>(&value.data)) {
        return *text;
    }
    if (const auto* number = std::get_if<value::Number>(&value.data)) {
        return number->to_text();
    }
    if (const auto* flag = std::get_if<bool>(&value.data)) {
        return *flag ? "true" : "false";
    }
    return std::nullopt;
}

int timestamp_kind(std::string_view text) {
    const auto has_shape = [&](std::string_view shape) {
        return text.size() == shape.size() &&
               std::equal(text.begin(), text.end(), shape.begin(), [](char c, char wanted) {
                   return wanted == '0' ? c >= '0' && c <= '9' : c == wanted;
               });
    };
    return has_shape("0000-00-00T00:00:00.000Z") ? 1 : has_shape("0000-00-00T00:00:00Z") ? 2 : 0;
}

std::optional<KeyGuess> guess_key(std::vector<value::Item>& items, const GuessRequest& request) {
    Rows rows;
    for (const auto& item : items) {
        const auto found = item.find(request.key);
        const auto* text =
            found == item.end() ? nullptr : std::get_if<std::string>(&found->second.data);
        if (text == nullptr || text->find_first_of("{}") != std::string::npos) {
            return std::nullopt;
        }
        rows.push_back(split_key(*text, request.separator));
        if (rows.back().size() != rows.front().size()) {
            return std::nullopt;
        }
    }
    if (rows.empty()) {
        return std::nullopt;
    }
    KeyGuess guess;
    std::string word;
    for (std::size_t at = 0; at < rows.front().size(); ++at) {
        const Column column(items, rows, at);
        guess.text += at == 0 ? "" : std::string(1, request.separator);
        std::optional<Column::Match> match;
        const bool is_prefix = at == 0 && rows.front().size() > 1 && column.is_constant() &&
                               is_key_word(column.first());
        for (const auto& name : candidates(items.front(), request, word)) {
            if (is_prefix) {
                break;
            }
            if ((match = column.match(name))) {
                auto& type = guess.attributes[name];
                type = match->type.empty() ? type : match->type;
                break;
            }
        }
        if (match) {
            guess.text += match->variable;
        } else if (is_literal(column, at, rows.front().size(), items.size())) {
            guess.text += column.first();
        } else if (request.may_invent && !column.has_empty()) {
            const auto name = invented_name(items, request, word);
            for (std::size_t row = 0; row < items.size(); ++row) {
                items[row][name] = {rows[row][at]};
            }
            guess.key_only.push_back(name);
            guess.text += "{" + name + "}";
        } else {
            return std::nullopt;
        }
        word = is_key_word(column.first()) && column.is_constant() ? column.first() : std::string();
    }
    return KeyTemplate::parse(guess.text) ? std::optional(std::move(guess)) : std::nullopt;
}

}  // namespace gateleg::model

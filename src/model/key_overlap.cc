// can_meet(): whether two key templates share a key. Each template becomes a sequence of characters
// and of runs over an alphabet, and the two sequences are walked side by side.

#include <bitset>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "model/key_template.h"

namespace gateleg::model {
namespace {

using Alphabet = std::bitset<256>;

// One character of an alphabet, or a run of one or more of them.
struct Symbol {
    Alphabet alphabet;
    bool run = false;
};
using Sequence = std::vector<Symbol>;

// More than this many spellings of one template count as free text.
constexpr std::size_t kMaxSpellings = 64;

Alphabet alphabet_of(std::string_view characters) {
    Alphabet result;
    for (const char c : characters) {
        result.set(static_cast<unsigned char>(c));
    }
    return result;
}

void append_text(Sequence& sequence, std::string_view text) {
    for (const char c : text) {
        sequence.push_back({alphabet_of({&c, 1}), false});
    }
}

Alphabet alphabet_of(const KeyVariable& variable, std::string_view end) {
    using Kind = KeyValueType::Kind;
    constexpr std::string_view kDigits = "0123456789";
    Alphabet result;
    switch (variable.type.kind) {
        case Kind::kNumber:
        case Kind::kEpochSeconds:
        case Kind::kEpochMillis:
            result = alphabet_of("0123456789.-");
            break;
        case Kind::kTimestampMillis:
        case Kind::kTimestampSeconds:
            result = alphabet_of("0123456789-:.TZ");
            break;
        case Kind::kShard:
            result = alphabet_of("0123456789#");
            break;
        case Kind::kText:
        case Kind::kBoolean:
            result.set();
            if (!variable.type.may_hold_hash) {
                result.reset('#');
            }
            break;
    }
    if (std::holds_alternative<NumberFormat>(variable.format)) {
        result = alphabet_of("0123456789.");
    } else if (const auto* date = std::get_if<DateFormat>(&variable.format)) {
        result = alphabet_of(kDigits) | alphabet_of(date->text);
    }
    // Other characters share bytes with one of several.
    if (end.size() == 1) {
        result.reset(static_cast<unsigned char>(end.front()));
    }
    return result;
}

std::vector<std::string> spellings(const KeyVariable& variable) {
    if (!std::holds_alternative<std::monostate>(variable.format)) {
        return {};
    }
    if (variable.type.kind == KeyValueType::Kind::kBoolean) {
        return variable.type.true_text.empty()
                   ? std::vector<std::string>{"true", "false"}
                   : std::vector<std::string>{variable.type.true_text, variable.type.false_text};
    }
    return variable.type.values;
}

// Every spelling of the enums in the template as a sequence of its own.
std::vector<Sequence> sequences_of(const KeyTemplate& key) {
    std::vector<Sequence> all(1);
    const auto& segments = key.segments();
    for (std::size_t at = 0; at < segments.size(); ++at) {
        if (const auto* literal = std::get_if<std::string>(&segments[at])) {
            for (auto& sequence : all) {
                append_text(sequence, *literal);
            }
            continue;
        }
        const auto& variable = std::get<KeyVariable>(segments[at]);
        const auto values = spellings(variable);
        if (!values.empty() && values.size() * all.size() <= kMaxSpellings) {
            std::vector<Sequence> grown;
            for (const auto& sequence : all) {
                for (const auto& value : values) {
                    grown.push_back(sequence);
                    append_text(grown.back(), value);
                }
            }
            all = std::move(grown);
            continue;
        }
        const auto end = key.terminator(at);
        if (variable.type.kind == KeyValueType::Kind::kShard) {
            // Empty or not: two sequences.
            auto without = all;
            for (auto& sequence : all) {
                sequence.push_back({alphabet_of(variable, end), true});
            }
            all.insert(all.end(), without.begin(), without.end());
            continue;
        }
        for (auto& sequence : all) {
            sequence.push_back({alphabet_of(variable, end), true});
        }
    }
    return all;
}

// A place in a sequence: before a symbol, or inside a run that has begun.
struct Place {
    std::size_t index = 0;
    bool inside = false;
    auto operator<=>(const Place&) const = default;
};

// Where one character can lead from a place, with the alphabet it must be of.
std::vector<std::pair<Alphabet, Place>> moves(const Sequence& sequence, Place place) {
    std::vector<std::pair<Alphabet, Place>> found;
    if (place.inside) {
        found.emplace_back(sequence[place.index].alphabet, place);
        place = {place.index + 1, false};
    }
    if (place.index < sequence.size()) {
        const auto& symbol = sequence[place.index];
        found.emplace_back(
            symbol.alphabet, symbol.run ? Place{place.index, true} : Place{place.index + 1, false}
        );
    }
    return found;
}

bool at_end(const Sequence& sequence, Place place) {
    return place.index + (place.inside ? 1 : 0) == sequence.size();
}

bool share_a_text(const Sequence& left, const Sequence& right) {
    std::set<std::pair<Place, Place>> seen;
    std::vector<std::pair<Place, Place>> open = {{}};
    while (!open.empty()) {
        const auto [a, b] = open.back();
        open.pop_back();
        if (!seen.emplace(a, b).second) {
            continue;
        }
        if (at_end(left, a) && at_end(right, b)) {
            return true;
        }
        for (const auto& [alphabet, next] : moves(left, a)) {
            for (const auto& [other, other_next] : moves(right, b)) {
                if ((alphabet & other).any()) {
                    open.emplace_back(next, other_next);
                }
            }
        }
    }
    return false;
}

}  // namespace

bool can_meet(const KeyTemplate& left, const KeyTemplate& right) {
    for (const auto& a : sequences_of(left)) {
        for (const auto& b : sequences_of(right)) {
            if (share_a_text(a, b)) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace gateleg::model

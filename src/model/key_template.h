// Key templates: how attributes become the text of a key attribute, and back.
//
// "USER#{userId}#STORY#{id}", "{status}#{submittedAt:015}", "FEED#{created_at:%Y%m}". A template is
// literals and {name} or {name:format}; formats are 0W (whole number, W characters), 0W.D (decimal,
// W characters in all) and %.. (parts of a UTC date).

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "value/attribute_value.h"

namespace gateleg::model {

struct NumberFormat {
    int width = 0;
    int decimals = 0;  // zero: a whole number
};
struct DateFormat {
    std::string text;  // "%Y-%m-%d"
};
using KeyFormat = std::variant<std::monostate, NumberFormat, DateFormat>;

Result<KeyFormat> parse_key_format(std::string_view text);
std::string render_date(std::int64_t millis, std::string_view format);
// Fails when the number is negative, has more decimals than the format, or does not fit.
Result<std::string> render_number(const value::Number& number, const NumberFormat& format);

// How the values of a variable look in their stored form.
struct KeyValueType {
    enum class Kind : std::uint8_t {
        kText,
        kNumber,
        kBoolean,           // BOOL, or S in the two spellings
        kTimestampMillis,   // S, 2025-03-01T10:20:30.400Z
        kTimestampSeconds,  // S, 2025-03-01T10:20:30Z
        kEpochSeconds,      // N
        kEpochMillis,       // N
        kShard,             // S: empty or "#3"
    };
    Kind kind = Kind::kText;
    // Spellings of true and false when a boolean is stored as a string; empty for BOOL.
    std::string true_text = {};
    std::string false_text = {};
    // Values of an enum; empty for anything else.
    std::vector<std::string> values = {};
    // Of text: '#' may occur in it.
    bool may_hold_hash = true;
};

struct KeyVariable {
    std::string name;
    KeyFormat format;
    KeyValueType type;
};

// What a Query asks of one key attribute of type S.
struct KeyCondition {
    enum class Form : std::uint8_t {
        kNone,
        kAny,
        kEqual,
        kBeginsWith,
        kBetween,
        kAtLeast,
        kAtMost
    };
    Form form = Form::kAny;  // kNone: nothing can match
    std::string low = {};    // also the operand of kEqual, kBeginsWith, kAtLeast
    std::string high = {};   // of kBetween and kAtMost; inclusive
    // The key is coarser than the values asked for: the attribute itself must be compared as well.
    bool needs_filter = false;
};

// Values from `from` to `to`, both inclusive, either may be open. In stored form.
struct ValueRange {
    std::string variable;
    std::optional<value::AttributeValue> from = {};
    std::optional<value::AttributeValue> to = {};
};

// Parsed once when the model is loaded; immutable after set_type(), so any thread may use it.
class KeyTemplate {
public:
    static Result<KeyTemplate> parse(std::string_view text);

    // Said once for each variable by the loader, from the attribute of that name.
    void set_type(std::string_view variable, const KeyValueType& type);

    // The whole key from attributes in stored form (and "shard"), or nothing if a variable is null
    // or absent. Fails when a value does not fit its format, is empty, or holds the text that ends
    // it in the key, and so could pass for another key.
    Result<std::optional<std::string>> render(const value::Item& values) const;

    // The attributes a key was made from, in stored form, or nothing if the template does not make
    // such a key. A variable whose format loses something (%Y%m) is checked for its shape and left
    // out.
    std::optional<value::Item> parse_key(std::string_view key) const;

    // The condition for what is known: equality if every variable is, otherwise everything up to
    // the first unknown variable, the literal before it included, so that USER#1 never finds
    // USER#10.
    Result<KeyCondition> condition(const value::Item& known) const;
    // The same, with the first unknown variable limited to a range.
    Result<KeyCondition> condition(const value::Item& known, const ValueRange& range) const;
    // The same, with the first unknown variable starting with `start`.
    Result<KeyCondition> condition_prefix(const value::Item& known, std::string_view start) const;

    const std::string& text() const { return text_; }
    std::vector<const KeyVariable*> variables() const;
    const KeyVariable* find_variable(std::string_view name) const;
    bool is_constant() const { return variables().empty(); }

    // A literal (string) or a variable.
    using Segment = std::variant<std::string, KeyVariable>;
    const std::vector<Segment>& segments() const { return segments_; }
    // What the value of the variable at that place may not hold, for it ends there: the first
    // character of the literal behind it, or nothing at the end.
    std::string_view terminator(std::size_t segment) const;

private:
    // The text up to the first variable that has no value, and that variable's place.
    struct Known {
        std::string prefix;
        std::size_t next = 0;
    };
    Result<Known> render_known(const value::Item& known) const;

    std::string text_;
    std::vector<Segment> segments_;
};

// True if a key of one template can be a key of the other. Enum values and the alphabet of each
// type are used; free text may hold anything but what ends it.
bool can_meet(const KeyTemplate& left, const KeyTemplate& right);

}  // namespace gateleg::model

#include "value/json_tree.h"

#include <simdjson.h>

#include "base/base64.h"
#include "base/json_writer.h"

namespace gateleg::value {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

void append_utf8(std::string& out, unsigned code) {
    const auto put = [&out](unsigned byte) { out.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xC0U | code >> 6U);
        put(0x80U | (code & 0x3FU));
    } else if (code < 0x10000) {
        put(0xE0U | code >> 12U);
        put(0x80U | (code >> 6U & 0x3FU));
        put(0x80U | (code & 0x3FU));
    } else {
        put(0xF0U | code >> 18U);
        put(0x80U | (code >> 12U & 0x3FU));
        put(0x80U | (code >> 6U & 0x3FU));
        put(0x80U | (code & 0x3FU));
    }
}

// Recursive descent; kMaxJsonDepth bounds the recursion.
class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Result<AttributeValue> parse() {
        GATELEG_TRY_ASSIGN(auto value, parse_value(0));
        skip_blanks();
        if (at_ != text_.size()) {
            return wrong("there is something behind the value");
        }
        return value;
    }

private:
    Error wrong(std::string_view what) const {
        return serialization_error(
            "The body is not valid JSON: " + std::string(what) + " at byte " + std::to_string(at_)
        );
    }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(char c) {
        if (peek() != c || at_ >= text_.size()) {
            return false;
        }
        ++at_;
        return true;
    }
    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' ||
                                      text_[at_] == '\n' || text_[at_] == '\r')) {
            ++at_;
        }
    }
    bool take_word(std::string_view word) {
        if (!text_.substr(at_).starts_with(word)) {
            return false;
        }
        at_ += word.size();
        return true;
    }

    Result<AttributeValue> parse_value(int depth) {
        skip_blanks();
        switch (peek()) {
            case '{':
                return parse_object(depth + 1);
            case '[':
                return parse_array(depth + 1);
            case '"': {
                GATELEG_TRY_ASSIGN(auto text, parse_string());
                return AttributeValue{std::move(text)};
            }
            default:
                break;
        }
        if (take_word("true")) {
            return AttributeValue{true};
        }
        if (take_word("false")) {
            return AttributeValue{false};
        }
        if (take_word("null")) {
            return AttributeValue{Null{}};
        }
        return parse_number();
    }

    Result<AttributeValue> parse_object(int depth) {
        if (depth > kMaxJsonDepth) {
            return wrong("more than 31 levels of nesting");
        }
        ++at_;
        Map members;
        skip_blanks();
        if (take('}')) {
            return AttributeValue{std::move(members)};
        }
        do {
            skip_blanks();
            if (peek() != '"') {
                return wrong("a name in quotes is expected");
            }
            GATELEG_TRY_ASSIGN(auto name, parse_string());
            skip_blanks();
            if (!take(':')) {
                return wrong("':' is expected");
            }
            GATELEG_TRY_ASSIGN(auto member, parse_value(depth));
            if (!members.emplace(std::move(name), std::move(member)).second) {
                return wrong("a name for the second time in one object");
            }
            skip_blanks();
        } while (take(','));
        if (!take('}')) {
            return wrong("',' or '}' is expected");
        }
        return AttributeValue{std::move(members)};
    }

    Result<AttributeValue> parse_array(int depth) {
        if (depth > kMaxJsonDepth) {
            return wrong("more than 31 levels of nesting");
        }
        ++at_;
        List elements;
        skip_blanks();
        if (take(']')) {
            return AttributeValue{std::move(elements)};
        }
        do {
            GATELEG_TRY_ASSIGN(auto element, parse_value(depth));
            elements.push_back(std::move(element));
            skip_blanks();
        } while (take(','));
        if (!take(']')) {
            return wrong("',' or ']' is expected");
        }
        return AttributeValue{std::move(elements)};
    }

    Result<std::string> parse_string() {
        ++at_;
        std::string out;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"') {
                ++at_;
                return out;
            }
            if (static_cast<unsigned char>(c) < 0x20) {
                return wrong("a control character that is not escaped");
            }
            if (c != '\\') {
                out.push_back(c);
                ++at_;
                continue;
            }
            ++at_;
            GATELEG_TRY(parse_escape(out));
        }
        return wrong("a text that does not end");
    }

    Result<void> parse_escape(std::string& out) {
        constexpr std::string_view kFrom = "\"\\/bfnrt";
        constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
        const auto known = kFrom.find(peek());
        if (at_ < text_.size() && known != std::string_view::npos) {
            out.push_back(kTo[known]);
            ++at_;
            return {};
        }
        if (!take('u')) {
            return wrong("an unknown escape");
        }
        GATELEG_TRY_ASSIGN(auto code, parse_hex());
        const bool high = code >= 0xD800 && code < 0xDC00;
        if (high && take('\\') && take('u')) {
            GATELEG_TRY_ASSIGN(const auto low, parse_hex());
            if (low < 0xDC00 || low > 0xDFFF) {
                return wrong("half of a surrogate pair");
            }
            code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
        } else if (code >= 0xD800 && code <= 0xDFFF) {
            return wrong("half of a surrogate pair");
        }
        append_utf8(out, code);
        return {};
    }

    Result<unsigned> parse_hex() {
        unsigned code = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            const char c = peek();
            const bool lower = c >= 'a' && c <= 'f';
            const bool upper = c >= 'A' && c <= 'F';
            if (!is_digit(c) && !lower && !upper) {
                return wrong("four hexadecimal digits are expected");
            }
            const int digit = is_digit(c) ? c - '0' : lower ? c - 'a' + 10 : c - 'A' + 10;
            code = code * 16 + static_cast<unsigned>(digit);
        }
        return code;
    }

    bool take_digits() {
        const auto start = at_;
        while (is_digit(peek())) {
            ++at_;
        }
        return at_ != start;
    }

    Result<AttributeValue> parse_number() {
        const auto start = at_;
        take('-');
        const bool zero = peek() == '0';
        if (!take_digits() || (zero && at_ - start > (text_[start] == '-' ? 2U : 1U))) {
            return wrong("a value is expected");
        }
        if (take('.') && !take_digits()) {
            return wrong("digits are expected");
        }
        if (peek() == 'e' || peek() == 'E') {
            ++at_;
            if (!take('+')) {
                take('-');
            }
            if (!take_digits()) {
                return wrong("digits are expected");
            }
        }
        auto number = Number::parse(text_.substr(start, at_ - start));
        if (!number) {
            return validation_error(
                "The number at byte " + std::to_string(start) +
                " has more than 38 digits or is out of range"
            );
        }
        return AttributeValue{*number};
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

template <class Elements, class Append>
void append_array(std::string& out, const Elements& elements, const Append& append) {
    out.push_back('[');
    bool first = true;
    for (const auto& element : elements) {
        if (!first) {
            out.push_back(',');
        }
        first = false;
        append(element);
    }
    out.push_back(']');
}

void append_binary(std::string& out, const Binary& binary) {
    out.push_back('"');
    append_base64(out, binary.bytes);
    out.push_back('"');
}

struct PlainWriter {
    std::string& out;

    void operator()(const std::string& text) const { append_json_string(out, text); }
    void operator()(const Number& number) const { number.append_text(out); }
    void operator()(const Binary& binary) const { append_binary(out, binary); }
    void operator()(bool flag) const { out.append(flag ? "true" : "false"); }
    void operator()(const Null& /*none*/) const { out.append("null"); }
    void operator()(const List& list) const {
        append_array(out, list, [this](const auto& element) { append_plain_json(out, element); });
    }
    void operator()(const Map& map) const {
        out.push_back('{');
        bool first = true;
        for (const auto& [name, member] : map) {
            if (!first) {
                out.push_back(',');
            }
            first = false;
            append_json_string(out, name);
            out.push_back(':');
            append_plain_json(out, member);
        }
        out.push_back('}');
    }
    void operator()(const StringSet& set) const {
        append_array(out, set, [this](const auto& text) { append_json_string(out, text); });
    }
    void operator()(const NumberSet& set) const {
        append_array(out, set, [this](const auto& number) { number.append_text(out); });
    }
    void operator()(const BinarySet& set) const {
        append_array(out, set, [this](const auto& binary) { append_binary(out, binary); });
    }
};

}  // namespace

Result<AttributeValue> parse_json(std::string_view text) {
    if (!simdjson::validate_utf8(text.data(), text.size())) {
        return serialization_error("The body is not valid JSON: it is not UTF-8");
    }
    return Parser(text).parse();
}

void append_plain_json(std::string& out, const AttributeValue& value) {
    std::visit(PlainWriter{out}, value.data);
}

}  // namespace gateleg::value

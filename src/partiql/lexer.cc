#include "partiql/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

#include "partiql/errors.h"

namespace gateleg::partiql {
namespace {

constexpr std::array<std::string_view, 58> kKeywords = {
    "all",     "and",       "any",    "as",     "asc",      "between", "by",     "case",  "cast",
    "create",  "cross",     "delete", "desc",   "distinct", "drop",    "else",   "end",   "escape",
    "except",  "exists",    "false",  "from",   "full",     "group",   "having", "in",    "inner",
    "insert",  "intersect", "into",   "is",     "join",     "left",    "like",   "limit", "missing",
    "natural", "not",       "null",   "on",     "or",       "order",   "outer",  "pivot", "primary",
    "remove",  "returning", "right",  "select", "set",      "table",   "then",   "true",  "union",
    "unpivot", "update",    "where",  "with",
};

// Longer spellings before their own beginnings.
constexpr std::array<std::string_view, 24> kSymbols = {
    "<<", ">>", "<=", ">=", "<>", "!=", "||", "=", "<", ">", "(", ")",
    "[",  "]",  "{",  "}",  ",",  ".",  ":",  ";", "*", "+", "-", "/",
};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_word_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_word_part(char c) {
    return is_word_start(c) || is_digit(c);
}
bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

// Whether the exponent, and the scale it leaves, are numbers that the service's parser can hold.
bool fits(std::size_t fraction_digits, std::string_view exponent) {
    std::int64_t value = 0;
    if (!exponent.empty()) {
        const auto from = exponent.front() == '+' ? exponent.substr(1) : exponent;
        const auto [end, problem] = std::from_chars(from.data(), from.data() + from.size(), value);
        if (problem != std::errc() || end != from.data() + from.size()) {
            return false;
        }
    }
    constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
    constexpr std::int64_t kMin = std::numeric_limits<std::int32_t>::min();
    const auto scale = static_cast<std::int64_t>(fraction_digits) - value;
    return value <= kMax && value >= kMin && scale <= kMax && scale >= kMin;
}

class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}

    Result<std::vector<Token>> run() {
        std::vector<Token> tokens;
        for (;;) {
            GATELEG_TRY(skip_blank());
            Token token;
            token.at = here();
            const auto begin = next_;
            GATELEG_TRY(read(token));
            token.at.length = count_characters(begin, next_);
            advance_position(begin);
            const bool end = token.kind == TokenKind::kEnd;
            tokens.push_back(std::move(token));
            if (end) {
                return tokens;
            }
        }
    }

private:
    Position here() const { return {line_, column_, 0}; }

    std::uint32_t count_characters(std::size_t from, std::size_t to) const {
        std::uint32_t count = 0;
        for (auto i = from; i < to; ++i) {
            count += (static_cast<unsigned char>(text_[i]) & 0xc0U) == 0x80U ? 0 : 1;
        }
        return count;
    }

    void advance_position(std::size_t from) {
        for (auto i = from; i < next_; ++i) {
            if (text_[i] == '\n') {
                ++line_;
                column_ = 1;
            } else {
                column_ += count_characters(i, i + 1);
            }
        }
    }

    bool looking_at(std::string_view symbol) const {
        return text_.substr(next_).starts_with(symbol);
    }

    Result<void> skip_blank() {
        for (;;) {
            const auto begin = next_;
            if (next_ < text_.size() && is_space(text_[next_])) {
                ++next_;
            } else if (looking_at("--")) {
                next_ = std::min(text_.find('\n', next_), text_.size());
            } else if (looking_at("/*")) {
                const auto end = text_.find("*/", next_ + 2);
                if (end == std::string_view::npos) {
                    return malformed();
                }
                next_ = end + 2;
            } else {
                return {};
            }
            advance_position(begin);
        }
    }

    Result<void> read(Token& token) {
        if (next_ == text_.size()) {
            return {};
        }
        const char c = text_[next_];
        if (c == '\'' || c == '"') {
            token.kind = c == '"' ? TokenKind::kQuotedName : TokenKind::kString;
            return read_quoted(token, c);
        }
        if (is_word_start(c)) {
            token.kind = TokenKind::kWord;
            token.text = take_while(is_word_part);
            return {};
        }
        const bool fraction_first =
            c == '.' && next_ + 1 < text_.size() && is_digit(text_[next_ + 1]);
        if (is_digit(c) || fraction_first) {
            return read_number(token);
        }
        if (c == '?') {
            token.kind = TokenKind::kParameter;
            token.text = "?";
            ++next_;
            return {};
        }
        for (const auto symbol : kSymbols) {
            if (looking_at(symbol)) {
                token.kind = TokenKind::kSymbol;
                token.text = symbol;
                next_ += symbol.size();
                return {};
            }
        }
        return malformed();
    }

    // A doubled quote stands for one.
    Result<void> read_quoted(Token& token, char quote) {
        for (++next_; next_ < text_.size(); ++next_) {
            if (text_[next_] != quote) {
                token.text += text_[next_];
            } else if (next_ + 1 < text_.size() && text_[next_ + 1] == quote) {
                token.text += quote;
                ++next_;
            } else {
                ++next_;
                return {};
            }
        }
        return malformed();
    }

    Result<void> read_number(Token& token) {
        token.kind = TokenKind::kNumber;
        token.text = take_while(is_digit);
        std::size_t fraction_digits = 0;
        if (looking_at(".")) {
            ++next_;
            const auto fraction = take_while(is_digit);
            fraction_digits = fraction.size();
            token.text += '.';
            token.text += fraction;
        }
        std::string exponent;
        if (auto mark = next_; mark < text_.size() && (text_[mark] == 'e' || text_[mark] == 'E')) {
            ++mark;
            if (mark < text_.size() && (text_[mark] == '+' || text_[mark] == '-')) {
                ++mark;
            }
            if (mark < text_.size() && is_digit(text_[mark])) {
                exponent = text_.substr(next_ + 1, mark - next_ - 1);
                next_ = mark;
                exponent += take_while(is_digit);
            }
        }
        if (!fits(fraction_digits, exponent) ||
            (next_ < text_.size() && is_word_start(text_[next_]))) {
            return malformed();
        }
        if (!exponent.empty()) {
            token.text += 'e';
            token.text += exponent;
        }
        return {};
    }

    std::string take_while(bool (*predicate)(char)) {
        const auto begin = next_;
        while (next_ < text_.size() && predicate(text_[next_])) {
            ++next_;
        }
        return std::string(text_.substr(begin, next_ - begin));
    }

    std::string_view text_;
    std::size_t next_ = 0;
    std::uint32_t line_ = 1;
    std::uint32_t column_ = 1;
};

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view statement) {
    return Lexer(statement).run();
}

std::string to_lower(std::string_view text) {
    std::string lower(text);
    for (auto& c : lower) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return lower;
}

bool is_word(const Token& token, std::string_view keyword) {
    return token.kind == TokenKind::kWord && token.text.size() == keyword.size() &&
           to_lower(token.text) == keyword;
}

bool is_keyword(std::string_view word) {
    static_assert(std::is_sorted(kKeywords.begin(), kKeywords.end()));
    return std::binary_search(kKeywords.begin(), kKeywords.end(), to_lower(word));
}

}  // namespace gateleg::partiql

#include "expr/lexer.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace gateleg::expr {
namespace {

struct Spelling {
    std::string_view text;
    TokenKind kind;
};

constexpr std::array<Spelling, 9> kKeywords = {{
    {"AND", TokenKind::kAnd},
    {"OR", TokenKind::kOr},
    {"NOT", TokenKind::kNot},
    {"BETWEEN", TokenKind::kBetween},
    {"IN", TokenKind::kIn},
    {"SET", TokenKind::kSet},
    {"REMOVE", TokenKind::kRemove},
    {"ADD", TokenKind::kAdd},
    {"DELETE", TokenKind::kDelete},
}};

// Longer spellings before their own beginnings.
constexpr std::array<Spelling, 14> kSymbols = {{
    {"<>", TokenKind::kNotEqual},
    {"<=", TokenKind::kLessOrEqual},
    {">=", TokenKind::kGreaterOrEqual},
    {"=", TokenKind::kEqual},
    {"<", TokenKind::kLess},
    {">", TokenKind::kGreater},
    {"(", TokenKind::kOpenParen},
    {")", TokenKind::kCloseParen},
    {"[", TokenKind::kOpenBracket},
    {"]", TokenKind::kCloseBracket},
    {",", TokenKind::kComma},
    {".", TokenKind::kDot},
    {"+", TokenKind::kPlus},
    {"-", TokenKind::kMinus},
}};

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_word_part(char c) {
    return is_letter(c) || is_digit(c) || c == '_';
}
bool is_utf8_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

template <class Predicate>
std::size_t run_length(std::string_view text, std::size_t from, Predicate predicate) {
    auto end = from;
    while (end < text.size() && predicate(text[end])) {
        ++end;
    }
    return end;
}

bool equals_ignoring_case(std::string_view word, std::string_view upper) {
    return std::equal(word.begin(), word.end(), upper.begin(), upper.end(), [](char a, char b) {
        return (a >= 'a' && a <= 'z' ? a - 'a' + 'A' : a) == b;
    });
}

TokenKind word_kind(std::string_view word) {
    for (const auto& keyword : kKeywords) {
        if (equals_ignoring_case(word, keyword.text)) {
            return keyword.kind;
        }
    }
    return TokenKind::kWord;
}

// The token that `rest` begins with; `rest` is not empty and does not begin with a space.
Token read_token(std::string_view rest) {
    const char first = rest.front();
    if (is_letter(first)) {
        const auto word = rest.substr(0, run_length(rest, 1, is_word_part));
        return {word_kind(word), word};
    }
    if (is_digit(first)) {
        return {
            TokenKind::kIndex, rest.substr(0, first == '0' ? 1 : run_length(rest, 1, is_digit))};
    }
    if (first == '#' || first == ':') {
        const auto length = run_length(rest, 1, is_word_part);
        const auto kind = length == 1    ? TokenKind::kUnknown
                          : first == '#' ? TokenKind::kNamePlaceholder
                                         : TokenKind::kValuePlaceholder;
        return {kind, rest.substr(0, length)};
    }
    for (const auto& symbol : kSymbols) {
        if (rest.starts_with(symbol.text)) {
            return {symbol.kind, rest.substr(0, symbol.text.size())};
        }
    }
    // A whole character, so that the message that quotes it stays valid UTF-8.
    return {TokenKind::kUnknown, rest.substr(0, run_length(rest, 1, is_utf8_continuation))};
}

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
    std::vector<Token> tokens;
    std::size_t at = run_length(text, 0, is_space);
    while (at < text.size()) {
        tokens.push_back(read_token(text.substr(at)));
        at = run_length(text, at + tokens.back().text.size(), is_space);
    }
    tokens.push_back({TokenKind::kEnd, text.substr(text.size())});
    return tokens;
}

}  // namespace gateleg::expr

// Splits an expression into tokens. Cannot fail: what no rule matches becomes a kUnknown token,
// which the parser refuses where it meets it.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gateleg::expr {

enum class TokenKind : std::uint8_t {
    kEnd,
    kUnknown,
    kWord,              // price, size
    kNamePlaceholder,   // #n
    kValuePlaceholder,  // :v
    kIndex,             // 12, without leading zeros
    kAnd,
    kOr,
    kNot,
    kBetween,
    kIn,
    kSet,
    kRemove,
    kAdd,
    kDelete,
    kEqual,
    kNotEqual,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual,
    kOpenParen,
    kCloseParen,
    kOpenBracket,
    kCloseBracket,
    kComma,
    kDot,
    kPlus,
    kMinus,
};

struct Token {
    TokenKind kind;
    std::string_view text;  // Into the expression; empty at its end for kEnd.
};

// The last token is kEnd, and there is only one.
std::vector<Token> tokenize(std::string_view text);

}  // namespace gateleg::expr

// Splits a PartiQL statement into tokens.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "partiql/ast.h"

namespace gateleg::partiql {

enum class TokenKind : std::uint8_t {
    kEnd,
    kWord,        // as written
    kQuotedName,  // "a ""b""", without its quotes
    kString,      // 'it''s', without its quotes
    kNumber,      // without a sign
    kParameter,   // ?
    kSymbol,
};

struct Token {
    TokenKind kind = TokenKind::kEnd;
    std::string text;
    Position at;
};

// Comments and spaces are gone; the last token is kEnd, and there is only one.
Result<std::vector<Token>> tokenize(std::string_view statement);

// In any mix of upper and lower case; `keyword` is in lower case.
bool is_word(const Token& token, std::string_view keyword);

// A word of the language, which names an attribute only in double quotes.
bool is_keyword(std::string_view word);

std::string to_lower(std::string_view text);

}  // namespace gateleg::partiql

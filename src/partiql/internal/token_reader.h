// A position in a statement's tokens, for the parsers of this folder.

#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "partiql/errors.h"
#include "partiql/lexer.h"

namespace gateleg::partiql {

class TokenReader {
public:
    explicit TokenReader(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

    // The next token, or one further on; the end is never passed.
    const Token& peek(std::size_t ahead = 0) const {
        return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
    }
    bool at_end() const { return peek().kind == TokenKind::kEnd; }
    const Token& take() {
        const auto& token = peek();
        next_ += at_end() ? 0 : 1;
        return token;
    }

    bool sees_word(std::string_view keyword, std::size_t ahead = 0) const {
        return is_word(peek(ahead), keyword);
    }
    bool sees_symbol(std::string_view symbol, std::size_t ahead = 0) const {
        return peek(ahead).kind == TokenKind::kSymbol && peek(ahead).text == symbol;
    }
    bool take_word(std::string_view keyword) { return sees_word(keyword) && (take(), true); }
    bool take_symbol(std::string_view symbol) { return sees_symbol(symbol) && (take(), true); }

    Result<void> expect_word(std::string_view keyword, std::string_view problem) {
        return take_word(keyword) ? Result<void>() : malformed(problem);
    }
    Result<void> expect_symbol(std::string_view symbol, std::string_view problem) {
        return take_symbol(symbol) ? Result<void>() : malformed(problem);
    }

private:
    std::vector<Token> tokens_;
    std::size_t next_ = 0;
};

}  // namespace gateleg::partiql

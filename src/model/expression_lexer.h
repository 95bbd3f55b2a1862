// Cuts an expression into tokens. Only the parser uses it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/expression.h"

namespace gateleg::model {

struct Token {
    enum class Kind : std::uint8_t { kName, kNumber, kDuration, kText, kSign, kEnd };
    Kind kind = Kind::kEnd;
    std::string text = {};  // of a text literal: without its quotes, '' read as one
    std::size_t offset = 0;
};

// The tokens, the last of kind kEnd; empty and `error` set if a character has no meaning.
std::vector<Token> tokenize(std::string_view text, Position at, std::optional<SyntaxError>& error);

// The position `offset` characters behind `at` in `text`.
Position advance(Position at, std::string_view text, std::size_t offset);

}  // namespace gateleg::model

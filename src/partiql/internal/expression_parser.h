// The expressions of a statement: conditions, operands, literals and paths.

#pragma once

#include <cstddef>

#include "base/result.h"
#include "partiql/ast.h"
#include "partiql/internal/token_reader.h"

namespace gateleg::partiql {

// Refers to the reader it is given. One statement each: it counts the parameters.
class ExpressionParser {
public:
    explicit ExpressionParser(TokenReader& tokens) : tokens_(tokens) {}

    Result<Expr> expression();
    // a.b[0]."c"; its first token is a name.
    Result<Path> path();

    std::size_t parameters() const { return parameters_; }

private:
    // Limits recursion, here and in everything that walks the tree.
    static constexpr int kMaxDepth = 100;
    class Deeper;

    Result<Expr> disjunction();
    Result<Expr> conjunction();
    Result<Expr> negation();
    Result<Expr> comparison();
    Result<Expr> predicate_after(Expr left, bool negated);
    Result<Expr> between_after(Expr left);
    Result<Expr> in_after(Expr left);
    Result<Expr> is_after(Expr left);
    Result<Expr> sum();
    Result<Expr> term();
    Result<Expr> word_term();
    Result<Expr> call();
    Result<Expr> parenthesized();
    Result<Expr> sequence(ExprKind kind, std::string_view close);
    Result<Expr> structure();
    Result<PathStep> bracket_step();

    TokenReader& tokens_;
    std::size_t parameters_ = 0;
    int depth_ = 0;
};

}  // namespace gateleg::partiql

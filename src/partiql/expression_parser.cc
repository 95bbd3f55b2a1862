#include "partiql/internal/expression_parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "partiql/errors.h"

namespace gateleg::partiql {
namespace {

constexpr std::string_view kNoTerm = "Unexpected term";
constexpr std::string_view kNoRightSide = "Missing right-hand side expression of infix operator";

// A type's name, and how many words it has.
struct TypeName {
    std::string_view first;
    std::string_view second;
    std::string_view type;  // DynamoDB's own, or BAG for any set
};
constexpr std::array kTypes = {
    TypeName{"bag", "", "BAG"},     TypeName{"blob", "", "B"},
    TypeName{"bool", "", "BOOL"},   TypeName{"boolean", "", "BOOL"},
    TypeName{"char", "", "S"},      TypeName{"character", "varying", "S"},
    TypeName{"character", "", "S"}, TypeName{"clob", "", "B"},
    TypeName{"decimal", "", "N"},   TypeName{"double", "precision", "N"},
    TypeName{"float", "", "N"},     TypeName{"int", "", "N"},
    TypeName{"int2", "", "N"},      TypeName{"int4", "", "N"},
    TypeName{"int8", "", "N"},      TypeName{"integer", "", "N"},
    TypeName{"list", "", "L"},      TypeName{"numeric", "", "N"},
    TypeName{"real", "", "N"},      TypeName{"smallint", "", "N"},
    TypeName{"string", "", "S"},    TypeName{"struct", "", "M"},
    TypeName{"symbol", "", "S"},    TypeName{"tuple", "", "M"},
    TypeName{"varchar", "", "S"},
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kComparisons = {{
    {"=", "="},
    {"<>", "<>"},
    {"!=", "<>"},
    {"<", "<"},
    {"<=", "<="},
    {">", ">"},
    {">=", ">="},
}};

Expr make(ExprKind kind, const Position& position) {
    Expr expr;
    expr.kind = kind;
    expr.at = position;
    return expr;
}

Expr join(ExprKind kind, Expr left, Expr right) {
    if (left.kind == kind) {
        left.children.push_back(std::move(right));
        return left;
    }
    auto joined = make(kind, left.at);
    joined.children.push_back(std::move(left));
    joined.children.push_back(std::move(right));
    return joined;
}

Expr negate(Expr inner) {
    auto negated = make(ExprKind::kNot, inner.at);
    negated.children.push_back(std::move(inner));
    return negated;
}

bool is_operator_word(const Token& token) {
    return is_word(token, "is") || is_word(token, "like") || is_word(token, "in") ||
           is_word(token, "between") || is_word(token, "and") || is_word(token, "or");
}

}  // namespace

class ExpressionParser::Deeper {
public:
    explicit Deeper(ExpressionParser& parser) : parser_(parser) { ++parser_.depth_; }
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    Result<void> check() const {
        return parser_.depth_ > kMaxDepth ? malformed("The statement is nested too deeply")
                                          : Result<void>();
    }

private:
    ExpressionParser& parser_;
};

Result<Expr> ExpressionParser::expression() {
    const Deeper deeper(*this);
    GATELEG_TRY(deeper.check());
    return disjunction();
}

Result<Expr> ExpressionParser::disjunction() {
    GATELEG_TRY_ASSIGN(auto left, conjunction());
    while (tokens_.take_word("or")) {
        if (tokens_.at_end()) {
            return malformed(kNoRightSide);
        }
        GATELEG_TRY_ASSIGN(auto right, conjunction());
        left = join(ExprKind::kOr, std::move(left), std::move(right));
    }
    return left;
}

Result<Expr> ExpressionParser::conjunction() {
    GATELEG_TRY_ASSIGN(auto left, negation());
    while (tokens_.take_word("and")) {
        if (tokens_.at_end()) {
            return malformed(kNoRightSide);
        }
        GATELEG_TRY_ASSIGN(auto right, negation());
        left = join(ExprKind::kAnd, std::move(left), std::move(right));
    }
    return left;
}

Result<Expr> ExpressionParser::negation() {
    if (!tokens_.take_word("not")) {
        return comparison();
    }
    const Deeper deeper(*this);
    GATELEG_TRY(deeper.check());
    GATELEG_TRY_ASSIGN(auto inner, negation());
    return negate(std::move(inner));
}

Result<Expr> ExpressionParser::comparison() {
    GATELEG_TRY_ASSIGN(auto left, sum());
    for (const auto& [written, meant] : kComparisons) {
        if (!tokens_.sees_symbol(written)) {
            continue;
        }
        auto compared = make(ExprKind::kCompare, tokens_.take().at);
        if (tokens_.at_end()) {
            return malformed(kNoRightSide);
        }
        GATELEG_TRY_ASSIGN(auto right, sum());
        compared.text = meant;
        compared.children.push_back(std::move(left));
        compared.children.push_back(std::move(right));
        return compared;
    }
    const bool negated =
        tokens_.sees_word("not") && (tokens_.sees_word("in", 1) || tokens_.sees_word("between", 1));
    if (negated) {
        tokens_.take();
    }
    return predicate_after(std::move(left), negated);
}

Result<Expr> ExpressionParser::predicate_after(Expr left, bool negated) {
    if (tokens_.take_word("is")) {
        return is_after(std::move(left));
    }
    if (tokens_.take_word("between")) {
        GATELEG_TRY_ASSIGN(auto between, between_after(std::move(left)));
        return negated ? negate(std::move(between)) : std::move(between);
    }
    if (tokens_.take_word("in")) {
        GATELEG_TRY_ASSIGN(auto in, in_after(std::move(left)));
        return negated ? negate(std::move(in)) : std::move(in);
    }
    if (tokens_.sees_word("like")) {
        return validation_error("Unsupported operation: Like" + at(tokens_.peek().at));
    }
    return left;
}

Result<Expr> ExpressionParser::between_after(Expr left) {
    auto between = make(ExprKind::kBetween, left.at);
    between.children.push_back(std::move(left));
    GATELEG_TRY_ASSIGN(auto lower, sum());
    GATELEG_TRY(tokens_.expect_word("and", "Expected AND after BETWEEN"));
    GATELEG_TRY_ASSIGN(auto upper, sum());
    between.children.push_back(std::move(lower));
    between.children.push_back(std::move(upper));
    return between;
}

Result<Expr> ExpressionParser::in_after(Expr left) {
    auto in = make(ExprKind::kIn, left.at);
    in.children.push_back(std::move(left));
    if (tokens_.sees_symbol("(")) {
        tokens_.take();
        GATELEG_TRY_ASSIGN(auto list, sequence(ExprKind::kList, ")"));
        in.children.push_back(std::move(list));
        return in;
    }
    GATELEG_TRY_ASSIGN(auto list, term());
    in.children.push_back(std::move(list));
    return in;
}

Result<Expr> ExpressionParser::is_after(Expr left) {
    const bool negated = tokens_.take_word("not");
    auto test = make(ExprKind::kIsType, left.at);
    test.children.push_back(std::move(left));
    if (tokens_.take_word("missing")) {
        test.kind = ExprKind::kIsMissing;
    } else if (tokens_.take_word("null")) {
        test.kind = ExprKind::kIsNull;
    } else {
        const auto* type = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeName& each) {
            return tokens_.sees_word(each.first) &&
                   (each.second.empty() || tokens_.sees_word(each.second, 1));
        });
        if (type == kTypes.end()) {
            return malformed("Expected type name");
        }
        tokens_.take();
        if (!type->second.empty()) {
            tokens_.take();
        }
        test.text = type->type;
    }
    return negated ? negate(std::move(test)) : std::move(test);
}

Result<Expr> ExpressionParser::sum() {
    GATELEG_TRY_ASSIGN(auto left, term());
    for (int terms = 0; tokens_.sees_symbol("+") || tokens_.sees_symbol("-"); ++terms) {
        if (terms == kMaxDepth) {
            return malformed("The statement is nested too deeply");
        }
        const bool plus = tokens_.take().text == "+";
        if (tokens_.at_end()) {
            return malformed(kNoRightSide);
        }
        GATELEG_TRY_ASSIGN(auto right, term());
        auto joined = make(plus ? ExprKind::kPlus : ExprKind::kMinus, left.at);
        joined.children.push_back(std::move(left));
        joined.children.push_back(std::move(right));
        left = std::move(joined);
    }
    return left;
}

Result<Expr> ExpressionParser::term() {
    const Deeper deeper(*this);
    GATELEG_TRY(deeper.check());
    const auto& token = tokens_.peek();
    switch (token.kind) {
        case TokenKind::kEnd:
            return malformed(kNoTerm);
        case TokenKind::kWord:
            return word_term();
        case TokenKind::kQuotedName: {
            auto expr = make(ExprKind::kPath, token.at);
            GATELEG_TRY_ASSIGN(expr.path, path());
            return expr;
        }
        case TokenKind::kString: {
            auto expr = make(ExprKind::kString, token.at);
            expr.text = tokens_.take().text;
            return expr;
        }
        case TokenKind::kNumber: {
            auto expr = make(ExprKind::kNumber, token.at);
            expr.text = tokens_.take().text;
            return expr;
        }
        case TokenKind::kParameter: {
            auto expr = make(ExprKind::kParameter, tokens_.take().at);
            expr.parameter = parameters_++;
            return expr;
        }
        case TokenKind::kSymbol:
            break;
    }
    const auto position = token.at;
    if ((token.text == "-" || token.text == "+") && tokens_.peek(1).kind == TokenKind::kNumber) {
        auto expr = make(ExprKind::kNumber, position);
        expr.text = tokens_.take().text == "-" ? "-" : "";
        expr.text += tokens_.take().text;
        return expr;
    }
    if (tokens_.take_symbol("(")) {
        return parenthesized();
    }
    if (tokens_.take_symbol("[")) {
        return sequence(ExprKind::kList, "]");
    }
    if (tokens_.take_symbol("<<")) {
        return sequence(ExprKind::kBag, ">>");
    }
    if (tokens_.take_symbol("{")) {
        return structure();
    }
    return malformed(kNoTerm);
}

Result<Expr> ExpressionParser::word_term() {
    const auto& token = tokens_.peek();
    if (tokens_.sees_symbol("(", 1) && (!is_keyword(token.text) || is_word(token, "exists"))) {
        return call();
    }
    if (is_word(token, "true") || is_word(token, "false")) {
        auto expr = make(ExprKind::kBoolean, token.at);
        expr.boolean = is_word(tokens_.take(), "true");
        return expr;
    }
    if (is_word(token, "null")) {
        return make(ExprKind::kNull, tokens_.take().at);
    }
    if (is_operator_word(token)) {
        return malformed("Unexpected operator");
    }
    if (is_keyword(token.text)) {
        return malformed("Unexpected keyword");
    }
    auto expr = make(ExprKind::kPath, token.at);
    GATELEG_TRY_ASSIGN(expr.path, path());
    return expr;
}

Result<Expr> ExpressionParser::call() {
    auto expr = make(ExprKind::kCall, tokens_.peek().at);
    expr.text = to_lower(tokens_.take().text);
    tokens_.take();
    GATELEG_TRY_ASSIGN(auto arguments, sequence(ExprKind::kList, ")"));
    expr.children = std::move(arguments.children);
    return expr;
}

Result<Expr> ExpressionParser::parenthesized() {
    GATELEG_TRY_ASSIGN(auto inner, expression());
    GATELEG_TRY(tokens_.expect_symbol(")", "Expected RIGHT_PAREN"));
    return inner;
}

Result<Expr> ExpressionParser::sequence(ExprKind kind, std::string_view close) {
    auto list = make(kind, tokens_.peek().at);
    if (tokens_.take_symbol(close)) {
        return list;
    }
    for (;;) {
        GATELEG_TRY_ASSIGN(auto element, expression());
        list.children.push_back(std::move(element));
        if (tokens_.take_symbol(close)) {
            return list;
        }
        GATELEG_TRY(tokens_.expect_symbol(",", "Expected COMMA"));
    }
}

Result<Expr> ExpressionParser::structure() {
    auto expr = make(ExprKind::kStruct, tokens_.peek().at);
    if (tokens_.take_symbol("}")) {
        return expr;
    }
    for (;;) {
        const auto& name = tokens_.take();
        if (name.kind != TokenKind::kString) {
            return malformed("Expected a string as the name of an attribute");
        }
        expr.names.push_back(name.text);
        GATELEG_TRY(tokens_.expect_symbol(":", "Expected COLON"));
        GATELEG_TRY_ASSIGN(auto value, expression());
        expr.children.push_back(std::move(value));
        if (tokens_.take_symbol("}")) {
            return expr;
        }
        GATELEG_TRY(tokens_.expect_symbol(",", "Expected COMMA"));
    }
}

Result<Path> ExpressionParser::path() {
    constexpr std::size_t kMaxSteps = 32;
    Path path;
    path.steps.push_back({.name = tokens_.take().text});
    for (;;) {
        if (path.steps.size() > kMaxSteps) {
            return validation_error("The document path has too many nesting elements");
        }
        if (path.steps.back().name.empty() && !path.steps.back().is_index) {
            return validation_error("Path component cannot be an empty string");
        }
        if (tokens_.take_symbol(".")) {
            const auto& token = tokens_.take();
            const bool is_name = token.kind == TokenKind::kQuotedName ||
                                 (token.kind == TokenKind::kWord && !is_keyword(token.text));
            if (!is_name) {
                return malformed("Invalid path dot component");
            }
            path.steps.push_back({.name = token.text});
        } else if (tokens_.take_symbol("[")) {
            GATELEG_TRY_ASSIGN(auto step, bracket_step());
            path.steps.push_back(std::move(step));
        } else {
            return path;
        }
    }
}

// [3], or ['name'], which is .name.
Result<PathStep> ExpressionParser::bracket_step() {
    PathStep step;
    const bool negative = tokens_.take_symbol("-");
    const auto token = tokens_.take();
    if (token.kind == TokenKind::kString && !negative) {
        step.name = token.text;
    } else if (token.kind == TokenKind::kNumber) {
        step.is_index = true;
        const auto* const end = token.text.data() + token.text.size();
        const auto read = std::from_chars(token.text.data(), end, step.index);
        if (negative || read.ec != std::errc() || read.ptr != end) {
            return validation_error(
                "List index is not within the allowable range; index: [" +
                std::string(negative ? "-" : "") + token.text + "]" + at(token.at)
            );
        }
    } else {
        return malformed("Invalid path component");
    }
    GATELEG_TRY(tokens_.expect_symbol("]", "Expected RIGHT_BRACKET"));
    return step;
}

}  // namespace gateleg::partiql

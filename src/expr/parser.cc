#include "expr/parser.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "expr/errors.h"
#include "expr/lexer.h"

namespace gateleg::expr {
namespace {

// Deeper nesting cannot be valid: each level needs an operator of its own or has redundant
// parentheses. Limits recursion here and in every walk over a tree.
constexpr unsigned kMaxDepth = kMaxOperators + 20;

// What a piece of text may stand for: `(a)` is an operand, `(a = b)` a condition, and a function
// call is taken for either until check_text() looks at its name.
enum class Form : std::uint8_t { kOperand, kCall, kArithmetic, kCondition };

struct Parsed {
    NodeId node;
    Form form;
    bool in_parens = false;
};

std::optional<Op> comparator(TokenKind kind) {
    switch (kind) {
        case TokenKind::kEqual:
            return Op::kEqual;
        case TokenKind::kNotEqual:
            return Op::kNotEqual;
        case TokenKind::kLess:
            return Op::kLess;
        case TokenKind::kLessOrEqual:
            return Op::kLessOrEqual;
        case TokenKind::kGreater:
            return Op::kGreater;
        case TokenKind::kGreaterOrEqual:
            return Op::kGreaterOrEqual;
        default:
            return std::nullopt;
    }
}

SlotId slot_of(std::vector<std::string_view>& slots, std::string_view placeholder) {
    const auto found = std::find(slots.begin(), slots.end(), placeholder);
    const auto slot = static_cast<SlotId>(found - slots.begin());
    if (found == slots.end()) {
        slots.push_back(placeholder);
    }
    return slot;
}

// Recursive descent without backtracking: one token decides, except that what a parenthesis holds
// is known only once it has been read.
class Parser {
public:
    explicit Parser(Tree& tree) : tree_(tree), tokens_(tokenize(tree.text)) {}

    Result<void> whole();

private:
    // Conditions.
    Result<Parsed> any_of();
    Result<Parsed> all_of();
    Result<Parsed> negation();
    Result<Parsed> primary();
    Result<Parsed> parenthesized_condition();
    Result<Parsed> comparison(Parsed left);
    Result<Parsed> between(Parsed left);
    Result<Parsed> in(Parsed left);
    Result<Parsed> joined(Op op, TokenKind separator, Result<Parsed> (Parser::*term)());

    // Operands.
    Result<Parsed> operand();
    Result<Parsed> call();
    Result<std::vector<NodeId>> arguments();
    Result<PathId> path();
    Result<PathId> rest_of_path(std::vector<Step> steps);
    Result<Step> name_step();
    Result<Step> index_step();
    Parsed path_node(PathId path);
    Result<Parsed> continued(Parsed whole);

    // Projections and updates.
    Result<void> projection();
    Result<void> update();
    Result<void> section(Section section);
    Result<void> action(Section section);
    Result<Parsed> set_value();

    TokenKind kind() const { return tokens_[at_].kind; }
    bool take(TokenKind expected);
    Result<void> expect(TokenKind expected);
    Error unexpected() const;
    Result<void> expect_condition(const Parsed& parsed) const;
    Result<Parsed> closed(Parsed inner);
    Parsed add_node(Op op, std::vector<NodeId> children, Form form, std::string_view function = {});

    Tree& tree_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    unsigned depth_ = 0;
};

bool Parser::take(TokenKind expected) {
    if (kind() != expected) {
        return false;
    }
    ++at_;
    return true;
}

Result<void> Parser::expect(TokenKind expected) {
    if (!take(expected)) {
        return unexpected();
    }
    return {};
}

// Quotes the text from the token before the unexpected one to the token after it.
Error Parser::unexpected() const {
    const auto& token = tokens_[at_];
    const auto& before = tokens_[at_ == 0 ? 0 : at_ - 1];
    const auto& after = tokens_[std::min(at_ + 1, tokens_.size() - 1)];
    const auto* const from = before.text.data();
    const auto* const to = after.kind == TokenKind::kEnd ? token.text.data() + token.text.size()
                                                         : after.text.data() + after.text.size();
    const bool at_end = token.kind == TokenKind::kEnd;
    const auto* const near_end = at_end ? before.text.data() + before.text.size() : to;
    return syntax_error(
        tree_.kind, at_end ? "<EOF>" : token.text, {from, static_cast<std::size_t>(near_end - from)}
    );
}

Result<void> Parser::expect_condition(const Parsed& parsed) const {
    if (parsed.form == Form::kOperand) {
        return unexpected();
    }
    return {};
}

// Takes the closing parenthesis around `inner`.
Result<Parsed> Parser::closed(Parsed inner) {
    GATELEG_TRY(expect(TokenKind::kCloseParen));
    --depth_;
    if (inner.in_parens) {
        return redundant_parentheses(tree_.kind);
    }
    inner.in_parens = true;
    return inner;
}

Parsed Parser::add_node(Op op, std::vector<NodeId> children, Form form, std::string_view function) {
    ++tree_.operators;
    const auto first = static_cast<std::uint16_t>(tree_.children.size());
    tree_.children.insert(tree_.children.end(), children.begin(), children.end());
    tree_.nodes.push_back({op, first, static_cast<std::uint16_t>(children.size()), function});
    return {static_cast<NodeId>(tree_.nodes.size() - 1), form};
}

Result<void> Parser::whole() {
    switch (tree_.kind) {
        case Kind::kProjection:
            GATELEG_TRY(projection());
            break;
        case Kind::kUpdate:
            GATELEG_TRY(update());
            break;
        case Kind::kCondition:
        case Kind::kFilter:
        case Kind::kKeyCondition: {
            GATELEG_TRY_ASSIGN(const auto root, any_of());
            GATELEG_TRY(expect_condition(root));
            tree_.root = root.node;
        }
    }
    return expect(TokenKind::kEnd);
}

Result<Parsed> Parser::joined(Op op, TokenKind separator, Result<Parsed> (Parser::*term)()) {
    GATELEG_TRY_ASSIGN(const auto first, (this->*term)());
    if (kind() != separator) {
        return first;
    }
    GATELEG_TRY(expect_condition(first));
    std::vector<NodeId> terms = {first.node};
    while (take(separator)) {
        GATELEG_TRY_ASSIGN(const auto next, (this->*term)());
        GATELEG_TRY(expect_condition(next));
        terms.push_back(next.node);
    }
    // One node for the whole chain, but each word in it is an operator.
    tree_.operators += static_cast<unsigned>(terms.size() - 2);
    return add_node(op, std::move(terms), Form::kCondition);
}

Result<Parsed> Parser::any_of() {
    return joined(Op::kOr, TokenKind::kOr, &Parser::all_of);
}

Result<Parsed> Parser::all_of() {
    return joined(Op::kAnd, TokenKind::kAnd, &Parser::negation);
}

Result<Parsed> Parser::negation() {
    unsigned negations = 0;
    while (take(TokenKind::kNot)) {
        ++negations;
    }
    GATELEG_TRY_ASSIGN(auto inner, primary());
    if (negations == 0) {
        return inner;
    }
    GATELEG_TRY(expect_condition(inner));
    // Beyond the limit check_text() refuses the whole; there is no need to build what it refuses.
    tree_.operators += negations - std::min(negations, kMaxOperators);
    for (unsigned i = 0; i < std::min(negations, kMaxOperators); ++i) {
        inner = add_node(Op::kNot, {inner.node}, Form::kCondition);
    }
    return inner;
}

Result<Parsed> Parser::primary() {
    if (kind() != TokenKind::kOpenParen) {
        GATELEG_TRY_ASSIGN(const auto left, operand());
        return comparison(left);
    }
    GATELEG_TRY_ASSIGN(const auto left, parenthesized_condition());
    return left.form == Form::kCondition ? Result<Parsed>(left) : comparison(left);
}

Result<Parsed> Parser::parenthesized_condition() {
    if (++depth_ > kMaxDepth) {
        return redundant_parentheses(tree_.kind);
    }
    ++at_;
    GATELEG_TRY_ASSIGN(const auto inner, any_of());
    GATELEG_TRY_ASSIGN(const auto whole, closed(inner));
    return continued(whole);
}

// What may follow an operand; an operand that nothing follows is returned as it is.
Result<Parsed> Parser::comparison(Parsed left) {
    if (const auto op = comparator(kind())) {
        ++at_;
        GATELEG_TRY_ASSIGN(const auto right, operand());
        return add_node(*op, {left.node, right.node}, Form::kCondition);
    }
    if (take(TokenKind::kBetween)) {
        return between(left);
    }
    if (take(TokenKind::kIn)) {
        return in(left);
    }
    return left;
}

Result<Parsed> Parser::between(Parsed left) {
    GATELEG_TRY_ASSIGN(const auto lower, operand());
    GATELEG_TRY(expect(TokenKind::kAnd));
    GATELEG_TRY_ASSIGN(const auto upper, operand());
    return add_node(Op::kBetween, {left.node, lower.node, upper.node}, Form::kCondition);
}

Result<Parsed> Parser::in(Parsed left) {
    GATELEG_TRY_ASSIGN(auto candidates, arguments());
    candidates.insert(candidates.begin(), left.node);
    return add_node(Op::kIn, std::move(candidates), Form::kCondition);
}

Result<Parsed> Parser::operand() {
    switch (kind()) {
        case TokenKind::kValuePlaceholder: {
            const auto slot = slot_of(tree_.value_slots, tokens_[at_++].text);
            tree_.nodes.push_back({Op::kValue, slot});
            return Parsed{static_cast<NodeId>(tree_.nodes.size() - 1), Form::kOperand};
        }
        case TokenKind::kOpenParen: {
            if (++depth_ > kMaxDepth) {
                return redundant_parentheses(tree_.kind);
            }
            ++at_;
            GATELEG_TRY_ASSIGN(const auto inner, operand());
            GATELEG_TRY_ASSIGN(const auto whole, closed(inner));
            return continued(whole);
        }
        case TokenKind::kWord:
            if (tokens_[at_ + 1].kind == TokenKind::kOpenParen) {
                return call();
            }
            [[fallthrough]];
        default: {
            GATELEG_TRY_ASSIGN(const auto found, path());
            return path_node(found);
        }
    }
}

// Conditions, but not updates, let a path go on behind parentheses: (a.b).c
Result<Parsed> Parser::continued(Parsed whole) {
    const auto& node = tree_.nodes[whole.node];
    const bool goes_on = kind() == TokenKind::kDot || kind() == TokenKind::kOpenBracket;
    if (!goes_on || node.op != Op::kPath || tree_.kind == Kind::kUpdate) {
        return whole;
    }
    const auto head = tree_.steps_of(node.first);
    GATELEG_TRY_ASSIGN(const auto path, rest_of_path({head.begin(), head.end()}));
    return path_node(path);
}

Result<Parsed> Parser::call() {
    const auto name = tokens_[at_++].text;
    GATELEG_TRY_ASSIGN(auto operands, arguments());
    return add_node(find_function(name), std::move(operands), Form::kCall, name);
}

// "(" operand, operand ")"
Result<std::vector<NodeId>> Parser::arguments() {
    if (++depth_ > kMaxDepth) {
        return redundant_parentheses(tree_.kind);
    }
    GATELEG_TRY(expect(TokenKind::kOpenParen));
    std::vector<NodeId> result;
    do {
        GATELEG_TRY_ASSIGN(const auto next, operand());
        result.push_back(next.node);
    } while (take(TokenKind::kComma));
    GATELEG_TRY(expect(TokenKind::kCloseParen));
    --depth_;
    return result;
}

Parsed Parser::path_node(PathId path) {
    tree_.nodes.push_back({Op::kPath, path});
    return {static_cast<NodeId>(tree_.nodes.size() - 1), Form::kOperand};
}

Result<PathId> Parser::path() {
    GATELEG_TRY_ASSIGN(const auto root, name_step());
    return rest_of_path({root});
}

Result<PathId> Parser::rest_of_path(std::vector<Step> steps) {
    while (true) {
        if (take(TokenKind::kDot)) {
            GATELEG_TRY_ASSIGN(steps.emplace_back(), name_step());
        } else if (take(TokenKind::kOpenBracket)) {
            GATELEG_TRY_ASSIGN(steps.emplace_back(), index_step());
        } else {
            break;
        }
    }
    const auto first = static_cast<std::uint16_t>(tree_.steps.size());
    tree_.steps.insert(tree_.steps.end(), steps.begin(), steps.end());
    tree_.paths.push_back({first, static_cast<std::uint16_t>(steps.size())});
    return static_cast<PathId>(tree_.paths.size() - 1);
}

Result<Step> Parser::name_step() {
    const auto text = tokens_[at_].text;
    if (take(TokenKind::kWord)) {
        return Step{Step::Form::kName, 0, text};
    }
    if (take(TokenKind::kNamePlaceholder)) {
        return Step{Step::Form::kPlaceholder, slot_of(tree_.name_slots, text), text};
    }
    return unexpected();
}

Result<Step> Parser::index_step() {
    const auto text = tokens_[at_].text;
    GATELEG_TRY(expect(TokenKind::kIndex));
    GATELEG_TRY(expect(TokenKind::kCloseBracket));
    Step step{Step::Form::kIndex, 0, text};
    const auto* const end = text.data() + text.size();
    if (std::from_chars(text.data(), end, step.number).ec != std::errc()) {
        step.number = std::numeric_limits<std::uint32_t>::max();
    }
    return step;
}

Result<void> Parser::projection() {
    do {
        GATELEG_TRY_ASSIGN(const auto next, path());
        tree_.projected.push_back(next);
    } while (take(TokenKind::kComma));
    return {};
}

Result<void> Parser::update() {
    do {
        switch (tokens_[at_].kind) {
            case TokenKind::kSet:
                GATELEG_TRY(section(Section::kSet));
                break;
            case TokenKind::kRemove:
                GATELEG_TRY(section(Section::kRemove));
                break;
            case TokenKind::kAdd:
                GATELEG_TRY(section(Section::kAdd));
                break;
            case TokenKind::kDelete:
                GATELEG_TRY(section(Section::kDelete));
                break;
            default:
                return unexpected();
        }
    } while (kind() != TokenKind::kEnd);
    return {};
}

Result<void> Parser::section(Section section) {
    tree_.sections.push_back(section);
    ++at_;
    do {
        GATELEG_TRY(action(section));
    } while (take(TokenKind::kComma));
    return {};
}

Result<void> Parser::action(Section section) {
    GATELEG_TRY_ASSIGN(const auto target, path());
    Action action{section, target};
    if (section == Section::kSet) {
        GATELEG_TRY(expect(TokenKind::kEqual));
        GATELEG_TRY_ASSIGN(const auto value, set_value());
        action.value = value.node;
    } else if (section != Section::kRemove) {
        if (kind() != TokenKind::kValuePlaceholder) {
            return unexpected();
        }
        GATELEG_TRY_ASSIGN(const auto value, operand());
        action.value = value.node;
    }
    tree_.actions.push_back(action);
    return {};
}

// operand | operand + operand, either of them in parentheses.
Result<Parsed> Parser::set_value() {
    std::optional<Parsed> left;
    if (kind() == TokenKind::kOpenParen) {
        if (++depth_ > kMaxDepth) {
            return redundant_parentheses(tree_.kind);
        }
        ++at_;
        GATELEG_TRY_ASSIGN(const auto inner, set_value());
        GATELEG_TRY_ASSIGN(left, closed(inner));
        if (left->form == Form::kArithmetic) {
            return *left;
        }
    } else {
        GATELEG_TRY_ASSIGN(left, operand());
    }
    const auto op = kind() == TokenKind::kPlus ? Op::kPlus : Op::kMinus;
    if (!take(TokenKind::kPlus) && !take(TokenKind::kMinus)) {
        return *left;
    }
    GATELEG_TRY_ASSIGN(const auto right, operand());
    return add_node(op, {left->node, right.node}, Form::kArithmetic);
}

}  // namespace

Result<std::shared_ptr<const Tree>> parse(Kind kind, std::string_view text) {
    if (text.empty()) {
        return invalid(kind, "The expression can not be empty;");
    }
    if (text.size() > kMaxExpressionBytes) {
        return invalid(
            kind,
            concat({
                "Expression size has exceeded the maximum allowed size; expression size: ",
                std::to_string(text.size()),
            })
        );
    }
    auto tree = std::make_shared<Tree>(kind, text);
    GATELEG_TRY(Parser(*tree).whole());
    GATELEG_TRY(check_text(*tree));
    return std::shared_ptr<const Tree>(std::move(tree));
}

}  // namespace gateleg::expr

#include <map>

#include "model/expression.h"
#include "model/expression_lexer.h"
#include "model/key_template.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;

// Limits recursion: everything that walks a tree relies on it.
constexpr int kMaxDepth = 100;

const std::map<std::string_view, Word> kWords = {
    {"caller", Word::kCaller},
    {"viewer", Word::kViewer},
    {"now", Word::kNow},
    {"attempt", Word::kAttempt},
    {"exists", Word::kExists},
    {"absent", Word::kAbsent},
};

// From the weakest to the strongest; comparison does not chain.
const std::map<std::string_view, BinaryOp> kComparisons = {
    {"=", BinaryOp::kEqual},
    {"<>", BinaryOp::kNotEqual},
    {"<", BinaryOp::kLess},
    {"<=", BinaryOp::kLessOrEqual},
    {">", BinaryOp::kGreater},
    {">=", BinaryOp::kGreaterOrEqual},
};

class Parser {
public:
    Parser(std::string_view text, Position at, std::optional<SyntaxError>& error, int depth = 0)
        : text_(text), start_(at), error_(error), depth_(depth) {
        tokens_ = tokenize(text, at, error);
    }

    ExprPtr run() {
        if (error_) {
            return nullptr;
        }
        auto root = conditional();
        if (!error_ && peek().kind != Token::Kind::kEnd) {
            fail("'" + peek().text + "' is not expected here");
        }
        return error_ ? nullptr : root;
    }

private:
    const Token& peek(std::size_t ahead = 0) const {
        return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
    }
    bool is_sign(std::string_view sign, std::size_t ahead = 0) const {
        return peek(ahead).kind == Token::Kind::kSign && peek(ahead).text == sign;
    }
    bool is_word(std::string_view word) const {
        return peek().kind == Token::Kind::kName && peek().text == word;
    }
    Position here() const { return advance(start_, text_, peek().offset); }
    const Token& take() {
        const auto& token = peek();
        ++next_;
        return token;
    }
    bool take_sign(std::string_view sign) {
        if (!is_sign(sign)) {
            return false;
        }
        ++next_;
        return true;
    }

    ExprPtr fail(std::string message) {
        if (!error_) {
            error_ = SyntaxError{here(), std::move(message), peek().kind == Token::Kind::kEnd};
        }
        return nullptr;
    }
    void expect(std::string_view sign) {
        if (!error_ && !take_sign(sign)) {
            fail(
                peek().kind == Token::Kind::kEnd
                    ? "'" + std::string(sign) + "' is missing at the end"
                    : "'" + std::string(sign) + "' expected, not '" + peek().text + "'"
            );
        }
    }
    ExprPtr make(Position at, Expr::Node node) {
        return std::make_shared<Expr>(Expr{std::move(node), at});
    }

    ExprPtr conditional() {
        if (++depth_ > kMaxDepth) {
            return fail("the expression is nested too deeply");
        }
        const auto at = here();
        auto test = coalesce();
        if (!error_ && take_sign("?")) {
            auto yes = conditional();
            expect(":");
            auto no = error_ ? nullptr : conditional();
            test = make(at, ConditionalNode{test, yes, no});
        }
        --depth_;
        return test;
    }

    ExprPtr coalesce() {
        const auto at = here();
        auto left = any_of();
        while (!error_ && take_sign("??")) {
            left = make(at, BinaryNode{BinaryOp::kCoalesce, left, any_of()});
        }
        return left;
    }

    ExprPtr any_of() {
        const auto at = here();
        auto left = all_of();
        while (!error_ && is_word("or")) {
            take();
            left = make(at, BinaryNode{BinaryOp::kOr, left, all_of()});
        }
        return left;
    }

    ExprPtr all_of() {
        const auto at = here();
        auto left = negation();
        while (!error_ && is_word("and")) {
            take();
            left = make(at, BinaryNode{BinaryOp::kAnd, left, negation()});
        }
        return left;
    }

    ExprPtr negation() {
        const auto at = here();
        if (is_word("not")) {
            take();
            if (++depth_ > kMaxDepth) {
                return fail("the expression is nested too deeply");
            }
            auto operand = negation();
            --depth_;
            return make(at, UnaryNode{UnaryOp::kNot, operand});
        }
        return comparison();
    }

    ExprPtr comparison() {
        const auto at = here();
        auto left = sum();
        if (error_) {
            return nullptr;
        }
        if (peek().kind == Token::Kind::kSign) {
            if (const auto found = kComparisons.find(peek().text); found != kComparisons.end()) {
                take();
                return make(at, BinaryNode{found->second, left, sum()});
            }
        }
        if (is_word("in")) {
            take();
            const bool bracket = take_sign("[");
            if (!bracket) {
                expect("(");
            }
            InNode node{left, {}};
            do {
                node.options.push_back(error_ ? nullptr : sum());
            } while (!error_ && take_sign(","));
            expect(bracket ? "]" : ")");
            return make(at, std::move(node));
        }
        return left;
    }

    ExprPtr sum() {
        const auto at = here();
        auto left = product();
        while (!error_ && (is_sign("+") || is_sign("-"))) {
            const auto op = take().text == "+" ? BinaryOp::kAdd : BinaryOp::kSubtract;
            left = make(at, BinaryNode{op, left, product()});
        }
        return left;
    }

    ExprPtr product() {
        const auto at = here();
        auto left = unary();
        while (!error_ && (is_sign("*") || is_sign("/"))) {
            const auto op = take().text == "*" ? BinaryOp::kMultiply : BinaryOp::kDivide;
            left = make(at, BinaryNode{op, left, unary()});
        }
        return left;
    }

    ExprPtr unary() {
        const auto at = here();
        if (take_sign("-")) {
            if (++depth_ > kMaxDepth) {
                return fail("the expression is nested too deeply");
            }
            auto operand = unary();
            --depth_;
            return make(at, UnaryNode{UnaryOp::kNegate, operand});
        }
        return postfix();
    }

    ExprPtr postfix() {
        const auto at = here();
        auto object = primary();
        while (!error_) {
            if (take_sign(".")) {
                if (peek().kind != Token::Kind::kName) {
                    return fail("a name is expected after '.'");
                }
                object = make(at, MemberNode{object, take().text});
            } else if (take_sign("[")) {
                auto index = conditional();
                expect("]");
                object = make(at, IndexNode{object, index});
            } else {
                break;
            }
        }
        return object;
    }

    std::vector<Argument> arguments(std::string_view close) {
        std::vector<Argument> found;
        while (!error_ && !is_sign(close)) {
            Argument argument;
            const auto kind = peek().kind;
            if ((kind == Token::Kind::kName || kind == Token::Kind::kNumber ||
                 kind == Token::Kind::kText) &&
                is_sign(":", 1)) {
                argument.name = take().text;
                take();
            }
            argument.value = conditional();
            found.push_back(std::move(argument));
            if (!take_sign(",")) {
                break;
            }
        }
        expect(close);
        return found;
    }

    ExprPtr primary() {
        const auto at = here();
        const auto token = peek();
        switch (token.kind) {
            case Token::Kind::kNumber: {
                take();
                auto number = value::Number::parse(token.text);
                return number ? make(at, LiteralNode{AttributeValue{*number}})
                              : fail("the number has too many digits");
            }
            case Token::Kind::kDuration: {
                take();
                const auto millis = parse_duration(token.text);
                return millis ? make(at, DurationNode{*millis}) : fail("the duration is too long");
            }
            case Token::Kind::kText:
                take();
                return text_literal(at, token);
            case Token::Kind::kName:
                take();
                return name(at, token.text);
            case Token::Kind::kSign:
                return bracket(at);
            case Token::Kind::kEnd:
                break;
        }
        return fail("the expression ends too early");
    }

    ExprPtr bracket(Position at) {
        if (take_sign("$")) {
            if (peek().kind != Token::Kind::kName) {
                return fail("a name is expected after '$'");
            }
            return make(at, VariableNode{take().text});
        }
        if (take_sign("(")) {
            auto inner = conditional();
            expect(")");
            return inner;
        }
        if (take_sign("[")) {
            ListNode list;
            for (auto& argument : arguments("]")) {
                if (!argument.name.empty()) {
                    return fail("a list has no names");
                }
                list.elements.push_back(std::move(argument.value));
            }
            return make(at, std::move(list));
        }
        if (take_sign("{")) {
            MapNode map;
            for (auto& argument : arguments("}")) {
                if (argument.name.empty()) {
                    return fail("a map needs name: value");
                }
                map.members.emplace_back(std::move(argument.name), std::move(argument.value));
            }
            return make(at, std::move(map));
        }
        return fail("'" + peek().text + "' is not expected here");
    }

    ExprPtr name(Position at, const std::string& text) {
        if (take_sign("(")) {
            CallNode call{text, {}};
            call.arguments = arguments(")");
            return make(at, std::move(call));
        }
        if (text == "true" || text == "false") {
            return make(at, LiteralNode{AttributeValue{text == "true"}});
        }
        if (text == "null") {
            return make(at, LiteralNode{AttributeValue{value::Null{}}});
        }
        if (text == "and" || text == "or" || text == "in" || text == "not") {
            --next_;
            return fail("'" + text + "' is not expected here");
        }
        if (const auto word = kWords.find(text); word != kWords.end()) {
            return make(at, WordNode{word->second});
        }
        return make(at, NameNode{text});
    }

    // 'a{name:format}b': the parts in braces are expressions.
    ExprPtr text_literal(Position at, const Token& token) {
        if (token.text.find('{') == std::string::npos) {
            return make(at, LiteralNode{AttributeValue{token.text}});
        }
        TextNode node;
        std::string_view rest = token.text;
        std::size_t offset = token.offset + 1;
        while (!rest.empty()) {
            const auto open = rest.find('{');
            if (open != 0) {
                node.parts.push_back({std::string(rest.substr(0, open))});
                const auto length = std::min(open, rest.size());
                rest.remove_prefix(length);
                offset += length;
                continue;
            }
            const auto close = rest.find('}');
            if (close == std::string_view::npos) {
                return fail("a text has '{' without '}'");
            }
            node.parts.push_back(text_part(rest.substr(1, close - 1), offset + 1));
            if (error_) {
                return nullptr;
            }
            rest.remove_prefix(close + 1);
            offset += close + 1;
        }
        return make(at, std::move(node));
    }

    TextPart text_part(std::string_view inside, std::size_t offset) {
        TextPart part;
        const auto at = advance(start_, text_, offset);
        const auto colon = inside.find(':');
        if (colon != std::string_view::npos) {
            part.format = inside.substr(colon + 1);
            if (const auto format = parse_key_format(part.format); !format) {
                error_ = SyntaxError{at, format.error().message};
                return part;
            }
        }
        part.value = Parser(inside.substr(0, colon), at, error_, depth_ + 1).run();
        return part;
    }

    std::string_view text_;
    Position start_;
    std::optional<SyntaxError>& error_;
    std::vector<Token> tokens_;
    std::size_t next_ = 0;
    int depth_ = 0;
};

template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace

Expression parse_expression(std::string_view text, Position at, std::optional<SyntaxError>& error) {
    error.reset();
    return {std::string(text), at, Parser(text, at, error).run()};
}

std::vector<ExprPtr> children(const Expr& expr) {
    std::vector<ExprPtr> found;
    std::visit(
        Overloaded{
            [](const LiteralNode&) {},
            [](const DurationNode&) {},
            [](const WordNode&) {},
            [](const NameNode&) {},
            [](const VariableNode&) {},
            [&](const TextNode& node) {
                for (const auto& part : node.parts) {
                    if (part.value) {
                        found.push_back(part.value);
                    }
                }
            },
            [&](const MemberNode& node) { found = {node.object}; },
            [&](const IndexNode& node) {
                found = {node.object, node.index};
            },
            [&](const UnaryNode& node) { found = {node.operand}; },
            [&](const BinaryNode& node) {
                found = {node.left, node.right};
            },
            [&](const ConditionalNode& node) {
                found = {node.test, node.yes, node.no};
            },
            [&](const InNode& node) {
                found = {node.operand};
                found.insert(found.end(), node.options.begin(), node.options.end());
            },
            [&](const ListNode& node) { found = node.elements; },
            [&](const MapNode& node) {
                for (const auto& member : node.members) {
                    found.push_back(member.second);
                }
            },
            [&](const CallNode& node) {
                for (const auto& argument : node.arguments) {
                    found.push_back(argument.value);
                }
            },
        },
        expr.node
    );
    return found;
}

}  // namespace gateleg::model

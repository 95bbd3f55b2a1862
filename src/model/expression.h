// Expressions of a model file, as trees: what `is`, `when`, `let`, `require`, `if`, `visible` and
// the values of a step are written in.
//
// parse_expression() makes the tree; resolve() (resolve.h) says what each bare word means and of
// which type each part is; evaluate() and Condition::compile() (evaluate.h, condition.h) need that.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/diagnostics.h"
#include "value/attribute_value.h"

namespace gateleg::model {

struct Attribute;
struct Entity;
struct Expr;

// Trees are shared between copies of an Expression and never change after resolve().
using ExprPtr = std::shared_ptr<Expr>;

enum class ValueKind : std::uint8_t {
    kAny,
    kNull,
    kBoolean,
    kNumber,
    kText,
    kTime,
    kDuration,
    kList,
    kMap,
    kSet,
    kBinary,
    kItem,  // what a read or a step gave: one of `entities`
};

// The static type of a part of an expression, set by resolve().
struct Type {
    ValueKind kind = ValueKind::kAny;
    // Where the value comes from or goes to, when it is an attribute, an input or a field: its
    // stored form, its enum values, the type of its elements.
    const Attribute* attribute = nullptr;
    std::vector<const Entity*> entities = {};
};

// 'text with {name:format}': literals and parts in order.
struct TextPart {
    std::string literal;  // when `value` is null
    ExprPtr value = nullptr;
    std::string format = {};  // as in a key template; empty for none
};

enum class Word : std::uint8_t { kCaller, kViewer, kNow, kAttempt, kExists, kAbsent };

enum class BinaryOp : std::uint8_t {
    kCoalesce,
    kOr,
    kAnd,
    kEqual,
    kNotEqual,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
};
enum class UnaryOp : std::uint8_t { kNot, kNegate };

struct Argument {
    std::string name;  // "plan" in f(plan: x), empty in f(x)
    ExprPtr value;
};

struct LiteralNode {
    value::AttributeValue value;
};
struct DurationNode {
    std::int64_t millis;
};
struct TextNode {
    std::vector<TextPart> parts;
};
struct WordNode {
    Word word;
};
// A bare name. What it stands for is known after resolve().
struct NameNode {
    enum class Meaning : std::uint8_t { kUnresolved, kAttribute, kMarker, kEnumValue };
    std::string name;
    Meaning meaning = Meaning::kUnresolved;
};
struct VariableNode {  // $name
    std::string name;
};
struct MemberNode {
    ExprPtr object;
    std::string name;
};
struct IndexNode {
    ExprPtr object;
    ExprPtr index;
};
struct UnaryNode {
    UnaryOp op;
    ExprPtr operand;
};
struct BinaryNode {
    BinaryOp op;
    ExprPtr left;
    ExprPtr right;
};
struct ConditionalNode {
    ExprPtr test;
    ExprPtr yes;
    ExprPtr no;
};
struct InNode {
    ExprPtr operand;
    std::vector<ExprPtr> options;
};
struct ListNode {
    std::vector<ExprPtr> elements;
};
struct MapNode {
    std::vector<std::pair<std::string, ExprPtr>> members;
};
// f(a, name: b): a function, an entity, a pattern or an operation.
struct CallNode {
    std::string function;
    std::vector<Argument> arguments;
};

struct Expr {
    using Node = std::variant<
        LiteralNode,
        DurationNode,
        TextNode,
        WordNode,
        NameNode,
        VariableNode,
        MemberNode,
        IndexNode,
        UnaryNode,
        BinaryNode,
        ConditionalNode,
        InNode,
        ListNode,
        MapNode,
        CallNode>;
    Node node;
    Position position;
    Type type = {};
};

// An expression with its text. Empty (no tree) only when it could not be parsed.
struct Expression {
    std::string text;
    Position position;
    ExprPtr root = nullptr;

    explicit operator bool() const { return root != nullptr; }
};

struct SyntaxError {
    Position position;
    std::string message;
    bool unclosed = false;  // a bracket was still open at the end: often cut by YAML
};

// Parses `text`, which starts at `at` in its file. On failure the root is null and `error` is set.
Expression parse_expression(std::string_view text, Position at, std::optional<SyntaxError>& error);

// "30s", "15m", "24h", "30d", in milliseconds.
std::optional<std::int64_t> parse_duration(std::string_view text);

// Calls `visit(const Expr&)` for the node and everything below it, parents first.
template <class Visit>
void walk(const ExprPtr& expr, const Visit& visit);

// The parts of a node, in the order they are written.
std::vector<ExprPtr> children(const Expr& expr);

template <class Visit>
void walk(const ExprPtr& expr, const Visit& visit) {
    if (!expr) {
        return;
    }
    visit(*expr);
    for (const auto& child : children(*expr)) {
        walk(child, visit);
    }
}

}  // namespace gateleg::model

// The tree an expression's text parses to.
//
// It depends on the text alone: #names and :values are slots that each request fills (resolver.h),
// so one tree serves every request with the same text. Nodes live in one vector and refer to each
// other by position.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gateleg::expr {

enum class Kind : std::uint8_t { kCondition, kFilter, kKeyCondition, kProjection, kUpdate };

// The request's parameter, such as "ConditionExpression".
std::string_view kind_name(Kind kind);

enum class Op : std::uint8_t {
    kPath,
    kValue,
    kAnd,
    kOr,
    kNot,
    kEqual,
    kNotEqual,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual,
    kBetween,
    kIn,
    kAttributeExists,
    kAttributeNotExists,
    kAttributeType,
    kBeginsWith,
    kContains,
    kSize,
    kIfNotExists,
    kListAppend,
    kUnknownFunction,
    kPlus,
    kMinus,
};

// As error messages spell it: "<=", "BETWEEN", "begins_with".
std::string_view op_name(Op op);
// kUnknownFunction when there is no such function; names are case-sensitive.
Op find_function(std::string_view name);

using NodeId = std::uint16_t;
using PathId = std::uint16_t;
using SlotId = std::uint16_t;

struct Node {
    Op op;
    // kPath: a PathId. kValue: a SlotId. Otherwise `count` children from here in Tree::children.
    std::uint16_t first = 0;
    std::uint16_t count = 0;
    // A function's name as written.
    std::string_view function = {};
};

struct Step {
    enum class Form : std::uint8_t { kName, kPlaceholder, kIndex };
    Form form;
    std::uint32_t number = 0;  // kPlaceholder: a SlotId. kIndex: the index.
    std::string_view text;     // As written.
};

struct Path {
    std::uint16_t first;  // In Tree::steps.
    std::uint16_t count;
};

enum class Section : std::uint8_t { kSet, kRemove, kAdd, kDelete };

struct Action {
    Section section;
    PathId target;
    NodeId value = 0;  // Not for kRemove.
};

// Views of it point into its own text, so it is neither copied nor moved. Immutable once parsed.
struct Tree {
    Tree(Kind tree_kind, std::string_view expression) : kind(tree_kind), text(expression) {}
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;

    const Kind kind;
    const std::string text;
    std::vector<Node> nodes;
    std::vector<NodeId> children;
    std::vector<Step> steps;
    std::vector<Path> paths;
    std::vector<std::string_view> name_slots;   // "#n", each once.
    std::vector<std::string_view> value_slots;  // ":v", each once.
    NodeId root = 0;                            // Conditions.
    std::vector<PathId> projected;              // Projections.
    std::vector<Action> actions;                // Updates, as written.
    std::vector<Section> sections;
    unsigned operators = 0;

    // None of a path or a value, whose `first` means something else.
    std::span<const NodeId> children_of(const Node& node) const {
        if (node.count == 0) {
            return {};
        }
        return std::span(children).subspan(node.first, node.count);
    }
    std::span<const Step> steps_of(PathId path) const {
        return std::span(steps).subspan(paths[path].first, paths[path].count);
    }
};

}  // namespace gateleg::expr

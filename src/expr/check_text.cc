#include <algorithm>
#include <array>
#include <limits>

#include "expr/errors.h"
#include "expr/parser.h"
#include "expr/reserved_words.h"

namespace gateleg::expr {
namespace {

constexpr std::uint32_t kMaxIndex = std::numeric_limits<std::int32_t>::max();

bool is_function(Op op) {
    return op >= Op::kAttributeExists && op <= Op::kUnknownFunction;
}
bool is_update_function(Op op) {
    return op == Op::kIfNotExists || op == Op::kListAppend;
}
bool joins_conditions(Op op) {
    return op == Op::kAnd || op == Op::kOr || op == Op::kNot;
}

// Walks the tree in the order it is written and stops at the first problem.
class Checker {
public:
    explicit Checker(const Tree& tree) : tree_(tree) {}

    Result<void> check_node(NodeId id, bool as_condition) const;
    Result<void> check_path(PathId path) const;
    Result<void> check_sections() const;

private:
    Result<void> check_function(const Node& node, bool as_condition) const;
    Error problem(std::string_view text, std::string_view subject) const {
        return invalid(tree_.kind, concat({text, subject}));
    }

    const Tree& tree_;
};

Result<void> Checker::check_path(PathId path) const {
    const auto steps = tree_.steps_of(path);
    for (const auto& step : steps) {
        if (step.form == Step::Form::kName && is_reserved_word(step.text)) {
            return problem("Attribute name is a reserved keyword; reserved keyword: ", step.text);
        }
        if (step.form == Step::Form::kIndex && step.number > kMaxIndex) {
            return problem(
                "List index is not within the allowable range; index: [", concat({step.text, "]"})
            );
        }
    }
    if (steps.size() > kMaxPathSteps) {
        return problem(
            "The document path has too many nesting levels; nesting levels: ",
            std::to_string(steps.size())
        );
    }
    return {};
}

Result<void> Checker::check_function(const Node& node, bool as_condition) const {
    if (node.op == Op::kUnknownFunction) {
        return problem("Invalid function name; function: ", node.function);
    }
    const bool in_update = tree_.kind == Kind::kUpdate;
    if (in_update != is_update_function(node.op)) {
        return problem(
            in_update ? "The function is not allowed in an update expression; function: "
                      : "The function is not allowed in a condition expression; function: ",
            node.function
        );
    }
    if (!in_update && as_condition != (node.op != Op::kSize)) {
        return problem(
            "The function is not allowed to be used this way in an expression; function: ",
            node.function
        );
    }
    return {};
}

Result<void> Checker::check_node(NodeId id, bool as_condition) const {
    const auto& node = tree_.nodes[id];
    if (node.op == Op::kValue) {
        return {};
    }
    if (node.op == Op::kPath) {
        return check_path(node.first);
    }
    if (is_function(node.op)) {
        GATELEG_TRY(check_function(node, as_condition));
    }
    for (const auto child : tree_.children_of(node)) {
        GATELEG_TRY(check_node(child, joins_conditions(node.op)));
    }
    if (node.op == Op::kIn && node.count - 1U > kMaxInOperands) {
        return problem(
            "The IN operator is provided with too many operands; number of operands: ",
            std::to_string(node.count - 1U)
        );
    }
    return {};
}

Result<void> Checker::check_sections() const {
    static constexpr std::array<std::string_view, 4> kNames = {"SET", "REMOVE", "ADD", "DELETE"};
    std::array<bool, kNames.size()> seen{};
    for (const auto section : tree_.sections) {
        const auto i = static_cast<std::size_t>(section);
        if (seen.at(i)) {
            return problem(
                "The \"",
                concat({kNames.at(i), "\" section can only be used once in an update expression;"})
            );
        }
        seen.at(i) = true;
    }
    return {};
}

}  // namespace

Result<void> check_text(const Tree& tree) {
    if (tree.operators > kMaxOperators) {
        return invalid(
            tree.kind,
            concat({
                "The expression contains too many operators; operator count: ",
                std::to_string(tree.operators),
            })
        );
    }
    const Checker checker(tree);
    if (tree.kind == Kind::kProjection) {
        for (const auto path : tree.projected) {
            GATELEG_TRY(checker.check_path(path));
        }
        return {};
    }
    if (tree.kind != Kind::kUpdate) {
        return checker.check_node(tree.root, true);
    }
    for (const auto& action : tree.actions) {
        GATELEG_TRY(checker.check_path(action.target));
        if (action.section != Section::kRemove) {
            GATELEG_TRY(checker.check_node(action.value, false));
        }
    }
    return checker.check_sections();
}

}  // namespace gateleg::expr

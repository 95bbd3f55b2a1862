#include "expr/update.h"

#include <algorithm>
#include <cstddef>

#include "expr/errors.h"
#include "value/types.h"

namespace gateleg::expr {
namespace {

using value::Type;

// The checks of an update, in DynamoDB's order: all names, all values, the targets together, the
// operands of ADD and DELETE, and those of functions and arithmetic.
class UpdateChecker {
public:
    explicit UpdateChecker(const Binding& binding) : binding_(binding), tree_(*binding.tree) {}

    Result<void> check_placeholders() const;
    Result<void> check_operands() const;

private:
    Result<void> check_action(const Action& action) const;
    Result<void> check_node(NodeId id) const;
    Result<void> check_arguments(const Node& node) const;

    const Binding& binding_;
    const Tree& tree_;
};

// Slots are in the order in which their placeholders are first written.
Result<void> UpdateChecker::check_placeholders() const {
    for (std::size_t i = 0; i < binding_.names.size(); ++i) {
        if (!binding_.names[i]) {
            return undefined_name(Kind::kUpdate, tree_.name_slots[i]);
        }
    }
    for (std::size_t i = 0; i < binding_.values.size(); ++i) {
        if (!binding_.values[i]) {
            return undefined_value(Kind::kUpdate, tree_.value_slots[i]);
        }
    }
    return {};
}

Result<void> UpdateChecker::check_operands() const {
    for (const auto& action : tree_.actions) {
        GATELEG_TRY(check_action(action));
    }
    for (const auto& action : tree_.actions) {
        if (action.section == Section::kSet) {
            GATELEG_TRY(check_node(action.value));
        }
    }
    return {};
}

Result<void> UpdateChecker::check_action(const Action& action) const {
    if (action.section != Section::kAdd && action.section != Section::kDelete) {
        return {};
    }
    const auto type = *static_type(binding_, action.value);
    const bool adds_number = action.section == Section::kAdd && type == Type::kNumber;
    if (!adds_number && !value::is_set(type)) {
        return wrong_action_type(action.section, type);
    }
    return {};
}

Result<void> UpdateChecker::check_node(NodeId id) const {
    const auto& node = tree_.nodes[id];
    if (node.op == Op::kPath || node.op == Op::kValue) {
        return {};
    }
    for (const auto child : tree_.children_of(node)) {
        GATELEG_TRY(check_node(child));
    }
    return check_arguments(node);
}

Result<void> UpdateChecker::check_arguments(const Node& node) const {
    if (node.count != 2) {
        return wrong_operand_count(Kind::kUpdate, node.op, node.count);
    }
    const auto operands = tree_.children_of(node);
    if (node.op == Op::kIfNotExists) {
        if (tree_.nodes[operands[0]].op != Op::kPath) {
            return needs_document_path(Kind::kUpdate, node.op);
        }
        return check_distinct(binding_, node);
    }
    const auto wanted = node.op == Op::kListAppend ? Type::kList : Type::kNumber;
    for (const auto operand : operands) {
        const auto type = static_type(binding_, operand);
        if (type && type != wanted) {
            return wrong_operand_type(Kind::kUpdate, node.op, value::type_name(*type));
        }
    }
    return {};
}

}  // namespace

Result<Update> compile_update(Cache& cache, std::string_view text, Scope& scope) {
    GATELEG_TRY_ASSIGN(auto binding, bind(cache, Kind::kUpdate, text, scope));
    const UpdateChecker checker(binding);
    GATELEG_TRY(checker.check_placeholders());
    std::vector<PathId> targets;
    targets.reserve(binding.tree->actions.size());
    for (const auto& action : binding.tree->actions) {
        targets.push_back(action.target);
    }
    GATELEG_TRY_ASSIGN(auto paths, PathSet::make(binding, targets));
    GATELEG_TRY(checker.check_operands());
    return Update(std::move(binding), std::move(paths));
}

bool can_create_item(const Update& update) {
    const auto& sections = update.binding().tree->sections;
    return std::any_of(sections.begin(), sections.end(), [](Section section) {
        return section == Section::kSet || section == Section::kAdd;
    });
}

std::vector<std::string_view> root_names(const Update& update) {
    std::vector<std::string_view> names;
    for (const auto& member : update.targets().members()) {
        if (names.empty() || names.back() != member.steps[0].name) {
            names.push_back(member.steps[0].name);
        }
    }
    return names;
}

std::vector<std::string_view> nested_root_names(const Update& update) {
    return nested_root_names(update.binding());
}

}  // namespace gateleg::expr

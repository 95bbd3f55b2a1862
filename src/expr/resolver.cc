#include "expr/resolver.h"

#include <algorithm>
#include <compare>
#include <cstddef>

#include "expr/errors.h"
#include "expr/order.h"
#include "value/types.h"

namespace gateleg::expr {
namespace {

using value::Type;
using value::ValueView;

// How DynamoDB names the type of an operand that could be of any.
constexpr std::string_view kAnyType = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}";

bool is_function(Op op) {
    return op >= Op::kAttributeExists && op <= Op::kListAppend;
}

std::size_t operand_count(Op function) {
    switch (function) {
        case Op::kAttributeExists:
        case Op::kAttributeNotExists:
        case Op::kSize:
            return 1;
        default:
            return 2;
    }
}

bool accepts(Op op, Type type) {
    switch (op) {
        case Op::kLess:
        case Op::kLessOrEqual:
        case Op::kGreater:
        case Op::kGreaterOrEqual:
        case Op::kBetween:
            return is_ordered(type);
        case Op::kBeginsWith:
            return type == Type::kString || type == Type::kBinary;
        case Op::kSize:
            return type != Type::kNumber && type != Type::kBool && type != Type::kNull;
        default:
            return true;
    }
}

// Visits conditions in the order they are written, operands before what they belong to.
class ConditionChecker {
public:
    explicit ConditionChecker(const Binding& binding)
        : binding_(binding), tree_(*binding.tree), kind_(tree_.kind) {}

    Result<void> check(NodeId id) const;

private:
    Result<void> check_operands(const Node& node) const;
    Result<void> check_types(const Node& node) const;
    Result<void> check_type_name(NodeId operand) const;
    Result<void> check_bounds(NodeId lower, NodeId upper) const;
    const Node& node(NodeId id) const { return tree_.nodes[id]; }

    const Binding& binding_;
    const Tree& tree_;
    Kind kind_;
};

Result<void> ConditionChecker::check(NodeId id) const {
    const auto& here = node(id);
    if (here.op == Op::kPath) {
        return check_path(binding_, here.first);
    }
    if (here.op == Op::kValue) {
        if (!binding_.values[here.first]) {
            return undefined_value(kind_, tree_.value_slots[here.first]);
        }
        return {};
    }
    for (const auto child : tree_.children_of(here)) {
        GATELEG_TRY(check(child));
    }
    if (here.op == Op::kAnd || here.op == Op::kOr || here.op == Op::kNot) {
        return {};
    }
    return check_operands(here);
}

Result<void> ConditionChecker::check_operands(const Node& here) const {
    if (is_function(here.op) && here.count != operand_count(here.op)) {
        return wrong_operand_count(kind_, here.op, here.count);
    }
    GATELEG_TRY(check_distinct(binding_, here));
    const auto operands = tree_.children_of(here);
    const bool needs_path = here.op == Op::kAttributeExists || here.op == Op::kAttributeNotExists ||
                            here.op == Op::kAttributeType;
    if (needs_path && node(operands[0]).op != Op::kPath) {
        return needs_document_path(kind_, here.op);
    }
    GATELEG_TRY(check_types(here));
    if (here.op == Op::kAttributeType) {
        return check_type_name(operands[1]);
    }
    if (here.op == Op::kBetween) {
        return check_bounds(operands[1], operands[2]);
    }
    return {};
}

Result<void> ConditionChecker::check_types(const Node& here) const {
    for (const auto operand : tree_.children_of(here)) {
        const auto type = static_type(binding_, operand);
        if (type && !accepts(here.op, *type)) {
            return wrong_operand_type(kind_, here.op, value::type_name(*type));
        }
    }
    return {};
}

Result<void> ConditionChecker::check_type_name(NodeId operand) const {
    const auto type = static_type(binding_, operand);
    if (type != Type::kString) {
        const auto found = type ? value::type_name(*type) : kAnyType;
        return wrong_operand_type(kind_, Op::kAttributeType, found);
    }
    const auto name = binding_.values[node(operand).first]->text();
    if (!value::find_type(name)) {
        return unknown_type_name(kind_, name);
    }
    return {};
}

Result<void> ConditionChecker::check_bounds(NodeId lower, NodeId upper) const {
    if (node(lower).op != Op::kValue || node(upper).op != Op::kValue) {
        return {};
    }
    const auto low = *binding_.values[node(lower).first];
    const auto high = *binding_.values[node(upper).first];
    const auto order = find_order(low, high);
    if (!order) {
        return mixed_between_bounds(kind_, low, high);
    }
    if (std::is_gt(*order)) {
        return reversed_between_bounds(kind_, low, high);
    }
    return {};
}

template <class Predicate>
std::vector<std::string_view> collect_roots(const Binding& binding, Predicate predicate) {
    std::vector<std::string_view> names;
    for (const auto& path : binding.tree->paths) {
        const auto name = binding.name_of(binding.tree->steps[path.first]);
        if (predicate(path) && std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
    }
    return names;
}

}  // namespace

Result<Binding> bind(Cache& cache, Kind kind, std::string_view text, Scope& scope) {
    GATELEG_TRY_ASSIGN(auto tree, cache.get(kind, text));
    Binding binding{std::move(tree), {}, {}};
    binding.names.reserve(binding.tree->name_slots.size());
    for (const auto placeholder : binding.tree->name_slots) {
        binding.names.push_back(scope.find_name(placeholder));
    }
    binding.values.reserve(binding.tree->value_slots.size());
    for (const auto placeholder : binding.tree->value_slots) {
        binding.values.push_back(scope.find_value(placeholder));
    }
    return binding;
}

Result<void> check_path(const Binding& binding, PathId path) {
    for (const auto& step : binding.tree->steps_of(path)) {
        if (step.form == Step::Form::kPlaceholder && !binding.names[step.number]) {
            return undefined_name(binding.tree->kind, step.text);
        }
    }
    return {};
}

Result<void> check_condition(const Binding& binding) {
    return ConditionChecker(binding).check(binding.tree->root);
}

std::string render_path(const Binding& binding, PathId path) {
    std::string text = "[";
    for (const auto& step : binding.tree->steps_of(path)) {
        text += text.size() == 1 ? "" : ", ";
        text += step.form == Step::Form::kIndex ? concat({"[", step.text, "]"})
                                                : std::string(binding.name_of(step));
    }
    return text + "]";
}

bool same_path(const Binding& binding, PathId left, PathId right) {
    const auto a = binding.tree->steps_of(left);
    const auto b = binding.tree->steps_of(right);
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const Step& x, const Step& y) {
        const bool is_index = x.form == Step::Form::kIndex;
        if (is_index != (y.form == Step::Form::kIndex)) {
            return false;
        }
        return is_index ? x.number == y.number : binding.name_of(x) == binding.name_of(y);
    });
}

std::optional<Type> static_type(const Binding& binding, NodeId operand) {
    const auto& node = binding.tree->nodes[operand];
    if (node.op == Op::kValue) {
        return binding.values[node.first]->type();
    }
    if (node.op == Op::kSize) {
        return Type::kNumber;
    }
    return std::nullopt;
}

Result<void> check_distinct(const Binding& binding, const Node& node) {
    const auto& tree = *binding.tree;
    const auto operands = tree.children_of(node);
    const auto& first = tree.nodes[operands[0]];
    if (first.op != Op::kPath) {
        return {};
    }
    for (const auto id : operands.subspan(1)) {
        const auto& other = tree.nodes[id];
        if (other.op == Op::kPath && same_path(binding, first.first, other.first)) {
            return operands_not_distinct(tree.kind, node.op, render_path(binding, first.first));
        }
    }
    return {};
}

std::optional<ValueView> find_value(const Binding& binding, PathId path, ValueView item) {
    std::optional<ValueView> found = item;
    for (const auto& step : binding.tree->steps_of(path)) {
        const bool is_index = step.form == Step::Form::kIndex;
        if (found->type() != (is_index ? Type::kList : Type::kMap)) {
            return std::nullopt;
        }
        found = is_index ? found->at(step.number) : found->find(binding.name_of(step));
        if (!found) {
            return std::nullopt;
        }
    }
    return found;
}

std::vector<std::string_view> root_names(const Binding& binding) {
    return collect_roots(binding, [](const Path&) { return true; });
}

std::vector<std::string_view> nested_root_names(const Binding& binding) {
    return collect_roots(binding, [](const Path& path) { return path.count > 1; });
}

}  // namespace gateleg::expr

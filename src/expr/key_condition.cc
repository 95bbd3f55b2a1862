#include "expr/key_condition.h"

#include <algorithm>
#include <span>

#include "expr/errors.h"

namespace gateleg::expr {
namespace {

Error wrong_condition(std::string_view problem) {
    return validation_error(concat({"Invalid condition in KeyConditionExpression: ", problem}));
}

// None for an operator that a key condition cannot have.
std::optional<KeyOp> find_key_op(Op op) {
    switch (op) {
        case Op::kEqual:
            return KeyOp::kEqual;
        case Op::kLess:
            return KeyOp::kLess;
        case Op::kLessOrEqual:
            return KeyOp::kLessOrEqual;
        case Op::kGreater:
            return KeyOp::kGreater;
        case Op::kGreaterOrEqual:
            return KeyOp::kGreaterOrEqual;
        case Op::kBetween:
            return KeyOp::kBetween;
        case Op::kBeginsWith:
            return KeyOp::kBeginsWith;
        default:
            return std::nullopt;
    }
}

// The operator after its operands have changed sides.
KeyOp mirrored(KeyOp op) {
    switch (op) {
        case KeyOp::kLess:
            return KeyOp::kGreater;
        case KeyOp::kLessOrEqual:
            return KeyOp::kGreaterOrEqual;
        case KeyOp::kGreater:
            return KeyOp::kLess;
        case KeyOp::kGreaterOrEqual:
            return KeyOp::kLessOrEqual;
        case KeyOp::kEqual:
        case KeyOp::kBetween:
        case KeyOp::kBeginsWith:
            return op;
    }
    return op;
}

class Collector {
public:
    explicit Collector(const Binding& binding) : binding_(binding), tree_(*binding.tree) {}

    Result<void> collect(NodeId id);
    std::vector<KeyPredicate> take() && { return std::move(predicates_); }

private:
    Result<std::size_t> find_attribute(std::span<const NodeId> operands) const;
    Result<void> add(const Node& node, KeyOp op);
    const Node& node(NodeId id) const { return tree_.nodes[id]; }
    value::ValueView value(NodeId id) const { return *binding_.values[node(id).first]; }

    const Binding& binding_;
    const Tree& tree_;
    std::vector<KeyPredicate> predicates_;
};

Result<void> Collector::collect(NodeId id) {
    const auto& here = node(id);
    if (here.op == Op::kAnd) {
        for (const auto child : tree_.children_of(here)) {
            GATELEG_TRY(collect(child));
        }
        return {};
    }
    const auto op = find_key_op(here.op);
    if (!op) {
        return validation_error(
            concat({"Invalid operator used in KeyConditionExpression: ", op_name(here.op)})
        );
    }
    const bool path_first = node(tree_.children_of(here)[0]).op == Op::kPath;
    if (!path_first && (*op == KeyOp::kBetween || *op == KeyOp::kBeginsWith)) {
        return wrong_condition(concat({
            op_name(here.op),
            " operator must have the key attribute as its first operand",
        }));
    }
    return add(here, *op);
}

// Which operand is the attribute; the others are values.
Result<std::size_t> Collector::find_attribute(std::span<const NodeId> operands) const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const auto& operand = node(operands[i]);
        if (operand.op == Op::kValue) {
            continue;
        }
        if (operand.op != Op::kPath) {
            return validation_error("KeyConditionExpressions cannot contain nested operations");
        }
        if (found) {
            return wrong_condition("Multiple attribute names used in one condition");
        }
        if (tree_.paths[operand.first].count > 1) {
            return validation_error(
                "KeyConditionExpressions cannot have conditions on nested attributes"
            );
        }
        found = i;
    }
    if (!found) {
        return wrong_condition("No key attribute specified");
    }
    return *found;
}

Result<void> Collector::add(const Node& here, KeyOp op) {
    const auto operands = tree_.children_of(here);
    GATELEG_TRY_ASSIGN(const auto position, find_attribute(operands));
    const auto& path = tree_.paths[node(operands[position]).first];
    const auto attribute = binding_.name_of(tree_.steps[path.first]);
    const bool repeated =
        std::any_of(predicates_.begin(), predicates_.end(), [&](const KeyPredicate& other) {
            return other.attribute == attribute;
        });
    if (repeated) {
        return validation_error("KeyConditionExpressions must only contain one condition per key");
    }
    KeyPredicate predicate{
        std::string(attribute),
        position == 0 ? op : mirrored(op),
        value(operands[position == 0 ? 1 : 0]),
        std::nullopt,
    };
    if (op == KeyOp::kBetween) {
        predicate.upper = value(operands[2]);
    }
    predicates_.push_back(std::move(predicate));
    return {};
}

}  // namespace

Result<KeyCondition> compile_key_condition(Cache& cache, std::string_view text, Scope& scope) {
    GATELEG_TRY_ASSIGN(auto binding, bind(cache, Kind::kKeyCondition, text, scope));
    GATELEG_TRY(check_condition(binding));
    return KeyCondition(std::move(binding));
}

Result<std::vector<KeyPredicate>> key_predicates(const KeyCondition& condition) {
    Collector collector(condition.binding());
    GATELEG_TRY(collector.collect(condition.binding().tree->root));
    return std::move(collector).take();
}

}  // namespace gateleg::expr

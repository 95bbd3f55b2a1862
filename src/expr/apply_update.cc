#include <compare>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>

#include "expr/change.h"
#include "expr/errors.h"
#include "expr/order.h"
#include "expr/projection.h"
#include "expr/update.h"
#include "value/number.h"
#include "value/types.h"
#include "value/value_writer.h"

namespace gateleg::expr {
namespace {

using value::Number;
using value::Type;
using value::ValueView;

// Works out what each action writes. Problems are kept rather than returned, because DynamoDB
// reports a wrong type anywhere before a bad path, and that before a missing operand.
class Calculator {
public:
    Calculator(const Binding& binding, ValueView item)
        : binding_(binding), tree_(*binding.tree), item_(item) {}

    Change change(const Action& action);

    const std::optional<Error>& wrong_type() const { return wrong_type_; }
    const std::optional<Error>& missing() const { return missing_; }
    const std::optional<Error>& bad_number() const { return bad_number_; }

private:
    using Value = std::optional<ValueView>;

    Value evaluate(NodeId id);
    Value arithmetic(Op op, Value left, Value right);
    Value append_lists(Value left, Value right);
    Change add(Value old, ValueView operand);
    Change remove_members(Value old, ValueView operand);
    template <class Keep>
    Value merge_sets(ValueView left, ValueView right, Keep keep);
    bool require(Value value, Type type);
    ValueView built(std::string bytes) {
        return ValueView(built_.emplace_back(std::move(bytes)).data());
    }

    const Binding& binding_;
    const Tree& tree_;
    ValueView item_;
    std::deque<std::string> built_;  // Its elements do not move: views point into them.
    std::optional<Error> wrong_type_;
    std::optional<Error> missing_;
    std::optional<Error> bad_number_;
};

Change Calculator::change(const Action& action) {
    if (action.section == Section::kRemove) {
        return {Change::Form::kDrop, std::nullopt};
    }
    const auto value = evaluate(action.value);
    if (action.section == Section::kSet || !value) {
        return {Change::Form::kPut, value};
    }
    const auto old = find_value(binding_, action.target, item_);
    return action.section == Section::kAdd ? add(old, *value) : remove_members(old, *value);
}

std::optional<ValueView> Calculator::evaluate(NodeId id) {
    const auto& node = tree_.nodes[id];
    const auto operands = tree_.children_of(node);
    switch (node.op) {
        case Op::kValue:
            return binding_.values[node.first];
        case Op::kPath: {
            const auto found = find_value(binding_, node.first, item_);
            if (!found) {
                missing_ = missing_operand();
            }
            return found;
        }
        case Op::kIfNotExists: {
            const auto found = find_value(binding_, tree_.nodes[operands[0]].first, item_);
            return found ? found : evaluate(operands[1]);
        }
        case Op::kListAppend: {
            const auto left = evaluate(operands[0]);
            return append_lists(left, evaluate(operands[1]));
        }
        default: {
            const auto left = evaluate(operands[0]);
            return arithmetic(node.op, left, evaluate(operands[1]));
        }
    }
}

// A value that is not there has been reported already.
bool Calculator::require(Value value, Type type) {
    if (value && value->type() != type) {
        wrong_type_ = wrong_update_operand();
    }
    return value && value->type() == type;
}

std::optional<ValueView> Calculator::arithmetic(Op op, Value left, Value right) {
    const bool left_fits = require(left, Type::kNumber);
    if (!require(right, Type::kNumber) || !left_fits) {
        return std::nullopt;
    }
    const auto a = Number::parse(left->text());
    const auto b = Number::parse(right->text());
    auto result = op == Op::kPlus ? Number::add(*a, *b) : Number::subtract(*a, *b);
    if (!result) {
        bad_number_ = std::move(result).error();
        return std::nullopt;
    }
    std::string bytes;
    value::ValueWriter(bytes).number(result->to_text());
    return built(std::move(bytes));
}

std::optional<ValueView> Calculator::append_lists(Value left, Value right) {
    const bool left_fits = require(left, Type::kList);
    if (!require(right, Type::kList) || !left_fits) {
        return std::nullopt;
    }
    std::string bytes;
    value::ValueWriter writer(bytes);
    const auto mark = writer.begin_list(left->count() + right->count());
    for (const auto list : {*left, *right}) {
        for (const auto element : list.elements()) {
            writer.copy(element);
        }
    }
    writer.end(mark);
    return built(std::move(bytes));
}

Change Calculator::add(Value old, ValueView operand) {
    if (!old) {
        return {Change::Form::kPut, operand};
    }
    if (!require(old, operand.type())) {
        return {};
    }
    if (operand.type() == Type::kNumber) {
        return {Change::Form::kPut, arithmetic(Op::kPlus, old, operand)};
    }
    return {Change::Form::kPut, merge_sets(*old, operand, [](bool, bool) { return true; })};
}

Change Calculator::remove_members(Value old, ValueView operand) {
    if (!old || !require(old, operand.type())) {
        return {};
    }
    const auto rest = merge_sets(*old, operand, [](bool in_old, bool in_operand) {
        return in_old && !in_operand;
    });
    return {rest ? Change::Form::kPut : Change::Form::kDrop, rest};
}

// The set of those members of either that `keep(in left, in right)` wants; none if it is empty.
template <class Keep>
std::optional<ValueView> Calculator::merge_sets(ValueView left, ValueView right, Keep keep) {
    const auto type = value::member_type(left.type());
    std::vector<std::string_view> members;
    const auto lefts = left.members();
    const auto rights = right.members();
    auto l = lefts.begin();
    auto r = rights.begin();
    while (l != lefts.end() || r != rights.end()) {
        const auto order = l == lefts.end()    ? std::strong_ordering::greater
                           : r == rights.end() ? std::strong_ordering::less
                                               : order_texts(type, *l, *r);
        const bool in_left = std::is_lteq(order);
        const bool in_right = std::is_gteq(order);
        if (keep(in_left, in_right)) {
            members.push_back(in_left ? *l : *r);
        }
        if (in_left) {
            ++l;
        }
        if (in_right) {
            ++r;
        }
    }
    if (members.empty()) {
        return std::nullopt;
    }
    std::string bytes;
    value::ValueWriter(bytes).set(left.type(), members);
    return built(std::move(bytes));
}

// Everything before the last step has to be there, and be what that step goes into.
bool is_writable(ValueView item, std::span<const PathStep> steps) {
    std::optional<ValueView> parent = item;
    for (std::size_t i = 0;; ++i) {
        const auto& step = steps[i];
        if (parent->type() != (step.is_index ? Type::kList : Type::kMap)) {
            return false;
        }
        if (i + 1 == steps.size()) {
            return true;
        }
        parent = step.is_index ? parent->at(step.index) : parent->find(step.name);
        if (!parent) {
            return false;
        }
    }
}

}  // namespace

Result<UpdateResult> apply_update(const Update& update, ValueView item, UpdateWants wants) {
    const auto& binding = update.binding();
    const auto targets = update.targets().members();
    Calculator calculator(binding, item);
    std::vector<Change> changes;
    changes.reserve(targets.size());
    for (const auto& action : binding.tree->actions) {
        changes.push_back(calculator.change(action));
    }
    if (calculator.wrong_type()) {
        return *calculator.wrong_type();
    }
    for (const auto& target : targets) {
        if (!is_writable(item, target.steps)) {
            return bad_update_path();
        }
    }
    if (calculator.missing()) {
        return *calculator.missing();
    }
    if (calculator.bad_number()) {
        return *calculator.bad_number();
    }
    std::string bytes;
    append_changed(bytes, item, update.targets(), changes);
    UpdateResult result{value::EncodedItem(std::move(bytes)), {}, {}};
    if (wants.updated_old) {
        append_projected(result.updated_old, update.targets(), item);
    }
    if (wants.updated_new) {
        append_projected(result.updated_new, update.targets(), result.item.view());
    }
    return result;
}

}  // namespace gateleg::expr

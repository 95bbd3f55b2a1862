#include "expr/condition.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <string>

#include "expr/order.h"
#include "value/types.h"
#include "value/value_writer.h"

namespace gateleg::expr {
namespace {

using value::Type;
using value::ValueView;

// The length in UTF-16 units, which is what size() of a string is in DynamoDB.
std::size_t utf16_length(std::string_view text) {
    std::size_t length = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        length += (byte & 0xc0U) == 0x80U ? 0 : byte >= 0xf0U ? 2 : 1;
    }
    return length;
}

std::optional<std::size_t> find_size(ValueView value) {
    switch (value.type()) {
        case Type::kString:
            return utf16_length(value.text());
        case Type::kBinary:
            return value.text().size();
        case Type::kList:
        case Type::kMap:
        case Type::kStringSet:
        case Type::kNumberSet:
        case Type::kBinarySet:
            return value.count();
        case Type::kNumber:
        case Type::kBool:
        case Type::kNull:
            return std::nullopt;
    }
    return std::nullopt;
}

bool begins_with(ValueView value, ValueView prefix) {
    const bool has_text = value.type() == Type::kString || value.type() == Type::kBinary;
    return has_text && value.type() == prefix.type() && value.text().starts_with(prefix.text());
}

bool contains(ValueView whole, ValueView part) {
    switch (whole.type()) {
        case Type::kString:
        case Type::kBinary:
            return whole.type() == part.type() &&
                   whole.text().find(part.text()) != std::string_view::npos;
        case Type::kStringSet:
        case Type::kNumberSet:
        case Type::kBinarySet:
            return value::member_type(whole.type()) == part.type() && whole.has_member(part.text());
        case Type::kList:
            for (const auto element : whole.elements()) {
                if (element == part) {
                    return true;
                }
            }
            return false;
        case Type::kNumber:
        case Type::kBool:
        case Type::kNull:
        case Type::kMap:
            return false;
    }
    return false;
}

// Where an operand's value is: in the item, among the request's values, or, for size(), here.
class Operand {
public:
    Operand(const Binding& binding, NodeId id, std::optional<ValueView> item);
    Operand(const Operand&) = delete;
    Operand& operator=(const Operand&) = delete;

    explicit operator bool() const { return value_.has_value(); }
    ValueView operator*() const { return *value_; }

private:
    std::optional<ValueView> value_;
    std::string size_;
};

Operand::Operand(const Binding& binding, NodeId id, std::optional<ValueView> item) {
    const auto& tree = *binding.tree;
    const auto& node = tree.nodes[id];
    if (node.op == Op::kValue) {
        value_ = binding.values[node.first];
    } else if (node.op == Op::kPath) {
        value_ = item ? find_value(binding, node.first, *item) : std::nullopt;
    } else {
        const Operand measured(binding, tree.children_of(node)[0], item);
        const auto size = measured ? find_size(*measured) : std::nullopt;
        if (size) {
            value::ValueWriter(size_).number(std::to_string(*size));
            value_ = ValueView(size_.data());
        }
    }
}

class Evaluator {
public:
    Evaluator(const Binding& binding, std::optional<ValueView> item)
        : binding_(binding), tree_(*binding.tree), item_(item) {}

    bool holds(NodeId id) const;

private:
    bool compare(const Node& node) const;
    bool between(const Node& node) const;
    bool in(const Node& node) const;
    bool function(const Node& node) const;
    Operand operand(const Node& node, std::size_t i) const {
        return {binding_, tree_.children_of(node)[i], item_};
    }

    const Binding& binding_;
    const Tree& tree_;
    std::optional<ValueView> item_;
};

bool Evaluator::holds(NodeId id) const {
    const auto& node = tree_.nodes[id];
    const auto children = tree_.children_of(node);
    switch (node.op) {
        case Op::kAnd:
            return std::all_of(children.begin(), children.end(), [&](NodeId child) {
                return holds(child);
            });
        case Op::kOr:
            return std::any_of(children.begin(), children.end(), [&](NodeId child) {
                return holds(child);
            });
        case Op::kNot:
            return !holds(children[0]);
        case Op::kBetween:
            return between(node);
        case Op::kIn:
            return in(node);
        case Op::kEqual:
        case Op::kNotEqual:
        case Op::kLess:
        case Op::kLessOrEqual:
        case Op::kGreater:
        case Op::kGreaterOrEqual:
            return compare(node);
        default:
            return function(node);
    }
}

// An operand that is not there equals nothing, and is neither less nor greater.
bool Evaluator::compare(const Node& node) const {
    const auto left = operand(node, 0);
    const auto right = operand(node, 1);
    const bool both = left && right;
    if (node.op == Op::kEqual) {
        return both && *left == *right;
    }
    if (node.op == Op::kNotEqual) {
        return !both || !(*left == *right);
    }
    const auto order = both ? find_order(*left, *right) : std::nullopt;
    if (!order) {
        return false;
    }
    switch (node.op) {
        case Op::kLess:
            return std::is_lt(*order);
        case Op::kLessOrEqual:
            return std::is_lteq(*order);
        case Op::kGreater:
            return std::is_gt(*order);
        default:
            return std::is_gteq(*order);
    }
}

bool Evaluator::between(const Node& node) const {
    const auto value = operand(node, 0);
    const auto lower = operand(node, 1);
    const auto upper = operand(node, 2);
    if (!value || !lower || !upper) {
        return false;
    }
    const auto above = find_order(*lower, *value);
    const auto below = find_order(*value, *upper);
    return above && below && std::is_lteq(*above) && std::is_lteq(*below);
}

bool Evaluator::in(const Node& node) const {
    const auto value = operand(node, 0);
    if (!value) {
        return false;
    }
    for (std::size_t i = 1; i < node.count; ++i) {
        const auto candidate = operand(node, i);
        if (candidate && *candidate == *value) {
            return true;
        }
    }
    return false;
}

bool Evaluator::function(const Node& node) const {
    const auto subject = operand(node, 0);
    if (node.op == Op::kAttributeNotExists) {
        return !subject;
    }
    if (node.op == Op::kAttributeExists || !subject) {
        return static_cast<bool>(subject);
    }
    const auto argument = operand(node, 1);
    if (!argument) {
        return false;
    }
    switch (node.op) {
        case Op::kAttributeType:
            return value::type_name((*subject).type()) == (*argument).text();
        case Op::kBeginsWith:
            return begins_with(*subject, *argument);
        default:
            return contains(*subject, *argument);
    }
}

}  // namespace

Result<Condition> compile_condition(Cache& cache, Kind kind, std::string_view text, Scope& scope) {
    GATELEG_TRY_ASSIGN(auto binding, bind(cache, kind, text, scope));
    GATELEG_TRY(check_condition(binding));
    return Condition(std::move(binding));
}

bool holds(const Condition& condition, std::optional<ValueView> item) {
    const auto& binding = condition.binding();
    return Evaluator(binding, item).holds(binding.tree->root);
}

std::vector<std::string_view> root_names(const Condition& condition) {
    return root_names(condition.binding());
}

std::vector<std::string_view> nested_root_names(const Condition& condition) {
    return nested_root_names(condition.binding());
}

}  // namespace gateleg::expr

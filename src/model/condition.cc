#include "model/condition.h"

#include <algorithm>

namespace gateleg::model {

struct Condition::Node {
    enum class Kind : std::uint8_t {
        kKnown,  // `value` is computed before the call
        kAll,
        kAny,
        kNot,
        kCompare,  // path with `value`, or with `other`
        kIn,
        kIsNull,
        kIsTrue,
        kStartsWith,
        kExists,
        kAbsent,
        kChoose,  // by `value`: the part with that label, or true/false
    };
    // request.tags[0]: the root is an attribute, or the marker.
    struct Path {
        std::vector<std::string> names;
        std::vector<std::optional<std::int64_t>> indexes;  // parallel: set for [n]
        const Attribute* attribute = nullptr;
    };

    Kind kind = Kind::kKnown;
    BinaryOp op = BinaryOp::kEqual;
    Path path = {};
    Path other = {};
    bool has_other = false;
    ExprPtr value = nullptr;
    std::vector<ExprPtr> values = {};
    std::vector<std::shared_ptr<const Node>> parts = {};
    std::vector<std::string> labels = {};
};

namespace {

using value::AttributeValue;
using Node = Condition::Node;
using NodePtr = std::shared_ptr<const Node>;
using Kind = Node::Kind;

bool is_literal_null(const Expr& expr) {
    const auto* literal = std::get_if<LiteralNode>(&expr.node);
    return literal != nullptr && std::holds_alternative<value::Null>(literal->value.data);
}

BinaryOp turned(BinaryOp op) {
    switch (op) {
        case BinaryOp::kLess:
            return BinaryOp::kGreater;
        case BinaryOp::kLessOrEqual:
            return BinaryOp::kGreaterOrEqual;
        case BinaryOp::kGreater:
            return BinaryOp::kLess;
        case BinaryOp::kGreaterOrEqual:
            return BinaryOp::kLessOrEqual;
        default:
            return op;
    }
}

bool is_comparison(BinaryOp op) {
    return op >= BinaryOp::kEqual && op <= BinaryOp::kGreaterOrEqual;
}

class Compiler {
public:
    explicit Compiler(const Entity& entity) : entity_(entity) {}

    Result<NodePtr> run(const ExprPtr& expr) {
        if (!needs_item(expr)) {
            auto node = make(Kind::kKnown);
            node->value = expr;
            return NodePtr(node);
        }
        if (const auto* binary = std::get_if<BinaryNode>(&expr->node)) {
            return run_binary(*binary, *expr);
        }
        if (const auto* unary = std::get_if<UnaryNode>(&expr->node);
            unary != nullptr && unary->op == UnaryOp::kNot) {
            GATELEG_TRY_ASSIGN(auto inner, run(unary->operand));
            auto node = make(Kind::kNot);
            node->parts = {inner};
            return NodePtr(node);
        }
        if (const auto* word = std::get_if<WordNode>(&expr->node)) {
            return NodePtr(make(word->word == Word::kExists ? Kind::kExists : Kind::kAbsent));
        }
        if (const auto* name = std::get_if<NameNode>(&expr->node)) {
            const auto* attribute = entity_.find_attribute(name->name);
            if (attribute != nullptr && attribute->is && !attribute->stored) {
                return run(attribute->is->root);
            }
        }
        if (const auto* in = std::get_if<InNode>(&expr->node)) {
            return run_in(*in, *expr);
        }
        if (const auto* choice = std::get_if<ConditionalNode>(&expr->node)) {
            return run_choice(*choice, *expr);
        }
        if (const auto* call = std::get_if<CallNode>(&expr->node)) {
            return run_call(*call, *expr);
        }
        if (const auto path = find_path(expr)) {
            auto node = make(Kind::kIsTrue);
            node->path = *path;
            return NodePtr(node);
        }
        return cannot(*expr);
    }

private:
    static std::shared_ptr<Node> make(Kind kind) {
        auto node = std::make_shared<Node>();
        node->kind = kind;
        return node;
    }

    Error cannot(const Expr& /*expr*/) const {
        return validation_error(
            "DynamoDB compares attributes and cannot calculate with them; use require or a derived "
            "attribute"
        );
    }

    // True if only the stored item can answer: it names an attribute that is not part of the key.
    bool needs_item(const ExprPtr& root) const {
        bool found = false;
        walk(root, [&](const Expr& expr) {
            if (const auto* word = std::get_if<WordNode>(&expr.node)) {
                found |= word->word == Word::kExists || word->word == Word::kAbsent;
            }
            const auto* name = std::get_if<NameNode>(&expr.node);
            if (name == nullptr || name->meaning == NameNode::Meaning::kEnumValue) {
                return;
            }
            const auto* attribute = entity_.find_attribute(name->name);
            if (attribute == nullptr) {
                found = true;  // the marker
            } else if (attribute->is && !attribute->stored) {
                found |= needs_item(attribute->is->root);
            } else {
                found |= !attribute->key_only();
            }
        });
        return found;
    }

    std::optional<Node::Path> find_path(const ExprPtr& expr) const {
        if (const auto* name = std::get_if<NameNode>(&expr->node)) {
            const auto* attribute = entity_.find_attribute(name->name);
            if (name->meaning == NameNode::Meaning::kEnumValue ||
                (attribute != nullptr && !attribute->stored)) {
                return std::nullopt;
            }
            return Node::Path{{name->name}, {std::nullopt}, attribute};
        }
        if (const auto* member = std::get_if<MemberNode>(&expr->node)) {
            auto path = find_path(member->object);
            if (path) {
                path->names.push_back(member->name);
                path->indexes.emplace_back();
                path->attribute = expr->type.attribute;
            }
            return path;
        }
        if (const auto* index = std::get_if<IndexNode>(&expr->node)) {
            const auto* literal = std::get_if<LiteralNode>(&index->index->node);
            const auto* number =
                literal != nullptr ? std::get_if<value::Number>(&literal->value.data) : nullptr;
            auto path = number != nullptr ? find_path(index->object) : std::nullopt;
            if (path && !number->is_negative() && number->exponent() >= 0) {
                path->names.emplace_back();
                path->indexes.emplace_back(std::stoll(number->to_text()));
                path->attribute = expr->type.attribute;
                return path;
            }
        }
        return std::nullopt;
    }

    Result<NodePtr> run_binary(const BinaryNode& binary, const Expr& expr) {
        if (binary.op == BinaryOp::kAnd || binary.op == BinaryOp::kOr) {
            auto node = make(binary.op == BinaryOp::kAnd ? Kind::kAll : Kind::kAny);
            GATELEG_TRY_ASSIGN(auto left, run(binary.left));
            GATELEG_TRY_ASSIGN(auto right, run(binary.right));
            node->parts = {left, right};
            return NodePtr(node);
        }
        if (!is_comparison(binary.op)) {
            return cannot(expr);
        }
        return run_comparison(binary, expr);
    }

    Result<NodePtr> run_comparison(const BinaryNode& binary, const Expr& expr) {
        const bool left_is_path = needs_item(binary.left);
        const auto& path_side = left_is_path ? binary.left : binary.right;
        const auto& other_side = left_is_path ? binary.right : binary.left;
        const auto path = find_path(path_side);
        if (!path) {
            return compare_condition(path_side, other_side, binary.op, expr);
        }
        if (is_literal_null(*other_side)) {
            return null_test(*path, binary.op);
        }
        auto node = make(Kind::kCompare);
        node->op = left_is_path ? binary.op : turned(binary.op);
        node->path = *path;
        if (needs_item(other_side)) {
            const auto other = find_path(other_side);
            if (!other) {
                return cannot(expr);
            }
            node->other = *other;
            node->has_other = true;
        } else {
            node->value = other_side;
        }
        return NodePtr(node);
    }

    static NodePtr null_test(const Node::Path& path, BinaryOp op) {
        auto test = make(Kind::kIsNull);
        test->path = path;
        if (op != BinaryOp::kNotEqual) {
            return test;
        }
        auto node = make(Kind::kNot);
        node->parts = {test};
        return node;
    }

    // `live = true`, where live is a condition itself.
    Result<NodePtr> compare_condition(
        const ExprPtr& condition, const ExprPtr& other, BinaryOp op, const Expr& expr
    ) {
        const auto* literal = std::get_if<LiteralNode>(&other->node);
        const auto* wanted = literal != nullptr ? std::get_if<bool>(&literal->value.data) : nullptr;
        if (wanted == nullptr || (op != BinaryOp::kEqual && op != BinaryOp::kNotEqual)) {
            return cannot(expr);
        }
        GATELEG_TRY_ASSIGN(auto inner, run(condition));
        if (*wanted == (op == BinaryOp::kEqual)) {
            return inner;
        }
        auto node = make(Kind::kNot);
        node->parts = {inner};
        return NodePtr(node);
    }

    Result<NodePtr> run_in(const InNode& in, const Expr& expr) {
        const auto path = find_path(in.operand);
        const bool known = std::none_of(in.options.begin(), in.options.end(), [&](const auto& one) {
            return needs_item(one);
        });
        if (!path || !known) {
            return cannot(expr);
        }
        auto node = make(Kind::kIn);
        node->path = *path;
        node->values = in.options;
        return NodePtr(node);
    }

    Result<NodePtr> run_choice(const ConditionalNode& choice, const Expr& expr) {
        if (needs_item(choice.test)) {
            return cannot(expr);
        }
        auto node = make(Kind::kChoose);
        node->value = choice.test;
        GATELEG_TRY_ASSIGN(auto yes, run(choice.yes));
        GATELEG_TRY_ASSIGN(auto no, run(choice.no));
        node->parts = {yes, no};
        node->labels = {"true", "false"};
        return NodePtr(node);
    }

    Result<NodePtr> run_call(const CallNode& call, const Expr& expr) {
        if (call.function == "starts_with" && call.arguments.size() == 2) {
            const auto path = find_path(call.arguments[0].value);
            if (!path || needs_item(call.arguments[1].value)) {
                return cannot(expr);
            }
            auto node = make(Kind::kStartsWith);
            node->path = *path;
            node->value = call.arguments[1].value;
            return NodePtr(node);
        }
        if (call.function != "match" || needs_item(call.arguments[0].value)) {
            return cannot(expr);
        }
        auto node = make(Kind::kChoose);
        node->value = call.arguments[0].value;
        for (std::size_t at = 1; at < call.arguments.size(); ++at) {
            GATELEG_TRY_ASSIGN(auto part, run(call.arguments[at].value));
            node->parts.push_back(part);
            node->labels.push_back(call.arguments[at].name);
        }
        return NodePtr(node);
    }

    const Entity& entity_;
};

class Binder {
public:
    Binder(const Table& table, const Environment& environment, int first)
        : table_(table), environment_(environment), placeholders_{first, first} {}

    // A part: known, or text.
    struct Part {
        std::optional<bool> known;
        std::string text;
    };

    Result<Part> run(const Node& node) {
        switch (node.kind) {
            case Kind::kKnown: {
                GATELEG_TRY_ASSIGN(const auto value, evaluate(*node.value, environment_));
                return Part{is_true(value), {}};
            }
            case Kind::kAll:
            case Kind::kAny:
                return join(node);
            case Kind::kNot: {
                GATELEG_TRY_ASSIGN(auto part, run(*node.parts[0]));
                if (part.known) {
                    return Part{!*part.known, {}};
                }
                // DynamoDB refuses doubled parentheses; a text that starts with one is all in them.
                const bool wrapped = part.text.starts_with('(');
                return Part{{}, wrapped ? "NOT " + part.text : "NOT (" + part.text + ")"};
            }
            case Kind::kCompare:
                return compare(node);
            case Kind::kIn:
                return in(node);
            case Kind::kIsNull:
                return Part{{}, null_text(node.path)};
            case Kind::kIsTrue: {
                const auto path = path_text(node.path);
                const auto value = to_stored(boolean_value(true), node.path.attribute);
                return Part{{}, path + " = " + value_text(value)};
            }
            case Kind::kStartsWith: {
                GATELEG_TRY_ASSIGN(const auto value, evaluate(*node.value, environment_));
                if (is_null(value)) {
                    return Part{false, {}};
                }
                const auto path = path_text(node.path);
                return Part{
                    {}, "begins_with(" + path + ", " + value_text(to_stored(value, nullptr)) + ")"};
            }
            case Kind::kExists:
                return Part{{}, existence_text(true)};
            case Kind::kAbsent:
                return Part{{}, existence_text(false)};
            case Kind::kChoose:
                return choose(node);
        }
        return Part{false, {}};
    }

    BoundCondition finish(Part part) {
        BoundCondition bound;
        bound.constant = part.known;
        bound.text = std::move(part.text);
        if (!part.known) {
            bound.next = std::max(placeholders_.next_name, placeholders_.next_value);
            bound.names = std::move(placeholders_.names);
            bound.values = std::move(placeholders_.values);
        }
        return bound;
    }

private:
    Result<Part> join(const Node& node) {
        const bool all = node.kind == Kind::kAll;
        const auto before = placeholders_;
        std::string text;
        int count = 0;
        for (const auto& inner : node.parts) {
            GATELEG_TRY_ASSIGN(const auto part, run(*inner));
            if (part.known) {
                if (*part.known != all) {
                    // DynamoDB refuses names and values that no text uses.
                    placeholders_ = before;
                    return Part{!all, {}};
                }
                continue;
            }
            text += (count == 0 ? "" : all ? " AND " : " OR ") + part.text;
            ++count;
        }
        if (count == 0) {
            return Part{all, {}};
        }
        return Part{{}, count == 1 ? text : "(" + text + ")"};
    }

    Result<Part> compare(const Node& node) {
        static constexpr const char* kSigns[] = {" = ", " <> ", " < ", " <= ", " > ", " >= "};
        const auto* sign = kSigns[static_cast<int>(node.op) - static_cast<int>(BinaryOp::kEqual)];
        if (node.has_other) {
            const auto left = path_text(node.path);
            return Part{{}, left + sign + path_text(node.other)};
        }
        GATELEG_TRY_ASSIGN(const auto value, evaluate(*node.value, environment_));
        const bool equal = node.op == BinaryOp::kEqual;
        const bool not_equal = node.op == BinaryOp::kNotEqual;
        if (std::holds_alternative<Nobody>(value)) {
            return Part{not_equal, {}};
        }
        if (is_null(value)) {
            if (equal) {
                return Part{{}, null_text(node.path)};
            }
            if (not_equal) {
                return Part{{}, "NOT " + null_text(node.path)};
            }
            return Part{false, {}};
        }
        const auto left = path_text(node.path);
        return Part{{}, left + sign + value_text(to_stored(value, node.path.attribute))};
    }

    Result<Part> in(const Node& node) {
        std::string list;
        for (const auto& option : node.values) {
            GATELEG_TRY_ASSIGN(const auto value, evaluate(*option, environment_));
            if (!is_null(value)) {
                list +=
                    (list.empty() ? "" : ", ") + value_text(to_stored(value, node.path.attribute));
            }
        }
        if (list.empty()) {
            return Part{false, {}};
        }
        return Part{{}, path_text(node.path) + " IN (" + list + ")"};
    }

    Result<Part> choose(const Node& node) {
        GATELEG_TRY_ASSIGN(const auto value, evaluate(*node.value, environment_));
        GATELEG_TRY_ASSIGN(auto label, render_value(value, {}));
        if (node.labels[0] == "true" && node.labels.size() == 2 && !label) {
            label = "false";
        }
        for (std::size_t at = 0; at < node.labels.size(); ++at) {
            if (label == node.labels[at]) {
                return run(*node.parts[at]);
            }
        }
        return Part{false, {}};
    }

    std::string null_text(const Node::Path& path) {
        const auto text = path_text(path);
        return "(attribute_not_exists(" + text + ") OR attribute_type(" + text + ", " +
               value_text({std::string("NULL")}) + "))";
    }

    // An item whose time is over counts as absent, whether or not DynamoDB has deleted it yet.
    std::string existence_text(bool exists) {
        const auto key = name_text(table_.key.partition.name);
        if (table_.ttl.empty()) {
            return (exists ? "attribute_exists(" : "attribute_not_exists(") + key + ")";
        }
        const auto ttl = name_text(table_.ttl);
        const auto now = value_text({value::Number::from_int(environment_.now_millis / 1000)});
        if (exists) {
            return "(attribute_exists(" + key + ") AND (attribute_not_exists(" + ttl + ") OR " +
                   ttl + " > " + now + "))";
        }
        return "(attribute_not_exists(" + key + ") OR " + ttl + " <= " + now + ")";
    }

    std::string path_text(const Node::Path& path) {
        std::string text;
        for (std::size_t at = 0; at < path.names.size(); ++at) {
            if (path.indexes[at]) {
                text += "[" + std::to_string(*path.indexes[at]) + "]";
            } else {
                text += (at == 0 ? "" : ".") + name_text(path.names[at]);
            }
        }
        return text;
    }

    std::string name_text(const std::string& attribute) {
        for (const auto& [placeholder, name] : placeholders_.names) {
            if (name == attribute) {
                return placeholder;
            }
        }
        const auto placeholder = "#n" + std::to_string(placeholders_.next_name++);
        placeholders_.names[placeholder] = attribute;
        return placeholder;
    }

    std::string value_text(const AttributeValue& value) {
        for (const auto& [placeholder, known] : placeholders_.values) {
            if (known == value) {
                return placeholder;
            }
        }
        const auto placeholder = ":v" + std::to_string(placeholders_.next_value++);
        placeholders_.values[placeholder] = value;
        return placeholder;
    }

    const Table& table_;
    const Environment& environment_;
    struct Placeholders {
        int next_name = 0;
        int next_value = 0;
        std::map<std::string, std::string> names = {};
        value::Item values = {};
    };
    Placeholders placeholders_;
};

void collect_values(const Node& node, std::vector<const Expr*>& found) {
    if (node.value && node.kind != Kind::kKnown && node.kind != Kind::kChoose) {
        found.push_back(node.value.get());
    }
    for (const auto& value : node.values) {
        found.push_back(value.get());
    }
    for (const auto& part : node.parts) {
        collect_values(*part, found);
    }
}

}  // namespace

Result<Condition> Condition::compile(
    const Expression& expression, const Entity& entity, const Table& table
) {
    GATELEG_TRY_ASSIGN(auto root, Compiler(entity).run(expression.root));
    Condition condition;
    condition.root_ = std::move(root);
    condition.table_ = &table;
    return condition;
}

Result<BoundCondition> Condition::bind(const Environment& environment, int first) const {
    Binder binder(*table_, environment, first);
    GATELEG_TRY_ASSIGN(auto part, binder.run(*root_));
    return binder.finish(std::move(part));
}

std::vector<const Expr*> Condition::value_expressions() const {
    std::vector<const Expr*> found;
    collect_values(*root_, found);
    return found;
}

Result<BoundCondition> to_condition(
    const Expression& expression,
    const Entity& entity,
    const Table& table,
    const Environment& environment
) {
    GATELEG_TRY_ASSIGN(const auto condition, Condition::compile(expression, entity, table));
    return condition.bind(environment);
}

}  // namespace gateleg::model

#include "model/reader.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;

std::string_view expected_text(Shape shape) {
    switch (shape) {
        case Shape::kText:
        case Shape::kChoice:
            return "a text";
        case Shape::kName:
            return "a name";
        case Shape::kNames:
            return "a list of names";
        case Shape::kNameOrNames:
            return "a name or a list of names";
        case Shape::kFlag:
            return "true or false";
        case Shape::kInteger:
            return "a whole number";
        case Shape::kNumber:
            return "a number";
        case Shape::kDuration:
            return "a duration such as 30s, 15m, 24h or 30d";
        case Shape::kExpression:
            return "an expression";
        case Shape::kExpressions:
            return "a map of expressions";
        case Shape::kExpressionsOrInput:
            return "a map of expressions, or the word input";
        case Shape::kItem:
            return "an item such as Entity($id)";
        case Shape::kItems:
            return "a map of items";
        case Shape::kAccess:
            return "anyone, signed_in, internal or role(..)";
        case Shape::kRoutes:
            return "a route such as GET /path, or a list of them";
        case Shape::kLoop:
            return "x in $list";
        case Shape::kKeyTypes:
            return "one or two names with S, N or B";
        case Shape::kProjection:
            return "all, keys or a list of names";
        case Shape::kValues:
            return "a list of values";
        case Shape::kStatuses:
            return "a map of HTTP statuses";
        case Shape::kAttribute:
            return "a type";
        case Shape::kAttributes:
            return "a map of attributes";
        case Shape::kStored:
            return "false, or the spellings of true and false";
        case Shape::kKeys:
            return "a map of templates";
        case Shape::kConstruct:
        case Shape::kConstructs:
            return "a map";
        case Shape::kConstructList:
            return "a list";
        case Shape::kAnything:
            return "anything";
    }
    return "";
}

bool is_number_text(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789.-") == std::string_view::npos &&
           value::Number::parse(text).has_value();
}

bool all_scalars(const Node& list) {
    return std::all_of(list.elements.begin(), list.elements.end(), [](const Node& element) {
        return element.is_scalar();
    });
}

bool is_identifier(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_';
    }) && std::isdigit(static_cast<unsigned char>(text[0])) == 0;
}

ItemReference make_match(const CallNode& call, const Expression& whole, Diagnostics& diagnostics) {
    ItemReference reference;
    reference.kind = ItemReference::Kind::kMatch;
    for (std::size_t at = 0; at < call.arguments.size(); ++at) {
        const auto& argument = call.arguments[at];
        if (at == 0) {
            reference.selector = argument.value;
            continue;
        }
        auto inner =
            to_item_reference({whole.text, argument.value->position, argument.value}, diagnostics);
        if (inner) {
            reference.cases.push_back({argument.name, std::move(*inner)});
        }
    }
    return reference;
}

}  // namespace

AttributeValue plain_value(const Node& node) {
    switch (node.kind) {
        case Node::Kind::kNull:
            return {value::Null{}};
        case Node::Kind::kList: {
            value::List list;
            for (const auto& element : node.elements) {
                list.push_back(plain_value(element));
            }
            return {std::move(list)};
        }
        case Node::Kind::kMap: {
            value::Map map;
            for (const auto& [key, member] : node.members) {
                map[key.text] = plain_value(member);
            }
            return {std::move(map)};
        }
        case Node::Kind::kScalar:
            break;
    }
    if (!node.quoted) {
        if (node.text == "true" || node.text == "false") {
            return {node.text == "true"};
        }
        if (is_number_text(node.text)) {
            return {*value::Number::parse(node.text)};
        }
    }
    return {node.text};
}

Expression read_expression(const Node& node, Diagnostics& diagnostics) {
    if (node.is_list()) {
        ListNode list;
        for (const auto& element : node.elements) {
            list.elements.push_back(read_expression(element, diagnostics).root);
            if (!list.elements.back()) {
                return {"", node.position, nullptr};
            }
        }
        return {
            "[..]", node.position, std::make_shared<Expr>(Expr{std::move(list), node.position})};
    }
    if (node.is_map()) {
        MapNode map;
        for (const auto& [key, member] : node.members) {
            map.members.emplace_back(key.text, read_expression(member, diagnostics).root);
            if (!map.members.back().second) {
                return {"", node.position, nullptr};
            }
        }
        return {"{..}", node.position, std::make_shared<Expr>(Expr{std::move(map), node.position})};
    }
    std::optional<SyntaxError> error;
    auto expression = parse_expression(node.text, node.text_position(), error);
    if (error) {
        const bool cut = error->unclosed && !node.quoted;
        diagnostics.error(
            cut ? "O07" : "E01",
            error->position,
            "in '" + node.text + "': " + error->message,
            cut ? "quote it" : ""
        );
    }
    return expression;
}

std::optional<ItemReference> to_item_reference(
    const Expression& expression, Diagnostics& diagnostics
) {
    if (!expression) {
        return std::nullopt;
    }
    ItemReference reference;
    if (const auto* variable = std::get_if<VariableNode>(&expression.root->node)) {
        reference.kind = ItemReference::Kind::kRead;
        reference.name = variable->name;
    } else if (const auto* name = std::get_if<NameNode>(&expression.root->node)) {
        reference.name = name->name;
    } else if (const auto* call = std::get_if<CallNode>(&expression.root->node)) {
        if (call->function == "match") {
            reference = make_match(*call, expression, diagnostics);
        } else {
            reference.name = call->function;
            reference.arguments = call->arguments;
        }
    } else {
        diagnostics.error(
            "E01",
            expression.position,
            "'" + expression.text + "' names no item",
            "write Entity(arguments), $read or match($x, a: Entity(..), ..)"
        );
        return std::nullopt;
    }
    reference.position = expression.position;
    reference.text = expression.text;
    return reference;
}

Reader::Reader(
    const Node& node, std::string_view construct_name, std::string where, Diagnostics& diagnostics
)
    : node_(node),
      construct_(construct(construct_name)),
      where_(std::move(where)),
      diagnostics_(diagnostics) {
    check_properties();
}

void Reader::check_properties() {
    if (!node_.is_map()) {
        diagnostics_.error(
            "Y04",
            node_.position,
            where_ + (node_.is_null()
                          ? " is empty"
                          : " is " + std::string(node_kind_name(node_.kind)) + ", not a map")
        );
        return;
    }
    for (const auto& [key, value] : node_.members) {
        const auto* property = construct_.find(key.text);
        if (property == nullptr) {
            diagnostics_.error(
                "Y03",
                key.position,
                where_ + " has no property '" + key.text + "'",
                did_you_mean(key.text, construct_.names())
            );
        } else if (!has_shape(*property, value)) {
            diagnostics_.error(
                "Y04",
                value.position,
                where_ + ": " + key.text + " must be " + std::string(expected_text(property->shape))
            );
            refused_.push_back(property->name);
        } else if (property->shape == Shape::kChoice) {
            const auto& choices = property->choices;
            if (std::find(choices.begin(), choices.end(), value.text) == choices.end()) {
                std::string all;
                for (const auto choice : choices) {
                    all += (all.empty() ? "" : ", ") + std::string(choice);
                }
                diagnostics_.error(
                    "Y04", value.position, where_ + ": " + key.text + " must be one of " + all
                );
                refused_.push_back(property->name);
            }
        }
    }
    for (const auto& property : construct_.properties) {
        if (property.required && node_.find(property.name) == nullptr) {
            diagnostics_.error(
                "Y05", node_.position, where_ + " needs '" + std::string(property.name) + "'"
            );
        }
    }
}

bool Reader::has_shape(const Property& property, const Node& value) const {
    switch (property.shape) {
        case Shape::kText:
        case Shape::kChoice:
        case Shape::kName:
        case Shape::kItem:
        case Shape::kAccess:
        case Shape::kLoop:
            return value.is_scalar();
        case Shape::kNames:
            return value.is_list() && all_scalars(value);
        case Shape::kNameOrNames:
        case Shape::kRoutes:
        case Shape::kProjection:
            return value.is_scalar() || (value.is_list() && all_scalars(value));
        case Shape::kFlag:
            return value.is_scalar() && (value.text == "true" || value.text == "false");
        case Shape::kInteger:
            return value.is_scalar() && is_number_text(value.text) &&
                   value.text.find('.') == std::string::npos && value.text.size() < 10;
        case Shape::kNumber:
            return value.is_scalar() && is_number_text(value.text);
        case Shape::kDuration:
            return value.is_scalar() && parse_duration(value.text).has_value();
        case Shape::kExpression:
        case Shape::kAttribute:
        case Shape::kAnything:
            return true;
        case Shape::kExpressions:
        case Shape::kItems:
        case Shape::kStatuses:
        case Shape::kAttributes:
        case Shape::kKeys:
        case Shape::kConstruct:
        case Shape::kConstructs:
            return value.is_map();
        case Shape::kExpressionsOrInput:
            return value.is_map() || (value.is_scalar() && value.text == "input");
        case Shape::kKeyTypes:
            return value.is_map() && !value.members.empty() && value.members.size() <= 2 &&
                   std::all_of(value.members.begin(), value.members.end(), [](const auto& member) {
                       const auto& type = member.second.text;
                       return type == "S" || type == "N" || type == "B";
                   });
        case Shape::kValues:
        case Shape::kConstructList:
            return value.is_list();
        case Shape::kStored:
            return (value.is_scalar() && (value.text == "false" || value.text == "true")) ||
                   (value.is_list() && value.elements.size() == 2 && all_scalars(value));
    }
    return false;
}

const Node* Reader::find(std::string_view property) const {
    GATELEG_CHECK(construct_.find(property) != nullptr);
    if (std::find(refused_.begin(), refused_.end(), property) != refused_.end()) {
        return nullptr;
    }
    return node_.find(property);
}

std::string Reader::text(std::string_view property) const {
    const auto* found = find(property);
    return found != nullptr ? found->text : std::string();
}

std::optional<Reference> Reader::name(std::string_view property) const {
    const auto* found = find(property);
    return found != nullptr ? std::optional(Reference{found->text, found->position}) : std::nullopt;
}

std::vector<Reference> Reader::names(std::string_view property) const {
    std::vector<Reference> names;
    const auto* found = find(property);
    if (found == nullptr) {
        return names;
    }
    if (found->is_scalar()) {
        names.push_back({found->text, found->position});
    }
    for (const auto& element : found->elements) {
        names.push_back({element.text, element.position});
    }
    return names;
}

bool Reader::flag(std::string_view property) const {
    return text(property) == "true";
}

std::optional<int> Reader::integer(std::string_view property) const {
    const auto* found = find(property);
    if (found == nullptr) {
        return std::nullopt;
    }
    int number = 0;
    std::from_chars(found->text.data(), found->text.data() + found->text.size(), number);
    return number;
}

std::optional<value::Number> Reader::number(std::string_view property) const {
    const auto* found = find(property);
    return found != nullptr ? std::optional(*value::Number::parse(found->text)) : std::nullopt;
}

std::optional<std::int64_t> Reader::duration(std::string_view property) const {
    const auto* found = find(property);
    return found != nullptr ? parse_duration(found->text) : std::nullopt;
}

std::optional<Expression> Reader::expression(std::string_view property) const {
    const auto* found = find(property);
    if (found == nullptr) {
        return std::nullopt;
    }
    auto expression = read_expression(*found, diagnostics_);
    return expression ? std::optional(std::move(expression)) : std::nullopt;
}

std::vector<Assignment> Reader::expressions(std::string_view property) const {
    std::vector<Assignment> all;
    const auto* found = find(property);
    if (found == nullptr || !found->is_map()) {
        return all;
    }
    for (const auto& [key, value] : found->members) {
        if (auto expression = read_expression(value, diagnostics_)) {
            all.push_back({key.text, key.position, std::move(expression)});
        }
    }
    return all;
}

std::vector<OutcomeRule> Reader::outcomes(std::string_view property) const {
    std::vector<OutcomeRule> rules;
    for (auto& one : expressions(property)) {
        OutcomeRule rule{{Outcome::Kind::kError, {}}, std::move(one.value), one.position};
        if (one.attribute == "unchanged") {
            rule.outcome.kind = Outcome::Kind::kUnchanged;
        } else if (one.attribute == "skip") {
            rule.outcome.kind = Outcome::Kind::kSkip;
        } else if (one.attribute == "retry") {
            rule.outcome.kind = Outcome::Kind::kRetry;
        } else {
            rule.outcome.error = one.attribute;
            if (!is_identifier(one.attribute) ||
                std::isupper(static_cast<unsigned char>(one.attribute[0])) == 0) {
                diagnostics_.error(
                    "Y04",
                    one.position,
                    where_ + ": '" + one.attribute + "' is no outcome",
                    "an error name such as AlreadyTaken, or unchanged, skip, retry"
                );
            }
        }
        rules.push_back(std::move(rule));
    }
    return rules;
}

std::optional<ItemReference> Reader::item(std::string_view property) const {
    const auto* found = find(property);
    if (found == nullptr) {
        return std::nullopt;
    }
    return to_item_reference(read_expression(*found, diagnostics_), diagnostics_);
}

std::optional<Loop> Reader::loop(std::string_view property) const {
    const auto* found = find(property);
    if (found == nullptr) {
        return std::nullopt;
    }
    const auto in = found->text.find(" in ");
    const auto variable = found->text.substr(0, in);
    if (in == std::string::npos || !is_identifier(variable)) {
        diagnostics_.error("E01", found->position, where_ + ": for must be x in $list");
        return std::nullopt;
    }
    auto list = *found;
    list.text = found->text.substr(in + 4);
    list.position.column += static_cast<int>(in) + 4;
    auto expression = read_expression(list, diagnostics_);
    if (!expression) {
        return std::nullopt;
    }
    return Loop{variable, std::move(expression), found->position};
}

Access Reader::access() const {
    const auto* found = find("allow");
    return found != nullptr ? read_access(*found) : Access{};
}

Access Reader::read_access(const Node& node) const {
    Access access;
    const auto& text = node.text;
    if (text == "anyone") {
        access.kind = Access::Kind::kAnyone;
    } else if (text == "signed_in") {
        access.kind = Access::Kind::kSignedIn;
    } else if (text == "internal") {
        access.kind = Access::Kind::kInternal;
    } else if (text.starts_with("role(") && text.ends_with(")")) {
        access.kind = Access::Kind::kRole;
        std::string role;
        for (const char c : text.substr(5)) {
            if (c == ',' || c == ')') {
                access.roles.push_back(role);
                role.clear();
            } else if (c != ' ') {
                role += c;
            }
        }
    }
    const bool roles_fit = std::all_of(access.roles.begin(), access.roles.end(), is_identifier);
    if ((access.kind == Access::Kind::kInternal && text != "internal") || !roles_fit) {
        diagnostics_.error(
            "Y04",
            node.position,
            where_ + ": allow '" + text + "' is none of anyone, signed_in, internal and role(..)",
            did_you_mean(text, {"anyone", "signed_in", "internal"})
        );
    }
    return access;
}

std::vector<Route> Reader::routes() const {
    std::vector<Route> found;
    const auto* property = find("route");
    if (property == nullptr) {
        return found;
    }
    std::vector<const Node*> nodes;
    if (property->is_scalar()) {
        nodes.push_back(property);
    }
    for (const auto& element : property->elements) {
        nodes.push_back(&element);
    }
    for (const auto* node : nodes) {
        if (auto route = read_route(*node)) {
            found.push_back(std::move(*route));
        }
    }
    return found;
}

// "PUT /albums/{targetId}/like targetType=album", "GET /items?user&status".
std::optional<Route> Reader::read_route(const Node& node) const {
    std::vector<std::string> words(1);
    for (const char c : node.text) {
        if (c == ' ') {
            words.emplace_back();
        } else {
            words.back() += c;
        }
    }
    Route route;
    route.position = node.position;
    route.method = words[0];
    const std::vector<std::string> methods = {"GET", "POST", "PUT", "PATCH", "DELETE"};
    const bool known = std::find(methods.begin(), methods.end(), route.method) != methods.end();
    if (!known || words.size() < 2 || !words[1].starts_with('/')) {
        diagnostics_.error(
            "Y04", node.position, where_ + ": '" + node.text + "' is no route", "METHOD /path"
        );
        return std::nullopt;
    }
    const auto question = words[1].find('?');
    route.path = words[1].substr(0, question);
    if (question != std::string::npos) {
        std::string name;
        for (const char c : words[1].substr(question + 1) + "&") {
            if (c == '&') {
                route.query.push_back(name);
                name.clear();
            } else {
                name += c;
            }
        }
    }
    for (auto open = route.path.find('{'); open != std::string::npos;
         open = route.path.find('{', open + 1)) {
        const auto close = route.path.find('}', open);
        if (close == std::string::npos) {
            diagnostics_.error("Y04", node.position, where_ + ": a path has '{' without '}'");
            return std::nullopt;
        }
        route.path_inputs.push_back(route.path.substr(open + 1, close - open - 1));
    }
    for (std::size_t at = 2; at < words.size(); ++at) {
        const auto equals = words[at].find('=');
        if (equals == std::string::npos) {
            diagnostics_.error(
                "Y04", node.position, where_ + ": '" + words[at] + "' is not name=value"
            );
            return std::nullopt;
        }
        route.fixed.emplace_back(words[at].substr(0, equals), words[at].substr(equals + 1));
    }
    return route;
}

KeySchema Reader::key_schema(std::string_view property) const {
    KeySchema schema;
    const auto* found = find(property);
    if (found == nullptr) {
        return schema;
    }
    const auto read = [](const std::pair<Node, Node>& member) {
        return KeyAttribute{member.first.text, *value::find_type(member.second.text)};
    };
    schema.partition = read(found->members[0]);
    if (found->members.size() > 1) {
        schema.sort = read(found->members[1]);
    }
    return schema;
}

}  // namespace gateleg::model

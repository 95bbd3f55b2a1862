// Reads properties of one construct from a node: refuses what the table of properties does not
// have, and gives typed values. Used by the files that read a model, and by nothing else.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/diagnostics.h"
#include "model/node.h"
#include "model/properties.h"
#include "model/schema.h"

namespace gateleg::model {

// The value a scalar, list or map means where no type is known: 12, true and null are what they
// look like, everything else and everything in quotes is text.
value::AttributeValue plain_value(const Node& node);

Expression read_expression(const Node& node, Diagnostics& diagnostics);

// An expression as the name of an item. The names in it are checked when the model is resolved.
std::optional<ItemReference> to_item_reference(
    const Expression& expression, Diagnostics& diagnostics
);

class Reader {
public:
    // `where` names the construct in messages: "entity Story". Reports unknown and missing
    // properties and properties of the wrong shape; those are then taken as not given.
    Reader(
        const Node& node, std::string_view construct, std::string where, Diagnostics& diagnostics
    );

    bool has(std::string_view property) const { return find(property) != nullptr; }
    // Null if it is not given or had the wrong shape.
    const Node* find(std::string_view property) const;

    std::string text(std::string_view property) const;
    std::optional<Reference> name(std::string_view property) const;
    std::vector<Reference> names(std::string_view property) const;  // one or a list
    bool flag(std::string_view property) const;
    std::optional<int> integer(std::string_view property) const;
    std::optional<value::Number> number(std::string_view property) const;
    std::optional<std::int64_t> duration(std::string_view property) const;
    std::optional<Expression> expression(std::string_view property) const;
    std::vector<Assignment> expressions(std::string_view property) const;
    std::vector<OutcomeRule> outcomes(std::string_view property) const;
    std::optional<ItemReference> item(std::string_view property) const;
    std::optional<Loop> loop(std::string_view property) const;
    Access access() const;
    std::vector<Route> routes() const;
    KeySchema key_schema(std::string_view property) const;

    const Node& node() const { return node_; }
    Position position() const { return node_.position; }
    const std::string& where() const { return where_; }
    Diagnostics& diagnostics() const { return diagnostics_; }

private:
    void check_properties();
    bool has_shape(const Property& property, const Node& value) const;
    Access read_access(const Node& node) const;
    std::optional<Route> read_route(const Node& node) const;

    const Node& node_;
    const Construct& construct_;
    std::string where_;
    Diagnostics& diagnostics_;
    std::vector<std::string_view> refused_;
};

// A typeword, a list of enum values, a map, or (an input) Entity.attribute, whose name is then left
// in `borrowed`.
Attribute read_attribute(
    const std::string& name,
    Position position,
    const Node& node,
    const std::string& where,
    Diagnostics& diagnostics,
    std::string* borrowed = nullptr
);

}  // namespace gateleg::model

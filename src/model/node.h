// The tree of a YAML file with positions, before it means anything. Every scalar is text.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/diagnostics.h"

namespace gateleg::model {

struct Node {
    enum class Kind : std::uint8_t { kNull, kScalar, kList, kMap };

    Kind kind = Kind::kNull;
    Position position;
    std::string text = {};  // of a scalar
    bool quoted = false;    // a scalar in quotes, or a block of text
    std::vector<Node> elements = {};
    std::vector<std::pair<Node, Node>> members = {};  // in the order of the file

    bool is_scalar() const { return kind == Kind::kScalar; }
    bool is_list() const { return kind == Kind::kList; }
    bool is_map() const { return kind == Kind::kMap; }
    // Nothing, or the bare word null.
    bool is_null() const { return kind == Kind::kNull; }
    const Node* find(std::string_view key) const;
    // Where the text of a scalar starts, behind its quote.
    Position text_position() const;
};

std::string_view node_kind_name(Node::Kind kind);

}  // namespace gateleg::model

// A model on its way from the items of a table to a file. Used by infer*.cc only.

#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dynamo/schema.h"
#include "value/attribute_value.h"

namespace gateleg::model {

struct KeyNames {
    std::string partition;
    std::string sort;  // empty: none
};

struct DraftedIndex {
    const dynamo::IndexDefinition* definition = nullptr;
    KeyNames keys;
};

// One kind of items.
struct DraftedEntity {
    std::string name;
    std::string marker;  // its value; empty: none
    std::vector<value::Item> items;
    std::map<std::string, std::string> keys;        // key attribute -> template
    std::map<std::string, std::string> attributes;  // name -> type

    // True if its items have the key attribute; also if there is none to have.
    bool has(const std::string& key) const;
};

struct Draft {
    const dynamo::TableDescription& table;
    std::string ttl;
    KeyNames keys = {};
    std::vector<DraftedIndex> indexes = {};
    char separator = '#';
    std::string marker = {};
    std::vector<DraftedEntity> entities = {};
    std::vector<std::string> notes = {};

    std::vector<std::string> table_keys() const;
    bool is_table_key(std::string_view name) const;
    bool is_index_key(std::string_view name) const;
    // Of a key attribute: string, number or binary.
    std::string type_word(std::string_view key) const;
};

// The text of an attribute; empty if it has none.
std::string text_in(const value::Item& item, const std::string& attribute);

// Finds the marker and tells the kinds apart: the draft then has entities with names and items.
void find_kinds(Draft& draft, const std::vector<value::Item>& items);

// The model file; `items` is how many were looked at.
std::string draft_yaml(const Draft& draft, std::size_t items);

}  // namespace gateleg::model

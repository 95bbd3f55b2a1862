#include "engine/table.h"

#include <algorithm>
#include <set>

#include "engine/throughput.h"

namespace gateleg::engine {
namespace {

value::Type attribute_type(const Table& table, std::string_view name) {
    const auto& attributes = table.description.attributes;
    const auto found = std::find_if(attributes.begin(), attributes.end(), [&](const auto& each) {
        return each.name == name;
    });
    return found == attributes.end() ? value::Type::kString : found->type;
}

KeyDefinition compile_key(const Table& table, const dynamo::KeySchema& schema) {
    KeyDefinition key;
    for (const auto& element : schema) {
        auto& part = element.role == dynamo::KeyRole::kHash ? key.hash : key.range;
        part.push_back({element.attribute, attribute_type(table, element.attribute)});
    }
    return key;
}

void insert_names(std::set<std::string>& names, const KeyDefinition& key) {
    for (const auto& part : {key.hash, key.range}) {
        for (const auto& attribute : part) {
            names.insert(attribute.name);
        }
    }
}

}  // namespace

bool KeyDefinition::has(std::string_view attribute) const {
    const auto is_it = [&](const KeyAttribute& each) { return each.name == attribute; };
    return std::any_of(hash.begin(), hash.end(), is_it) ||
           std::any_of(range.begin(), range.end(), is_it);
}

bool Index::projects(std::string_view attribute) const {
    return projects_all() || std::binary_search(projected.begin(), projected.end(), attribute);
}

const Index* Table::find_index(std::string_view index_name) const {
    const auto found = std::find_if(indexes.begin(), indexes.end(), [&](const Index& each) {
        return each.definition.name == index_name;
    });
    return found == indexes.end() ? nullptr : &*found;
}

bool Table::has_local_indexes() const {
    return std::any_of(indexes.begin(), indexes.end(), [](const Index& each) {
        return !each.global;
    });
}

void compile_table(Table& table) {
    table.key = compile_key(table, table.description.key_schema);
    for (auto& index : table.indexes) {
        index.key = compile_key(table, index.definition.key_schema);
        std::set<std::string> names(
            index.definition.projection.non_key_attributes.begin(),
            index.definition.projection.non_key_attributes.end()
        );
        insert_names(names, table.key);
        insert_names(names, index.key);
        index.projected.assign(names.begin(), names.end());
    }
}

void sort_names(Table& table) {
    auto& attributes = table.description.attributes;
    std::sort(attributes.begin(), attributes.end(), [](const auto& left, const auto& right) {
        return left.name < right.name;
    });
    for (auto& index : table.indexes) {
        auto& included = index.definition.projection.non_key_attributes;
        std::sort(included.begin(), included.end());
    }
}

dynamo::TableDescription describe(const Table& table, const TableCounts& counts) {
    const auto count_of = [&](IndexId id) {
        const auto found = counts.find(id);
        return found == counts.end() ? Counts{} : found->second;
    };
    auto description = table.description;
    description.warm = warm_throughput(table.description);
    description.item_count = count_of(kPrimary).items;
    description.size_bytes = count_of(kPrimary).bytes;
    for (const auto& index : table.indexes) {
        auto& list = index.global ? description.global_indexes : description.local_indexes;
        const auto count = count_of(index.id);
        list.push_back({
            .definition = index.definition,
            .status = index.backfilling ? dynamo::Status::kCreating : dynamo::Status::kActive,
            .backfilling = index.backfilling,
            .item_count = count.items,
            .size_bytes = count.bytes,
            .arn = description.arn + "/index/" + index.definition.name,
            .warm = index.global
                        ? std::optional(warm_throughput(table.description, index.definition))
                        : std::nullopt,
        });
        // What is kept of it is no wish of a client, as it would be in a new table's definition.
        list.back().definition.warm.reset();
    }
    if (table.stream) {
        description.latest_stream_arn = table.stream->arn;
        description.latest_stream_label = table.stream->label;
        if (table.stream->enabled) {
            description.stream_view = table.stream->view;
        }
    }
    return description;
}

std::shared_ptr<const Stream> Catalog::find_stream(std::string_view arn) const {
    const auto found = streams.find(arn);
    return found == streams.end() ? nullptr : found->second;
}

std::shared_ptr<const Table> Catalog::find(std::string_view name) const {
    const auto found = tables.find(name);
    return found == tables.end() ? nullptr : found->second;
}

}  // namespace gateleg::engine

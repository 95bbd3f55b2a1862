// A table as the engine holds it: its description, compiled for use.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dynamo/schema.h"
#include "value/value_view.h"

namespace gateleg::engine {

// Written to disk in every key; never used again after its table or index is gone.
enum class TableId : std::uint32_t {};
enum class IndexId : std::uint16_t {};
inline constexpr IndexId kPrimary{0};
// Stands for the time-ordered entries behind time to live wherever an index is named.
inline constexpr IndexId kTimeToLive{0xffff};

struct KeyAttribute {
    std::string name;
    value::Type type = value::Type::kString;
};

struct KeyDefinition {
    std::vector<KeyAttribute> hash;
    std::vector<KeyAttribute> range;

    bool has(std::string_view attribute) const;
    std::size_t size() const { return hash.size() + range.size(); }
};

struct Index {
    IndexId id{};
    bool global = true;
    dynamo::IndexDefinition definition;
    KeyDefinition key;
    bool backfilling = false;
    // Names of the projected attributes in byte order, keys included; unused for ALL.
    std::vector<std::string> projected;

    bool projects_all() const { return definition.projection.type == dynamo::ProjectionType::kAll; }
    bool projects(std::string_view attribute) const;
};

// The newest stream of a table, whether or not it still takes records.
struct TableStream {
    std::string arn;
    std::string label;
    dynamo::StreamView view = dynamo::StreamView::kKeysOnly;
    bool enabled = false;
};

// Immutable once it is in a catalog; a change makes another one.
struct Table {
    TableId id{};
    // Counts and index lists are not kept here: `describe` puts them together.
    dynamo::TableDescription description;
    KeyDefinition key;
    std::vector<Index> indexes;
    std::uint16_t next_index_id = 1;
    dynamo::Tags tags;
    std::optional<std::string> ttl_attribute;
    bool ttl_backfilling = false;
    std::optional<TableStream> stream;
    std::map<std::string, std::string> settings;  // dynamo/table_settings.h

    const std::string& name() const { return description.name; }
    const Index* find_index(std::string_view index_name) const;
    bool has_local_indexes() const;
    bool has_enabled_stream() const { return stream && stream->enabled; }
};

// Works out `key` and `projected` of the table and of its indexes from the definitions.
void compile_table(Table& table);

// The form in which a table's definition is stored.
std::string encode_table(const Table& table);
Result<Table> decode_table(std::string_view bytes);

struct Counts {
    std::int64_t items = 0;
    std::int64_t bytes = 0;
};
// By index; the table itself is kPrimary.
using TableCounts = std::map<IndexId, Counts>;

std::string encode_counts(const TableCounts& counts);
TableCounts decode_counts(std::string_view bytes);

// Attribute definitions and what indexes include by name, as AWS shows them.
void sort_names(Table& table);

dynamo::TableDescription describe(const Table& table, const TableCounts& counts);

struct Stream;

// An immutable set of tables, by name, and of streams, by ARN. A stream outlives its table.
struct Catalog {
    std::map<std::string, std::shared_ptr<const Table>, std::less<>> tables;
    std::map<std::string, std::shared_ptr<const Stream>, std::less<>> streams;

    std::shared_ptr<const Table> find(std::string_view name) const;
    std::shared_ptr<const Stream> find_stream(std::string_view arn) const;
};

}  // namespace gateleg::engine

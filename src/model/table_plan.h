// What has to change about a table before a model can run on it: tables, indexes and time to live,
// never items.
//
// Planning is pure: it compares what the model says with what the store describes. table_apply.h
// carries a plan out.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dynamo/requests.h"
#include "model/schema.h"

namespace gateleg {
class JsonWriter;
}

namespace gateleg::model {

// The index as the model wants it.
dynamo::IndexDefinition index_definition(const Table& table, const std::string& index);
// The attributes of a key with their types.
std::vector<dynamo::AttributeDefinition> key_attributes(const KeySchema& key);

const dynamo::IndexDescription* find_index(
    const dynamo::TableDescription& table, std::string_view name
);

// What a store knows about a table.
struct TableState {
    std::optional<dynamo::TableDescription> table = {};  // nothing: there is no such table
    std::optional<std::string> ttl = {};                 // the attribute, when it is enabled
};

struct TableChange {
    enum class Kind : std::uint8_t { kCreateTable, kAddIndex, kDropIndex, kEnableTtl, kDisableTtl };
    Kind kind = Kind::kCreateTable;
    std::string name;    // of the table, the index or the attribute
    std::string text;    // a sentence for people
    bool drops = false;  // takes away what somebody may use: only with leave
};
std::string_view change_name(TableChange::Kind kind);  // "create-table"

struct PlanOptions {
    bool allow_drop = false;
    // Also adds the indexes that the model calls optional.
    bool add_optional = false;
};

struct TablePlan {
    // In the order in which they are made.
    std::vector<TableChange> changes = {};
    // What is missing but may not be done: leave to drop is missing, or no call of the API can do
    // it. The table does not fit the model until these are gone.
    std::vector<std::string> obstacles = {};
    // What is left as it is although the model does not ask for it.
    std::vector<std::string> notes = {};

    bool fits() const { return changes.empty() && obstacles.empty(); }
};

// "+ create ..", "- drop ..", "! obstacle", "  note": a line each.
std::vector<std::string> plan_lines(const TablePlan& plan);
// Members of an object that tells it to programs: fits, changes, obstacles, notes.
void append_plan_members(JsonWriter& json, const TablePlan& plan);

TablePlan plan_table(const Model& model, const TableState& state, const PlanOptions& options = {});

}  // namespace gateleg::model

#include "model/table_plan.h"

#include <algorithm>
#include <set>

#include "base/json_writer.h"
#include "model/table_request.h"

namespace gateleg::model {
namespace {

using Kind = TableChange::Kind;

std::string type_in(const dynamo::TableDescription& table, std::string_view attribute) {
    for (const auto& definition : table.attributes) {
        if (definition.name == attribute) {
            return std::string(value::type_name(definition.type));
        }
    }
    return "?";
}

// "PK S, SK S"
std::string written(const dynamo::TableDescription& table, const dynamo::KeySchema& key) {
    std::string text;
    for (const auto& element : key) {
        text += (text.empty() ? "" : ", ") + element.attribute + " " +
                type_in(table, element.attribute);
    }
    return text;
}

std::string written(const KeySchema& key) {
    std::string text;
    for (const auto& attribute : key_attributes(key)) {
        text += (text.empty() ? "" : ", ") + attribute.name + " " +
                std::string(value::type_name(attribute.type));
    }
    return text;
}

std::string written(const dynamo::Projection& projection) {
    switch (projection.type) {
        case dynamo::ProjectionType::kAll:
            return "all attributes";
        case dynamo::ProjectionType::kKeysOnly:
            return "keys only";
        case dynamo::ProjectionType::kInclude:
            break;
    }
    // In one order: DynamoDB keeps none.
    const std::set<std::string> names(
        projection.non_key_attributes.begin(), projection.non_key_attributes.end()
    );
    std::string text;
    for (const auto& name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

class Planner {
public:
    Planner(const Model& model, const TableState& state, const PlanOptions& options)
        : table_(model.table), there_(*state.table), ttl_(state.ttl), options_(options) {}

    TablePlan run() {
        const auto found = written(there_, there_.key_schema);
        if (found != written(table_.key)) {
            plan_.obstacles.push_back(
                "table " + table_.name + " exists with the key " + found + ", but the model says " +
                written(table_.key) + ": use another table name, or delete the old one"
            );
            return std::move(plan_);
        }
        for (const auto& index : table_.indexes) {
            compare(index);
        }
        look_for_extras();
        compare_expiry();
        return std::move(plan_);
    }

private:
    void change(Kind kind, const std::string& name, std::string text, bool drops = false) {
        plan_.changes.push_back({kind, name, std::move(text), drops});
    }

    void add_index(const Index& index) {
        const auto projection = index_definition(table_, index.name).projection;
        change(
            Kind::kAddIndex,
            index.name,
            "add index " + index.name + " (" + written(index.key) + "; " + written(projection) + ")"
        );
    }

    void compare(const Index& index) {
        const auto* found = find_index(there_, index.name);
        if (found == nullptr) {
            if (!index.optional || options_.add_optional) {
                add_index(index);
            } else {
                plan_.notes.push_back("optional index " + index.name + " is off");
            }
            return;
        }
        const auto old_key = written(there_, found->definition.key_schema);
        const auto old_projection = written(found->definition.projection);
        const auto new_projection = written(index_definition(table_, index.name).projection);
        if (old_key == written(index.key) && old_projection == new_projection) {
            return;
        }
        if (old_key == written(index.key) && holds_all(found->definition.projection, index)) {
            // Dear, but right. Some stores know no other projection than all attributes.
            plan_.notes.push_back(
                "index " + index.name + " holds " + old_projection +
                ", more than the model asks for"
            );
            return;
        }
        const auto differs = old_key != written(index.key)
                                 ? "index " + index.name + " of table " + table_.name +
                                       " exists with the key " + old_key + ", but the model says " +
                                       written(index.key)
                                 : "index " + index.name + " of table " + table_.name + " holds " +
                                       old_projection + ", but the model says " + new_projection;
        if (is_local(index.name)) {
            plan_.obstacles.push_back(differs + ": a local index cannot be changed");
            return;
        }
        if (!options_.allow_drop) {
            plan_.obstacles.push_back(
                differs + ": it has to be dropped and built again, which needs --allow-drop"
            );
            return;
        }
        change(
            Kind::kDropIndex, index.name, "drop index " + index.name + " to build it anew", true
        );
        add_index(index);
    }

    bool holds_all(const dynamo::Projection& there, const Index& index) const {
        if (there.type == dynamo::ProjectionType::kAll) {
            return true;
        }
        const auto wanted = index_definition(table_, index.name).projection;
        const auto& held = there.non_key_attributes;
        return wanted.type != dynamo::ProjectionType::kAll &&
               std::all_of(
                   wanted.non_key_attributes.begin(),
                   wanted.non_key_attributes.end(),
                   [&](const auto& name) {
                       return std::find(held.begin(), held.end(), name) != held.end();
                   }
               );
    }

    bool is_local(std::string_view name) const {
        return std::any_of(
            there_.local_indexes.begin(),
            there_.local_indexes.end(),
            [&](const auto& one) { return one.definition.name == name; }
        );
    }

    void look_for_extras() {
        for (const auto& index : there_.global_indexes) {
            const auto& name = index.definition.name;
            if (table_.find_index(name) != nullptr) {
                continue;
            }
            if (options_.allow_drop) {
                change(
                    Kind::kDropIndex,
                    name,
                    "drop index " + name + ", which the model does not have",
                    true
                );
            } else {
                plan_.notes.push_back(
                    "index " + name +
                    " is not in the model and is left alone; --allow-drop drops it"
                );
            }
        }
        for (const auto& index : there_.local_indexes) {
            if (table_.find_index(index.definition.name) == nullptr) {
                plan_.notes.push_back(
                    "local index " + index.definition.name +
                    " is not in the model; it stays for as long as the table does"
                );
            }
        }
    }

    void compare_expiry() {
        const auto& wanted = table_.ttl;
        if (ttl_.value_or("") == wanted) {
            return;
        }
        if (!ttl_) {
            change(Kind::kEnableTtl, wanted, "let items expire by the attribute " + wanted);
            return;
        }
        if (wanted.empty() && !options_.allow_drop) {
            plan_.notes.push_back(
                "items expire by the attribute " + *ttl_ +
                ", which the model does not ask for; --allow-drop ends that"
            );
            return;
        }
        if (!options_.allow_drop) {
            plan_.obstacles.push_back(
                "items of table " + table_.name + " expire by the attribute " + *ttl_ +
                ", but the model says " + wanted + ": changing it needs --allow-drop"
            );
            return;
        }
        change(Kind::kDisableTtl, *ttl_, "no longer let items expire by " + *ttl_, true);
        if (!wanted.empty()) {
            change(Kind::kEnableTtl, wanted, "let items expire by the attribute " + wanted);
        }
    }

    const Table& table_;
    const dynamo::TableDescription& there_;
    const std::optional<std::string>& ttl_;
    const PlanOptions& options_;
    TablePlan plan_;
};

TablePlan plan_new_table(const Table& table) {
    TablePlan plan;
    std::string indexes;
    for (const auto& index : table.indexes) {
        indexes += (indexes.empty() ? " and index " : ", ") + index.name;
    }
    plan.changes.push_back(
        {Kind::kCreateTable,
         table.name,
         "create table " + table.name + " with the key " + written(table.key) + indexes}
    );
    if (!table.ttl.empty()) {
        plan.changes.push_back(
            {Kind::kEnableTtl, table.ttl, "let items expire by the attribute " + table.ttl}
        );
    }
    return plan;
}

}  // namespace

std::vector<dynamo::AttributeDefinition> key_attributes(const KeySchema& key) {
    std::vector<dynamo::AttributeDefinition> attributes{{key.partition.name, key.partition.type}};
    if (key.sort) {
        attributes.push_back({key.sort->name, key.sort->type});
    }
    return attributes;
}

dynamo::IndexDefinition index_definition(const Table& table, const std::string& index) {
    const auto request = create_table_request(table);
    for (const auto& definition : *request.global_indexes) {
        if (definition.name == index) {
            return definition;
        }
    }
    return {};
}

const dynamo::IndexDescription* find_index(
    const dynamo::TableDescription& table, std::string_view name
) {
    for (const auto* indexes : {&table.global_indexes, &table.local_indexes}) {
        for (const auto& index : *indexes) {
            if (index.definition.name == name) {
                return &index;
            }
        }
    }
    return nullptr;
}

std::string_view change_name(TableChange::Kind kind) {
    switch (kind) {
        case Kind::kCreateTable:
            return "create-table";
        case Kind::kAddIndex:
            return "add-index";
        case Kind::kDropIndex:
            return "drop-index";
        case Kind::kEnableTtl:
            return "enable-ttl";
        case Kind::kDisableTtl:
            return "disable-ttl";
    }
    return "";
}

TablePlan plan_table(const Model& model, const TableState& state, const PlanOptions& options) {
    return state.table ? Planner(model, state, options).run() : plan_new_table(model.table);
}

std::vector<std::string> plan_lines(const TablePlan& plan) {
    std::vector<std::string> lines;
    for (const auto& change : plan.changes) {
        lines.push_back((change.drops ? "- " : "+ ") + change.text);
    }
    for (const auto& obstacle : plan.obstacles) {
        lines.push_back("! " + obstacle);
    }
    for (const auto& note : plan.notes) {
        lines.push_back("  " + note);
    }
    return lines;
}

void append_plan_members(JsonWriter& json, const TablePlan& plan) {
    const auto texts = [&json](std::string_view name, const std::vector<std::string>& all) {
        json.key(name);
        json.begin_array();
        for (const auto& text : all) {
            json.string(text);
        }
        json.end_array();
    };
    json.member("fits", plan.fits());
    json.key("changes");
    json.begin_array();
    for (const auto& change : plan.changes) {
        json.begin_object();
        json.member("kind", change_name(change.kind));
        json.member("name", change.name);
        json.member("text", change.text);
        json.member("drops", change.drops);
        json.end_object();
    }
    json.end_array();
    texts("obstacles", plan.obstacles);
    texts("notes", plan.notes);
}

}  // namespace gateleg::model

#include <algorithm>

#include "engine/keyspace.h"
#include "engine/ops/catalog_change.h"
#include "engine/ops/operations.h"
#include "engine/schema_check.h"
#include "engine/stream_log.h"
#include "engine/throughput.h"
#include "engine/update_check.h"

namespace gateleg::engine::ops {
namespace {

using dynamo::BillingMode;
using Request = dynamo::UpdateTableRequest;

Error parameter_error(const std::string& text) {
    return validation_error("One or more parameter values were invalid: " + text);
}

Error unchanged_throughput(
    const std::string& whose, const std::string& of, const dynamo::Throughput& units
) {
    const auto read = std::to_string(units.read_units);
    const auto write = std::to_string(units.write_units);
    return validation_error(
        "The provisioned throughput for " + whose +
        " will not change. The requested value equals the current value. Current "
        "ReadCapacityUnits provisioned for " +
        of + ": " + read + ". Requested ReadCapacityUnits: " + read +
        ". Current WriteCapacityUnits provisioned for " + of + ": " + write +
        ". Requested WriteCapacityUnits: " + write +
        ". Refer to the Amazon DynamoDB Developer Guide for current limits and how to request "
        "higher limits."
    );
}

// A table that leaves PAY_PER_REQUEST needs throughput for each of its global indexes, which
// change_indexes() then sets. Its limits go.
Result<void> provision_indexes(const Request& request, Table& table) {
    const auto is_given = [&](const Index& index) {
        return request.index_updates && std::any_of(
                                            request.index_updates->begin(),
                                            request.index_updates->end(),
                                            [&](const auto& each) {
                                                return each.update &&
                                                       each.update->name == index.definition.name &&
                                                       each.update->throughput;
                                            }
                                        );
    };
    table.description.on_demand.reset();
    for (auto& index : table.indexes) {
        if (index.global && !is_given(index)) {
            return parameter_error(
                "ProvisionedThroughput must be specified for index: " + index.definition.name
            );
        }
        index.definition.on_demand.reset();
    }
    return {};
}

Result<void> change_billing(const Core& core, const Request& request, Table& table) {
    auto& description = table.description;
    const auto before = description.billing_mode;
    const auto after = request.billing_mode.value_or(before);
    if (after == BillingMode::kPayPerRequest) {
        if (request.throughput) {
            return parameter_error(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
                "BillingMode is PAY_PER_REQUEST"
            );
        }
        if (before != after) {
            description.on_demand_since_millis = core.clock.now_millis();
            description.throughput = {};
            for (auto& index : table.indexes) {
                index.definition.throughput.reset();
            }
        }
    } else if (request.billing_mode && !request.throughput) {
        return parameter_error(
            "ProvisionedThroughput must be specified when BillingMode is PROVISIONED"
        );
    }
    if (before != after && after == BillingMode::kProvisioned) {
        GATELEG_TRY(provision_indexes(request, table));
    }
    description.billing_mode = after;
    if (!request.throughput) {
        return {};
    }
    if (before == after && *request.throughput == description.throughput) {
        return unchanged_throughput("the table", "the table", description.throughput);
    }
    description.throughput = *request.throughput;
    return {};
}

// New definitions may only repeat or extend what is there; without a new index AWS does not look at
// them.
Result<void> merge_attributes(const Request& request, Table& table) {
    const auto updates = request.index_updates.value_or(std::vector<Request::IndexUpdate>());
    const auto made = std::find_if(updates.begin(), updates.end(), [](const auto& each) {
        return each.create.has_value();
    });
    if (made == updates.end()) {
        return {};
    }
    if (request.attributes.empty()) {
        return parameter_error(
            "AttributeDefinitions is not specified for index: " + made->create->name
        );
    }
    for (const auto& attribute : request.attributes) {
        auto& known = table.description.attributes;
        const auto found = std::find_if(known.begin(), known.end(), [&](const auto& each) {
            return each.name == attribute.name;
        });
        if (found == known.end()) {
            known.push_back(attribute);
        } else if (found->type != attribute.type) {
            return parameter_error(
                "Attribute " + attribute.name + " is already defined with another type"
            );
        }
    }
    return {};
}

// Only what some key still uses stays defined.
void drop_unused_attributes(Table& table) {
    const auto used = [&](const dynamo::AttributeDefinition& attribute) {
        return table.key.has(attribute.name) ||
               std::any_of(table.indexes.begin(), table.indexes.end(), [&](const Index& index) {
                   return index.key.has(attribute.name);
               });
    };
    std::erase_if(table.description.attributes, [&](const auto& each) { return !used(each); });
}

// `verb` is what was to be done to it.
Error index_not_found(const std::string& name, const Table& table, std::string_view verb) {
    if (table.find_index(name) != nullptr) {
        return validation_error(
            "Cannot " + std::string(verb) + " an index that is not a GlobalSecondaryIndex: " + name
        );
    }
    return resource_not_found(
        "Requested resource not found: Index " + name + " for table " + table.name()
    );
}

Result<void> update_index(const Request::IndexThroughput& update, Table& table) {
    const auto found = std::find_if(table.indexes.begin(), table.indexes.end(), [&](const auto& i) {
        return i.global && i.definition.name == update.name;
    });
    if (found == table.indexes.end()) {
        return index_not_found(update.name, table, "update");
    }
    auto& definition = found->definition;
    if (table.description.billing_mode == BillingMode::kPayPerRequest) {
        if (update.throughput || (!update.on_demand && !update.warm)) {
            return parameter_error(
                "The only Updates for index: " + update.name +
                " when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, "
                "WarmThroughput"
            );
        }
    } else if (update.throughput) {
        if (definition.throughput == update.throughput) {
            return unchanged_throughput(
                "the index " + update.name, "index " + update.name, *update.throughput
            );
        }
        definition.throughput = update.throughput;
    }
    return change_throughput(update, table.description, definition);
}

// Only the definition goes here: the entries follow when nothing can refuse the request any more.
Result<void> remove_index(const std::string& name, Table& table, std::vector<IndexId>& removed) {
    const auto found = std::find_if(table.indexes.begin(), table.indexes.end(), [&](const auto& i) {
        return i.global && i.definition.name == name;
    });
    if (found == table.indexes.end()) {
        return index_not_found(name, table, "delete");
    }
    removed.push_back(found->id);
    table.indexes.erase(found);
    return {};
}

void erase_entries(CommitContext& context, TableId table, IndexId index) {
    const auto range = index_range(table, index);
    context.batch().erase_range(range.begin, range.end);
    context.reset_counts(table, index);
    context.backfill_positions().erase({table, index});
}

Result<void> add_index(const dynamo::IndexDefinition& definition, Table& table) {
    GATELEG_TRY(check_new_global_index(table, table.description.attributes, definition));
    if (IndexId{table.next_index_id} == kTimeToLive) {
        return Error{
            ErrorCode::kLimitExceeded,
            "The table has had as many indexes as it can number; create it anew"};
    }
    table.indexes.push_back({
        .id = IndexId{table.next_index_id++},
        .global = true,
        .definition = definition,
        .backfilling = true,
    });
    return {};
}

Result<void> change_indexes(const Request& request, Table& table, std::vector<IndexId>& removed) {
    if (!request.index_updates) {
        return {};
    }
    const auto changes = std::count_if(
        request.index_updates->begin(),
        request.index_updates->end(),
        [](const auto& each) { return each.create || each.remove; }
    );
    if (changes > 1) {
        return Error{
            ErrorCode::kLimitExceeded,
            "Subscriber limit exceeded: Only 1 online index can be created or deleted "
            "simultaneously per table"};
    }
    for (const auto& update : *request.index_updates) {
        if (update.create) {
            GATELEG_TRY(add_index(*update.create, table));
        } else if (update.update) {
            GATELEG_TRY(update_index(*update.update, table));
        } else {
            GATELEG_TRY(remove_index(*update.remove, table, removed));
        }
    }
    return {};
}

Result<void> check_encryption(const Request& request, const Table& table) {
    if (!request.encryption) {
        return {};
    }
    const auto before = table.description.encryption.value_or(dynamo::ServerSideEncryption{});
    if (!request.encryption->enabled && !before.enabled) {
        return parameter_error("Table is already encrypted by default");
    }
    if (!request.encryption->key_id.empty() && request.encryption->key_id == before.key_id) {
        return parameter_error(
            "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if "
            "you want to change Master Key"
        );
    }
    return {};
}

void change_settings(const Request& request, Table& table) {
    auto& description = table.description;
    if (request.deletion_protection) {
        description.deletion_protection = *request.deletion_protection;
    }
    if (request.table_class) {
        description.table_class = request.table_class;
    }
    if (request.encryption) {
        description.encryption = request.encryption;
    }
}

// While it is changed AWS shows what it was.
void show_warming(const Request& request, const Table& before, dynamo::TableDescription& shown) {
    if (request.warm) {
        shown.warm = warm_throughput(before.description);
        shown.warm_updating = true;
    }
    for (const auto& update : request.index_updates.value_or(std::vector<Request::IndexUpdate>())) {
        for (auto& index : shown.global_indexes) {
            if (update.update && update.update->warm &&
                update.update->name == index.definition.name) {
                const auto* old = before.find_index(index.definition.name);
                index.warm = warm_throughput(before.description, old->definition);
                index.warm_updating = true;
            }
        }
    }
}

// Whether the stream can be changed; what the request alone decides has been checked.
Result<void> check_stream_change(const Request& request, const Table& table) {
    if (!request.stream || request.stream->enabled != table.has_enabled_stream()) {
        return {};
    }
    return validation_error(
        (request.stream->enabled ? "Table already has an enabled stream: TableName: "
                                 : "Table has no stream to disable: TableName: ") +
        request.table
    );
}

void change_stream(const Request& request, Table& table, CommitContext& context) {
    if (!request.stream) {
        return;
    }
    if (request.stream->enabled) {
        open_stream(context, table, *request.stream->view);
    } else {
        close_stream(context, table);
    }
}

Result<dynamo::TableReply> update(
    const Core& core, const Request& request, CommitContext& context
) {
    const auto before = context.catalog().find(request.table);
    if (before == nullptr) {
        return table_not_found(request.table);
    }
    const bool busy =
        std::any_of(before->indexes.begin(), before->indexes.end(), [](const Index& index) {
            return index.backfilling;
        });
    if (busy && request.index_updates) {
        return resource_in_use(
            "Attempt to change a resource which is still in use: Table is being updated: " +
            request.table
        );
    }
    auto changed = std::make_shared<Table>(*before);
    keep_warm_throughput(*changed);
    GATELEG_TRY(change_billing(core, request, *changed));
    GATELEG_TRY(merge_attributes(request, *changed));
    GATELEG_TRY(check_stream_change(request, *changed));
    GATELEG_TRY(check_encryption(request, *changed));
    std::vector<IndexId> removed;
    GATELEG_TRY(change_indexes(request, *changed, removed));
    for (const auto index : removed) {
        erase_entries(context, changed->id, index);
    }
    GATELEG_TRY(change_throughput(request, *changed));
    change_settings(request, *changed);
    sort_names(*changed);
    compile_table(*changed);
    drop_unused_attributes(*changed);
    change_stream(request, *changed, context);
    context.store_table(changed);
    context.note_growth();
    auto description = describe(*changed, core.committer.counts(changed->id));
    description.status = dynamo::Status::kUpdating;
    show_warming(request, *before, description);
    return dynamo::TableReply{std::move(description)};
}

}  // namespace

void update_table(const Core& core, Request request, Done<Request> done) {
    if (auto checked = check_update(request); !checked) {
        done(std::move(checked).error());
        return;
    }
    change_catalog<dynamo::TableReply>(
        core,
        [&core, request = std::move(request)](CommitContext& context) {
            return update(core, request, context);
        },
        std::move(done)
    );
}

}  // namespace gateleg::engine::ops

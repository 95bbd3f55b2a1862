#include <algorithm>

#include "engine/keyspace.h"
#include "engine/ops/catalog_change.h"
#include "engine/ops/operations.h"
#include "engine/schema_check.h"
#include "engine/stream_log.h"

namespace gateleg::engine::ops {
namespace {

using dynamo::BillingMode;
using Request = dynamo::UpdateTableRequest;

Error parameter_error(const std::string& text) {
    return validation_error("One or more parameter values were invalid: " + text);
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
    } else if (before == BillingMode::kPayPerRequest && !request.throughput) {
        return parameter_error(
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is "
            "PROVISIONED"
        );
    }
    description.billing_mode = after;
    if (!request.throughput) {
        return {};
    }
    if (before == after && *request.throughput == description.throughput) {
        return validation_error(
            "The provisioned throughput for the table will not change. The requested value equals "
            "the current value. Current ReadCapacityUnits provisioned for the table: " +
            std::to_string(description.throughput.read_units) +
            ". Requested ReadCapacityUnits: " + std::to_string(request.throughput->read_units) +
            ". Current WriteCapacityUnits provisioned for the table: " +
            std::to_string(description.throughput.write_units) +
            ". Requested WriteCapacityUnits: " + std::to_string(request.throughput->write_units) +
            ". Refer to the Amazon DynamoDB Developer Guide for current limits and how to request "
            "higher limits."
        );
    }
    description.throughput = *request.throughput;
    return {};
}

// New definitions may only repeat or extend what is there.
Result<void> merge_attributes(const Request& request, Table& table) {
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

Error index_not_found(const std::string& name) {
    return resource_not_found("Requested resource not found: Index: " + name + " not found");
}

Result<void> update_index(const Request::IndexThroughput& update, Table& table) {
    const auto found = std::find_if(table.indexes.begin(), table.indexes.end(), [&](const auto& i) {
        return i.global && i.definition.name == update.name;
    });
    if (found == table.indexes.end()) {
        return index_not_found(update.name);
    }
    if (update.throughput) {
        if (table.description.billing_mode == BillingMode::kPayPerRequest) {
            return parameter_error(
                "ProvisionedThroughput should not be specified for index: " + update.name +
                " when BillingMode is PAY_PER_REQUEST"
            );
        }
        found->definition.throughput = update.throughput;
    }
    if (update.on_demand) {
        found->definition.on_demand = update.on_demand;
    }
    return {};
}

// Only the definition goes here: the entries follow when nothing can refuse the request any more.
Result<void> remove_index(const std::string& name, Table& table, std::vector<IndexId>& removed) {
    const auto found = std::find_if(table.indexes.begin(), table.indexes.end(), [&](const auto& i) {
        return i.global && i.definition.name == name;
    });
    if (found == table.indexes.end()) {
        return index_not_found(name);
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
    if (request.on_demand) {
        description.on_demand = request.on_demand;
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
    GATELEG_TRY(change_billing(core, request, *changed));
    GATELEG_TRY(merge_attributes(request, *changed));
    GATELEG_TRY(check_stream_change(request, *changed));
    std::vector<IndexId> removed;
    GATELEG_TRY(change_indexes(request, *changed, removed));
    for (const auto index : removed) {
        erase_entries(context, changed->id, index);
    }
    change_settings(request, *changed);
    compile_table(*changed);
    drop_unused_attributes(*changed);
    change_stream(request, *changed, context);
    context.store_table(changed);
    context.note_growth();
    auto description = describe(*changed, core.committer.counts(changed->id));
    description.status = dynamo::Status::kUpdating;
    return dynamo::TableReply{std::move(description)};
}

bool changes_anything(const Request& request) {
    return request.billing_mode || request.throughput || request.on_demand || request.table_class ||
           request.encryption || request.deletion_protection || request.stream ||
           (request.index_updates && !request.index_updates->empty());
}

}  // namespace

void update_table(const Core& core, Request request, Done<Request> done) {
    if (!changes_anything(request)) {
        done(validation_error(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
            "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required"
        ));
        return;
    }
    if (auto checked = check_stream(request); !checked) {
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

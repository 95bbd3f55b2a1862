#include "base/ids.h"
#include "engine/keyspace.h"
#include "engine/limits.h"
#include "engine/ops/catalog_change.h"
#include "engine/ops/operations.h"
#include "engine/schema_check.h"
#include "engine/stream_log.h"
#include "engine/table_ids.h"

namespace gateleg::engine::ops {
namespace {

using dynamo::BillingMode;
using Request = dynamo::CreateTableRequest;

void add_indexes(
    Table& table, const std::optional<std::vector<dynamo::IndexDefinition>>& indexes, bool global
) {
    if (!indexes) {
        return;
    }
    for (const auto& definition : *indexes) {
        table.indexes.push_back({
            .id = IndexId{table.next_index_id++},
            .global = global,
            .definition = definition,
        });
    }
}

Table make_table(const Core& core, Request& request, TableId id) {
    const auto now = core.clock.now_millis();
    Table table;
    table.id = id;
    table.tags = std::move(request.tags);
    if (request.resource_policy) {
        table.settings[dynamo::kPolicySetting] = *std::move(request.resource_policy);
    }
    auto& description = table.description;
    description.name = request.table;
    description.arn =
        "arn:aws:dynamodb:" + core.region + ":" + core.account_id + ":table/" + request.table;
    description.id = random_uuid();
    description.created_millis = now;
    description.attributes = std::move(request.attributes);
    description.key_schema = std::move(request.key_schema);
    description.billing_mode = request.billing_mode.value_or(BillingMode::kProvisioned);
    if (description.billing_mode == BillingMode::kPayPerRequest) {
        description.on_demand_since_millis = now;
    }
    description.throughput = request.throughput.value_or(dynamo::Throughput{});
    description.on_demand = request.on_demand;
    if (request.warm) {
        description.warm = {
            request.warm->read_units.value_or(0), request.warm->write_units.value_or(0)};
    }
    description.table_class = request.table_class;
    description.encryption = request.encryption;
    description.deletion_protection = request.deletion_protection;
    add_indexes(table, request.local_indexes, false);
    add_indexes(table, request.global_indexes, true);
    sort_names(table);
    compile_table(table);
    return table;
}

Result<dynamo::TableReply> create(const Core& core, Request& request, CommitContext& context) {
    if (context.catalog().find(request.table) != nullptr) {
        return resource_in_use("Table already exists: " + request.table);
    }
    std::string restoring;
    GATELEG_TRY_ASSIGN(const bool restored, context.get(restore_key(request.table), restoring));
    if (restored) {
        return resource_in_use("Table is being created: " + request.table);
    }
    if (context.catalog().tables.size() >= kMaxTables) {
        return Error{
            ErrorCode::kLimitExceeded,
            "Subscriber limit exceeded: There is a limit of " + std::to_string(kMaxTables) +
                " tables per subscriber"};
    }
    GATELEG_TRY_ASSIGN(const auto id, next_table_id(context));
    auto table = std::make_shared<Table>(make_table(core, request, id));
    if (request.stream && request.stream->enabled) {
        open_stream(context, *table, *request.stream->view);
    }
    context.store_table(table);
    context.note_growth();
    // Real tables take a while; ours is there at once, but clients expect to be told to wait.
    auto description = describe(*table, {});
    description.status = dynamo::Status::kCreating;
    description.warm.reset();  // AWS shows it from the first DescribeTable on
    for (auto& index : description.global_indexes) {
        index.status = dynamo::Status::kCreating;
        index.warm.reset();
    }
    for (auto& index : description.local_indexes) {
        index.status = dynamo::Status::kCreating;
    }
    return dynamo::TableReply{std::move(description)};
}

}  // namespace

void create_table(const Core& core, Request request, Done<Request> done) {
    if (auto checked = check_new_table(request); !checked) {
        done(std::move(checked).error());
        return;
    }
    change_catalog<dynamo::TableReply>(
        core,
        [&core, request = std::move(request)](CommitContext& context) mutable {
            return create(core, request, context);
        },
        std::move(done)
    );
}

}  // namespace gateleg::engine::ops

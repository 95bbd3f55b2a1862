#include "engine/engine.h"

#include "engine/backup_worker.h"
#include "engine/catalog_loader.h"
#include "engine/core.h"
#include "engine/keyspace.h"
#include "engine/maintenance.h"
#include "engine/ops/backups.h"
#include "engine/ops/operations.h"
#include "engine/ops/stream_operations.h"

namespace gateleg::engine {
namespace {

LoadedCatalog load_or_throw(const storage::Store& store) {
    auto loaded = load_catalog(store);
    if (!loaded) {
        throw storage::StoreOpenError(
            storage::StoreOpenError::kDamaged,
            "the table definitions cannot be read: " + loaded.error().message
        );
    }
    return *std::move(loaded);
}

std::unique_ptr<ClockGuard> make_guard(const storage::Store& store, const EngineOptions& options) {
    if (!options.uptime) {
        return nullptr;
    }
    std::string bytes;
    const auto there = store.get(clock_anchor_key(), bytes);
    auto last = there && *there && !options.trust_clock ? decode_anchor(bytes) : std::nullopt;
    return std::make_unique<ClockGuard>(*options.uptime, std::move(last));
}

}  // namespace

// In the order of construction: maintenance stops first, then the committer runs what is queued.
struct Engine::Parts {
    Parts(storage::Store& store, const Clock& clock, EngineOptions options, LoadedCatalog loaded)
        : index_view(
              options.index_lag.count() == 0
                  ? nullptr
                  : std::make_unique<LaggingView>(store, options.index_lag)
          ),
          clock_guard(make_guard(store, options)),
          core{
              .store = store,
              .committer = committer,
              .expressions = expressions,
              .hot_keys = hot_keys,
              .clock = clock,
              .region = std::move(options.region),
              .account_id = std::move(options.account_id),
              .index_view = index_view.get(),
              .expiry_delay_seconds = options.expiry_delay_seconds,
              .clock_guard = clock_guard.get(),
          },
          committer(store, clock, std::move(loaded), &hot_keys),
          maintenance(core) {
        backups.start();
    }
    ~Parts() { backups.stop(); }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    expr::Cache expressions;
    HotKeys hot_keys;
    std::unique_ptr<LaggingView> index_view;
    std::unique_ptr<ClockGuard> clock_guard;
    // Writes that are still queued when everything stops use it, and may hand work to the backups:
    // both go after the committer, which runs them. Until then it only names the committer.
    Core core;
    BackupWorker backups{core};
    Committer committer;
    Maintenance maintenance;
};

Engine::Engine(storage::Store& store, const Clock& clock, EngineOptions options)
    : parts_(std::make_unique<Parts>(store, clock, std::move(options), load_or_throw(store))) {}

Engine::~Engine() = default;

void Engine::get_item(dynamo::GetItemRequest request, dynamo::Done<dynamo::GetItemRequest> done) {
    ops::get_item(parts_->core, std::move(request), std::move(done));
}
void Engine::put_item(dynamo::PutItemRequest request, dynamo::Done<dynamo::PutItemRequest> done) {
    ops::put_item(parts_->core, std::move(request), std::move(done));
}
void Engine::update_item(
    dynamo::UpdateItemRequest request, dynamo::Done<dynamo::UpdateItemRequest> done
) {
    ops::update_item(parts_->core, std::move(request), std::move(done));
}
void Engine::delete_item(
    dynamo::DeleteItemRequest request, dynamo::Done<dynamo::DeleteItemRequest> done
) {
    ops::delete_item(parts_->core, std::move(request), std::move(done));
}
void Engine::query(dynamo::QueryRequest request, dynamo::Done<dynamo::QueryRequest> done) {
    ops::query(parts_->core, std::move(request), std::move(done));
}
void Engine::scan(dynamo::ScanRequest request, dynamo::Done<dynamo::ScanRequest> done) {
    ops::scan(parts_->core, std::move(request), std::move(done));
}
void Engine::batch_get_item(
    dynamo::BatchGetItemRequest request, dynamo::Done<dynamo::BatchGetItemRequest> done
) {
    ops::batch_get_item(parts_->core, std::move(request), std::move(done));
}
void Engine::batch_write_item(
    dynamo::BatchWriteItemRequest request, dynamo::Done<dynamo::BatchWriteItemRequest> done
) {
    ops::batch_write_item(parts_->core, std::move(request), std::move(done));
}
void Engine::transact_get_items(
    dynamo::TransactGetItemsRequest request, dynamo::Done<dynamo::TransactGetItemsRequest> done
) {
    ops::transact_get_items(parts_->core, std::move(request), std::move(done));
}
void Engine::transact_write_items(
    dynamo::TransactWriteItemsRequest request, dynamo::Done<dynamo::TransactWriteItemsRequest> done
) {
    ops::transact_write_items(parts_->core, std::move(request), std::move(done));
}
void Engine::create_table(
    dynamo::CreateTableRequest request, dynamo::Done<dynamo::CreateTableRequest> done
) {
    ops::create_table(parts_->core, std::move(request), std::move(done));
}
void Engine::describe_table(
    dynamo::DescribeTableRequest request, dynamo::Done<dynamo::DescribeTableRequest> done
) {
    ops::describe_table(parts_->core, std::move(request), std::move(done));
}
void Engine::update_table(
    dynamo::UpdateTableRequest request, dynamo::Done<dynamo::UpdateTableRequest> done
) {
    ops::update_table(parts_->core, std::move(request), std::move(done));
}
void Engine::delete_table(
    dynamo::DeleteTableRequest request, dynamo::Done<dynamo::DeleteTableRequest> done
) {
    ops::delete_table(parts_->core, std::move(request), std::move(done));
}
void Engine::list_tables(
    dynamo::ListTablesRequest request, dynamo::Done<dynamo::ListTablesRequest> done
) {
    ops::list_tables(parts_->core, std::move(request), std::move(done));
}
void Engine::update_time_to_live(
    dynamo::UpdateTimeToLiveRequest request, dynamo::Done<dynamo::UpdateTimeToLiveRequest> done
) {
    ops::update_time_to_live(parts_->core, std::move(request), std::move(done));
}
void Engine::describe_time_to_live(
    dynamo::DescribeTimeToLiveRequest request, dynamo::Done<dynamo::DescribeTimeToLiveRequest> done
) {
    ops::describe_time_to_live(parts_->core, std::move(request), std::move(done));
}
void Engine::tag_resource(
    dynamo::TagResourceRequest request, dynamo::Done<dynamo::TagResourceRequest> done
) {
    ops::tag_resource(parts_->core, std::move(request), std::move(done));
}
void Engine::untag_resource(
    dynamo::UntagResourceRequest request, dynamo::Done<dynamo::UntagResourceRequest> done
) {
    ops::untag_resource(parts_->core, std::move(request), std::move(done));
}
void Engine::list_tags_of_resource(
    dynamo::ListTagsOfResourceRequest request, dynamo::Done<dynamo::ListTagsOfResourceRequest> done
) {
    ops::list_tags_of_resource(parts_->core, std::move(request), std::move(done));
}

void Engine::create_backup(
    dynamo::CreateBackupRequest request, dynamo::Done<dynamo::CreateBackupRequest> done
) {
    ops::create_backup(parts_->core, parts_->backups, std::move(request), std::move(done));
}
void Engine::describe_backup(
    dynamo::DescribeBackupRequest request, dynamo::Done<dynamo::DescribeBackupRequest> done
) {
    ops::describe_backup(parts_->core, std::move(request), std::move(done));
}
void Engine::delete_backup(
    dynamo::DeleteBackupRequest request, dynamo::Done<dynamo::DeleteBackupRequest> done
) {
    ops::delete_backup(parts_->core, std::move(request), std::move(done));
}
void Engine::list_backups(
    dynamo::ListBackupsRequest request, dynamo::Done<dynamo::ListBackupsRequest> done
) {
    ops::list_backups(parts_->core, std::move(request), std::move(done));
}
void Engine::restore_table_from_backup(
    dynamo::RestoreTableFromBackupRequest request,
    dynamo::Done<dynamo::RestoreTableFromBackupRequest> done
) {
    ops::restore_table_from_backup(
        parts_->core, parts_->backups, std::move(request), std::move(done)
    );
}

void Engine::list_streams(
    dynamo::ListStreamsRequest request, dynamo::Done<dynamo::ListStreamsRequest> done
) {
    ops::list_streams(parts_->core, std::move(request), std::move(done));
}
void Engine::describe_stream(
    dynamo::DescribeStreamRequest request, dynamo::Done<dynamo::DescribeStreamRequest> done
) {
    ops::describe_stream(parts_->core, std::move(request), std::move(done));
}
void Engine::get_shard_iterator(
    dynamo::GetShardIteratorRequest request, dynamo::Done<dynamo::GetShardIteratorRequest> done
) {
    ops::get_shard_iterator(parts_->core, std::move(request), std::move(done));
}
void Engine::get_records(
    dynamo::GetRecordsRequest request, dynamo::Done<dynamo::GetRecordsRequest> done
) {
    ops::get_records(parts_->core, std::move(request), std::move(done));
}

void Engine::get_table_settings(
    dynamo::GetTableSettingsRequest request, dynamo::Done<dynamo::GetTableSettingsRequest> done
) {
    ops::get_table_settings(parts_->core, std::move(request), std::move(done));
}
void Engine::change_table_setting(
    dynamo::ChangeTableSettingRequest request, dynamo::Done<dynamo::ChangeTableSettingRequest> done
) {
    ops::change_table_setting(parts_->core, std::move(request), std::move(done));
}

Result<dynamo::PartitionsReply> Engine::read_partitions(const dynamo::PartitionsRequest& request
) const {
    return ops::read_partitions(parts_->core, request);
}
dynamo::HotKeysReply Engine::read_hot_keys(const dynamo::HotKeysRequest& request) const {
    return ops::read_hot_keys(parts_->core, request);
}

Result<dynamo::ChangesRange> Engine::changes_range(const std::string& table) const {
    return ops::changes_range(parts_->core, table);
}

Result<dynamo::ChangesReply> Engine::read_changes(const dynamo::ChangesRequest& request) const {
    return ops::read_changes(parts_->core, request);
}

void Engine::on_changes(std::function<void()> listener) {
    parts_->committer.on_records(std::move(listener));
}

EngineFigures Engine::figures() const {
    const auto figures = parts_->committer.figures();
    return {figures.queued, figures.batches, figures.operations, parts_->core.clock_is_trusted()};
}

}  // namespace gateleg::engine

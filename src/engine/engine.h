// The embedded implementation of the DynamoDB API: tables and items on a storage::Store.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "dynamo/backups.h"
#include "dynamo/change_feed.h"
#include "dynamo/dynamo.h"
#include "dynamo/hot_keys.h"
#include "dynamo/partition_reader.h"
#include "dynamo/streams.h"
#include "dynamo/table_settings.h"
#include "engine/clock_guard.h"
#include "storage/store.h"

namespace gateleg::engine {

struct EngineOptions {
    // Where ARNs say that the tables are.
    std::string region = "us-east-1";
    std::string account_id = "123456789012";
    // For tests of code that must also run on AWS: reads of global indexes see them as they were a
    // moment ago, about as long as this at least and twice as long at most; zero is never.
    std::chrono::milliseconds index_lag{0};
    // And expired items stay for so long.
    std::int64_t expiry_delay_seconds = 0;
    // What the clock is compared with before anything is deleted by it; without it, it is believed.
    std::optional<Uptime> uptime;
    // Whatever it was before, the clock is right at the start.
    bool trust_clock = false;
};

// How busy the writes are.
struct EngineFigures {
    std::uint64_t writes_queued = 0;
    std::uint64_t commits = 0;  // since the start
    std::uint64_t writes = 0;   // that they held
    bool clock_trusted = true;
};

// Thread-safe. Reads are answered on the calling thread, writes on the commit thread.
// Stop sending requests before destroying it; writes already sent are still made.
class Engine final : public dynamo::Dynamo,
                     public dynamo::Streams,
                     public dynamo::TableSettings,
                     public dynamo::Backups,
                     public dynamo::PartitionReader,
                     public dynamo::HotKeyReader,
                     public dynamo::ChangeFeed {
public:
    // Loads the catalog; throws storage::StoreOpenError if it cannot be read.
    Engine(storage::Store& store, const Clock& clock, EngineOptions options);
    ~Engine() override;

    void get_item(dynamo::GetItemRequest, dynamo::Done<dynamo::GetItemRequest>) override;
    void put_item(dynamo::PutItemRequest, dynamo::Done<dynamo::PutItemRequest>) override;
    void update_item(dynamo::UpdateItemRequest, dynamo::Done<dynamo::UpdateItemRequest>) override;
    void delete_item(dynamo::DeleteItemRequest, dynamo::Done<dynamo::DeleteItemRequest>) override;
    void query(dynamo::QueryRequest, dynamo::Done<dynamo::QueryRequest>) override;
    void scan(dynamo::ScanRequest, dynamo::Done<dynamo::ScanRequest>) override;
    void batch_get_item(dynamo::BatchGetItemRequest, dynamo::Done<dynamo::BatchGetItemRequest>)
        override;
    void
        batch_write_item(dynamo::BatchWriteItemRequest, dynamo::Done<dynamo::BatchWriteItemRequest>)
            override;
    void
        transact_get_items(dynamo::TransactGetItemsRequest, dynamo::Done<dynamo::TransactGetItemsRequest>)
            override;
    void
        transact_write_items(dynamo::TransactWriteItemsRequest, dynamo::Done<dynamo::TransactWriteItemsRequest>)
            override;
    void create_table(dynamo::CreateTableRequest, dynamo::Done<dynamo::CreateTableRequest>)
        override;
    void describe_table(dynamo::DescribeTableRequest, dynamo::Done<dynamo::DescribeTableRequest>)
        override;
    void update_table(dynamo::UpdateTableRequest, dynamo::Done<dynamo::UpdateTableRequest>)
        override;
    void delete_table(dynamo::DeleteTableRequest, dynamo::Done<dynamo::DeleteTableRequest>)
        override;
    void list_tables(dynamo::ListTablesRequest, dynamo::Done<dynamo::ListTablesRequest>) override;
    void
        update_time_to_live(dynamo::UpdateTimeToLiveRequest, dynamo::Done<dynamo::UpdateTimeToLiveRequest>)
            override;
    void
        describe_time_to_live(dynamo::DescribeTimeToLiveRequest, dynamo::Done<dynamo::DescribeTimeToLiveRequest>)
            override;
    void tag_resource(dynamo::TagResourceRequest, dynamo::Done<dynamo::TagResourceRequest>)
        override;
    void untag_resource(dynamo::UntagResourceRequest, dynamo::Done<dynamo::UntagResourceRequest>)
        override;
    void
        list_tags_of_resource(dynamo::ListTagsOfResourceRequest, dynamo::Done<dynamo::ListTagsOfResourceRequest>)
            override;

    void create_backup(dynamo::CreateBackupRequest, dynamo::Done<dynamo::CreateBackupRequest>)
        override;
    void describe_backup(dynamo::DescribeBackupRequest, dynamo::Done<dynamo::DescribeBackupRequest>)
        override;
    void delete_backup(dynamo::DeleteBackupRequest, dynamo::Done<dynamo::DeleteBackupRequest>)
        override;
    void list_backups(dynamo::ListBackupsRequest, dynamo::Done<dynamo::ListBackupsRequest>)
        override;
    void
        restore_table_from_backup(dynamo::RestoreTableFromBackupRequest, dynamo::Done<dynamo::RestoreTableFromBackupRequest>)
            override;

    void list_streams(dynamo::ListStreamsRequest, dynamo::Done<dynamo::ListStreamsRequest>)
        override;
    void describe_stream(dynamo::DescribeStreamRequest, dynamo::Done<dynamo::DescribeStreamRequest>)
        override;
    void
        get_shard_iterator(dynamo::GetShardIteratorRequest, dynamo::Done<dynamo::GetShardIteratorRequest>)
            override;
    void get_records(dynamo::GetRecordsRequest, dynamo::Done<dynamo::GetRecordsRequest>) override;

    void
        get_table_settings(dynamo::GetTableSettingsRequest, dynamo::Done<dynamo::GetTableSettingsRequest>)
            override;
    void
        change_table_setting(dynamo::ChangeTableSettingRequest, dynamo::Done<dynamo::ChangeTableSettingRequest>)
            override;

    Result<dynamo::PartitionsReply> read_partitions(const dynamo::PartitionsRequest& request
    ) const override;
    dynamo::HotKeysReply read_hot_keys(const dynamo::HotKeysRequest& request) const override;
    Result<dynamo::ChangesRange> changes_range(const std::string& table) const override;
    Result<dynamo::ChangesReply> read_changes(const dynamo::ChangesRequest& request) const override;
    void on_changes(std::function<void()> listener) override;
    EngineFigures figures() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace gateleg::engine

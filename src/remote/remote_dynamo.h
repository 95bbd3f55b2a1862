// The DynamoDB API answered by AWS DynamoDB, or by anything compatible, over HTTP.

#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "dynamo/dynamo.h"
#include "dynamo/store_calls.h"
#include "dynamo/streams.h"
#include "remote/credentials_chain.h"
#include "remote/store_address.h"

namespace gateleg::remote {

struct RemoteOptions {
    StoreAddress store;
    CredentialsOptions credentials;
    // Every call has ended by then, with what is known at that time.
    std::chrono::milliseconds deadline{10'000};
    std::size_t max_connections = 64;
    // Calls under way at once; one more is refused with ServiceUnavailable.
    std::size_t max_calls = 1024;
    // PEM file of certificates to trust instead of the system's.
    std::string ca_file;
};

// Which of the operations that compatible services may lack this one has.
struct Capabilities {
    std::set<std::string, std::less<>> missing;  // operations, as AWS names them

    bool has(std::string_view operation) const { return !missing.contains(operation); }
    bool has_transactions() const { return has("TransactGetItems") && has("TransactWriteItems"); }
    bool has_batches() const { return has("BatchGetItem") && has("BatchWriteItem"); }
    bool has_time_to_live() const { return has("UpdateTimeToLive") && has("DescribeTimeToLive"); }
    bool has_tags() const {
        return has("TagResource") && has("UntagResource") && has("ListTagsOfResource");
    }
};

// Thread-safe. Replies come on its own thread and must not block it. Destroying it ends the calls
// under way with an error; make no new ones meanwhile.
//
// Errors of the store come through as they are. Those of the way there name the store:
// ServiceUnavailable if nothing was changed, InternalServerError if a write may have been made.
class RemoteDynamo final : public dynamo::Dynamo,
                           public dynamo::Streams,
                           public dynamo::StoreCalls {
public:
    // `real_clock` dates the signatures. Sends nothing yet.
    RemoteDynamo(RemoteOptions options, const Clock& real_clock);
    ~RemoteDynamo() override;

    // Asks the store for each operation that it may lack with a request that none can carry out.
    // Waits for the answers: for start-up. Fails if the store cannot be reached or refuses us.
    Result<Capabilities> probe();

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

    void list_streams(dynamo::ListStreamsRequest, dynamo::Done<dynamo::ListStreamsRequest>)
        override;
    void describe_stream(dynamo::DescribeStreamRequest, dynamo::Done<dynamo::DescribeStreamRequest>)
        override;
    void
        get_shard_iterator(dynamo::GetShardIteratorRequest, dynamo::Done<dynamo::GetShardIteratorRequest>)
            override;
    void get_records(dynamo::GetRecordsRequest, dynamo::Done<dynamo::GetRecordsRequest>) override;

    void forward(dynamo::ForwardedRequest, dynamo::Done<dynamo::ForwardedRequest>) override;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace gateleg::remote

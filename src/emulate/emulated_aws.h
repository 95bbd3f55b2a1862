// A Dynamo that treats its callers as AWS does on a bad day: some writes and keys of a batch come
// back unprocessed, and some transactions conflict.
//
// It is for tests of code that must also run on AWS. What it does is drawn from a seed, so that the
// same requests in the same order get the same answers. Delayed indexes and late expiry are the
// engine's part (engine::EngineOptions).

#pragma once

#include <cstdint>
#include <mutex>
#include <random>
#include <set>
#include <string>

#include "dynamo/dynamo.h"

namespace gateleg::emulate {

// One in so many; 0 is never.
struct AwsOdds {
    unsigned batch_unprocessed = 3;    // a batch with more than one element leaves some of them
    unsigned element_unprocessed = 3;  // an element of such a batch is left
    unsigned transaction_conflict = 6;
    // A single write, to a table that has seen transactions.
    unsigned write_conflict = 12;
};

// Thread-safe, if the Dynamo behind it is.
class EmulatedAws final : public dynamo::Dynamo {
public:
    EmulatedAws(dynamo::Dynamo& behind, std::uint64_t seed, AwsOdds odds = {});

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

private:
    // These two need the lock.
    bool happens(unsigned one_in);
    std::size_t below(std::size_t count);
    bool write_conflicts(const std::string& table);

    dynamo::Dynamo& behind_;
    const AwsOdds odds_;
    std::mutex mutex_;
    std::mt19937_64 random_;
    std::set<std::string, std::less<>> transacted_;  // tables that have seen transactions
};

}  // namespace gateleg::emulate

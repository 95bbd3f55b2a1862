// The requests of the DynamoDB API as types, one per operation, named as AWS names them.
//
// What the wire format alone decides (required members, enumerations, lengths) has been checked
// when one of these exists; what needs a table or an expression is checked by whoever runs it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dynamo/replies.h"
#include "dynamo/schema.h"
#include "value/value_view.h"

namespace gateleg::dynamo {

using value::EncodedItem;

enum class ReturnValues : std::uint8_t { kNone, kAllOld, kUpdatedOld, kAllNew, kUpdatedNew };
enum class ReturnCapacity : std::uint8_t { kNone, kTotal, kIndexes };
enum class Select : std::uint8_t {
    kUnset,
    kAllAttributes,
    kAllProjectedAttributes,
    kSpecificAttributes,
    kCount,
};

struct GetItemRequest {
    using Reply = GetItemReply;
    std::string table;
    EncodedItem key;
    std::optional<std::string> projection;
    Placeholders placeholders;
    bool consistent_read = false;
    ReturnCapacity return_capacity = ReturnCapacity::kNone;
};

// What PutItem, UpdateItem and DeleteItem have in common.
struct ItemWrite {
    std::string table;
    std::optional<std::string> condition;
    Placeholders placeholders;
    bool return_old_on_failure = false;
};

struct ItemWriteOptions {
    ReturnValues return_values = ReturnValues::kNone;
    ReturnCapacity return_capacity = ReturnCapacity::kNone;
    bool return_collection_metrics = false;
};

struct PutItemRequest {
    using Reply = ItemWriteReply;
    ItemWrite write;
    ItemWriteOptions options;
    EncodedItem item;
};

struct UpdateItemRequest {
    using Reply = ItemWriteReply;
    ItemWrite write;
    ItemWriteOptions options;
    EncodedItem key;
    std::optional<std::string> update;
};

struct DeleteItemRequest {
    using Reply = ItemWriteReply;
    ItemWrite write;
    ItemWriteOptions options;
    EncodedItem key;
};

// What Query and Scan have in common.
struct ReadPage {
    std::string table;
    std::optional<std::string> index;
    std::optional<std::string> filter;
    std::optional<std::string> projection;
    Placeholders placeholders;
    std::optional<EncodedItem> exclusive_start_key;
    std::optional<std::int64_t> limit;
    Select select = Select::kUnset;
    bool consistent_read = false;
    ReturnCapacity return_capacity = ReturnCapacity::kNone;
};

struct QueryRequest {
    using Reply = PageReply;
    ReadPage page;
    std::optional<std::string> key_condition;
    bool forward = true;
};

struct ScanRequest {
    using Reply = PageReply;
    ReadPage page;
    std::uint32_t segment = 0;
    std::uint32_t total_segments = 1;
};

struct BatchGetItemRequest {
    using Reply = BatchGetItemReply;
    std::vector<KeysAndAttributes> tables;
    ReturnCapacity return_capacity = ReturnCapacity::kNone;
};

struct BatchWriteItemRequest {
    using Reply = BatchWriteItemReply;
    using Table = TableWrites;
    using Write = TableWrites::Write;
    std::vector<Table> tables;
    ReturnCapacity return_capacity = ReturnCapacity::kNone;
    bool return_collection_metrics = false;
};

struct TransactGetItemsRequest {
    using Reply = TransactGetItemsReply;
    struct Get {
        std::string table;
        EncodedItem key;
        std::optional<std::string> projection;
        Placeholders placeholders;
    };
    std::vector<Get> gets;
    ReturnCapacity return_capacity = ReturnCapacity::kNone;
};

enum class TransactAction : std::uint8_t { kConditionCheck, kPut, kUpdate, kDelete };

struct TransactWriteItemsRequest {
    using Reply = TransactWriteItemsReply;
    struct Action {
        TransactAction kind = TransactAction::kPut;
        ItemWrite write;
        EncodedItem item;  // of a put; the key otherwise
        std::optional<std::string> update;
    };
    std::vector<Action> actions;
    std::optional<std::string> client_request_token;
    // Tells a repeated request from another one under the same token.
    std::uint64_t content_hash = 0;
    ReturnCapacity return_capacity = ReturnCapacity::kNone;
    bool return_collection_metrics = false;
};

struct CreateTableRequest {
    using Reply = TableReply;
    std::string table;
    std::vector<AttributeDefinition> attributes;
    KeySchema key_schema;
    std::optional<std::vector<IndexDefinition>> global_indexes;
    std::optional<std::vector<IndexDefinition>> local_indexes;
    std::optional<BillingMode> billing_mode;
    std::optional<Throughput> throughput;
    std::optional<OnDemandThroughput> on_demand;
    std::optional<WarmThroughput> warm;
    std::optional<TableClass> table_class;
    std::optional<ServerSideEncryption> encryption;
    std::optional<StreamSpecification> stream;
    bool deletion_protection = false;
    Tags tags;
    std::optional<std::string> resource_policy;
};

struct UpdateTableRequest {
    using Reply = TableReply;
    struct IndexThroughput {
        std::string name;
        std::optional<Throughput> throughput;
        std::optional<OnDemandThroughput> on_demand;
        std::optional<WarmThroughput> warm;
    };
    // Exactly one member is set.
    struct IndexUpdate {
        std::optional<IndexDefinition> create;
        std::optional<IndexThroughput> update;
        std::optional<std::string> remove;
    };
    std::string table;
    std::vector<AttributeDefinition> attributes;
    std::optional<BillingMode> billing_mode;
    std::optional<Throughput> throughput;
    std::optional<OnDemandThroughput> on_demand;
    std::optional<WarmThroughput> warm;
    std::optional<TableClass> table_class;
    std::optional<ServerSideEncryption> encryption;
    std::optional<StreamSpecification> stream;
    std::optional<bool> deletion_protection;
    std::optional<std::vector<IndexUpdate>> index_updates;
};

struct DescribeTableRequest {
    using Reply = TableReply;
    std::string table;
};

struct DeleteTableRequest {
    using Reply = TableReply;
    std::string table;
};

struct ListTablesRequest {
    using Reply = ListTablesReply;
    std::optional<std::string> exclusive_start;
    std::size_t limit = 100;
};

struct UpdateTimeToLiveRequest {
    using Reply = TimeToLiveSpecification;
    std::string table;
    TimeToLiveSpecification specification;
};

struct DescribeTimeToLiveRequest {
    using Reply = TimeToLiveDescription;
    std::string table;
};

struct TagResourceRequest {
    using Reply = Empty;
    std::string arn;
    Tags tags;
};

struct UntagResourceRequest {
    using Reply = Empty;
    std::string arn;
    std::vector<std::string> keys;
};

struct ListTagsOfResourceRequest {
    using Reply = ListTagsReply;
    std::string arn;
    std::optional<std::string> next_token;
};

}  // namespace gateleg::dynamo

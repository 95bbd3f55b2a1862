// The replies of the DynamoDB API as types, and what its errors carry.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "dynamo/schema.h"
#include "value/value_view.h"

namespace gateleg::dynamo {

using value::EncodedItem;

struct Empty {};

// ExpressionAttributeNames in request order, and ExpressionAttributeValues as a map of values.
struct Placeholders {
    std::optional<std::vector<std::pair<std::string, std::string>>> names;
    std::optional<EncodedItem> values;
};

// Capacity in DynamoDB's units. The wire shows read_units or write_units only for transactions and
// the split by index only when it was asked for.
struct ConsumedCapacity {
    std::string table;
    double units = 0;
    double table_units = 0;
    std::map<std::string, double> global_indexes;
    std::map<std::string, double> local_indexes;
    bool show_indexes = false;
    enum class Kind : std::uint8_t { kPlain, kTransactRead, kTransactWrite } kind = Kind::kPlain;
};

struct ItemCollectionMetrics {
    EncodedItem key;  // the hash attribute alone
    double size_gb_lower = 0;
    double size_gb_upper = 1;
};

// Items one behind the other in one buffer.
class ItemBuffer {
public:
    std::size_t size() const { return count_; }
    bool empty() const { return count_ == 0; }
    void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
    std::string& bytes_for_next() {
        ++count_;
        return bytes_;
    }
    value::ValueView::Elements items() const { return {bytes_.data(), count_}; }

private:
    std::string bytes_;
    std::size_t count_ = 0;
};

struct GetItemReply {
    std::optional<EncodedItem> item;
    std::optional<ConsumedCapacity> capacity;
};

struct ItemWriteReply {
    std::optional<EncodedItem> attributes;
    std::optional<ConsumedCapacity> capacity;
    std::optional<ItemCollectionMetrics> collection_metrics;
};

struct PageReply {
    ItemBuffer items;
    bool count_only = false;
    std::int64_t count = 0;
    std::int64_t scanned_count = 0;
    std::optional<EncodedItem> last_evaluated_key;
    std::optional<ConsumedCapacity> capacity;
};

// Keys of one table to be read together, and how.
struct KeysAndAttributes {
    std::string table;
    std::vector<EncodedItem> keys;
    std::optional<std::string> projection;
    Placeholders placeholders;
    bool consistent_read = false;
};

struct BatchGetItemReply {
    struct Table {
        std::string name;
        ItemBuffer items;
    };
    std::vector<Table> tables;
    std::vector<KeysAndAttributes> unprocessed;
    std::vector<ConsumedCapacity> capacity;
};

// Writes to one table that are sent together; each stands on its own.
struct TableWrites {
    // An item to put, or the key of one to delete.
    struct Write {
        EncodedItem item;
        bool is_delete = false;
    };
    std::string name;
    std::vector<Write> writes;
};

struct BatchWriteItemReply {
    std::vector<TableWrites> unprocessed;
    std::vector<ConsumedCapacity> capacity;
    std::vector<std::pair<std::string, std::vector<ItemCollectionMetrics>>> collection_metrics;
};

struct TransactGetItemsReply {
    std::vector<std::optional<EncodedItem>> items;
    std::vector<ConsumedCapacity> capacity;
};

struct TransactWriteItemsReply {
    std::vector<ConsumedCapacity> capacity;
    std::vector<std::pair<std::string, std::vector<ItemCollectionMetrics>>> collection_metrics;
};

struct TableReply {
    TableDescription table;
};

struct ListTablesReply {
    std::vector<std::string> names;
    std::optional<std::string> last_evaluated;
};

struct TimeToLiveSpecification {
    std::string attribute;
    bool enabled = false;
};

struct TimeToLiveDescription {
    std::optional<std::string> attribute;  // set when time to live is enabled
};

struct ListTagsReply {
    std::vector<std::pair<std::string, std::string>> tags;
    std::optional<std::string> next_token;
};

// The item that made a condition fail, when the caller asked for it.
struct FailedItem : ErrorDetail {
    explicit FailedItem(EncodedItem found) : item(std::move(found)) {}
    EncodedItem item;
};

// Why a transaction was cancelled: one reason per action, in their order.
struct CancellationReason {
    std::string code = "None";
    std::string message;
    std::optional<EncodedItem> item;
};
struct CancellationReasons : ErrorDetail {
    explicit CancellationReasons(std::vector<CancellationReason> list) : reasons(std::move(list)) {}
    std::vector<CancellationReason> reasons;
};

}  // namespace gateleg::dynamo

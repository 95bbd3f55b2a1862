// The shape of a table as the DynamoDB API describes it.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "value/types.h"

namespace gateleg::dynamo {

enum class KeyRole : std::uint8_t { kHash, kRange };

struct KeySchemaElement {
    std::string attribute;
    KeyRole role = KeyRole::kHash;
    bool operator==(const KeySchemaElement&) const = default;
};
// Hash attributes first. A table has one hash and at most one range attribute; a global index may
// have up to four of each.
using KeySchema = std::vector<KeySchemaElement>;

struct AttributeDefinition {
    std::string name;
    value::Type type = value::Type::kString;  // S, N or B
};

enum class ProjectionType : std::uint8_t { kAll, kKeysOnly, kInclude };

struct Projection {
    ProjectionType type = ProjectionType::kAll;
    std::vector<std::string> non_key_attributes;
};

struct Throughput {
    std::int64_t read_units = 0;
    std::int64_t write_units = 0;
    bool operator==(const Throughput&) const = default;
};

// In a change -1 takes the limit away.
struct OnDemandThroughput {
    std::optional<std::int64_t> max_read_units;
    std::optional<std::int64_t> max_write_units;
};

// What a client wants a table or an index to be prepared for; a member that is not there stays.
struct WarmThroughput {
    std::optional<std::int64_t> read_units;
    std::optional<std::int64_t> write_units;
};

enum class BillingMode : std::uint8_t { kProvisioned, kPayPerRequest };
enum class TableClass : std::uint8_t { kStandard, kInfrequentAccess };
enum class Status : std::uint8_t { kCreating, kUpdating, kDeleting, kActive };
// What the records of a table's stream show. Written to disk: append only, never renumber.
enum class StreamView : std::uint8_t { kKeysOnly, kNewImage, kOldImage, kNewAndOldImages };

struct IndexDefinition {
    std::string name;
    KeySchema key_schema;
    Projection projection;
    std::optional<Throughput> throughput;  // global indexes of a provisioned table
    std::optional<OnDemandThroughput> on_demand;
    std::optional<WarmThroughput> warm;
};

struct ServerSideEncryption {
    bool enabled = false;
    std::string key_id;
};

struct StreamSpecification {
    bool enabled = false;
    std::optional<StreamView> view;
};

using Tags = std::map<std::string, std::string>;

struct IndexDescription {
    IndexDefinition definition;
    Status status = Status::kActive;
    bool backfilling = false;
    std::int64_t item_count = 0;
    std::int64_t size_bytes = 0;
    std::string arn;
    std::optional<Throughput> warm;  // as it is shown; global indexes
    bool warm_updating = false;
};

struct TableDescription {
    std::string name;
    std::string arn;
    std::string id;
    Status status = Status::kActive;
    std::int64_t created_millis = 0;
    std::vector<AttributeDefinition> attributes;
    KeySchema key_schema;
    BillingMode billing_mode = BillingMode::kProvisioned;
    // When the table last became PAY_PER_REQUEST; absent if it never was.
    std::optional<std::int64_t> on_demand_since_millis;
    Throughput throughput;
    std::optional<OnDemandThroughput> on_demand;
    std::optional<Throughput> warm;
    bool warm_updating = false;
    std::vector<IndexDescription> global_indexes;
    std::vector<IndexDescription> local_indexes;
    std::int64_t item_count = 0;
    std::int64_t size_bytes = 0;
    bool deletion_protection = false;
    std::optional<TableClass> table_class;
    std::optional<ServerSideEncryption> encryption;
    std::optional<StreamView> stream_view;  // set while a stream is enabled
    // Of the newest stream, also after it was disabled; empty if there never was one.
    std::string latest_stream_arn;
    std::string latest_stream_label;
};

}  // namespace gateleg::dynamo

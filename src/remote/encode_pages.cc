#include "remote/encode_request.h"
#include "remote/internal/encode_parts.h"

namespace gateleg::remote {
namespace {

using dynamo::Select;

void encode_select(JsonWriter& json, Select select) {
    switch (select) {
        case Select::kUnset:
            return;
        case Select::kAllAttributes:
            json.member("Select", "ALL_ATTRIBUTES");
            return;
        case Select::kAllProjectedAttributes:
            json.member("Select", "ALL_PROJECTED_ATTRIBUTES");
            return;
        case Select::kSpecificAttributes:
            json.member("Select", "SPECIFIC_ATTRIBUTES");
            return;
        case Select::kCount:
            json.member("Select", "COUNT");
            return;
    }
}

void encode_page(JsonWriter& json, const dynamo::ReadPage& page) {
    json.member("TableName", page.table);
    internal::encode_text(json, "IndexName", page.index);
    internal::encode_text(json, "FilterExpression", page.filter);
    internal::encode_text(json, "ProjectionExpression", page.projection);
    internal::encode_placeholders(json, page.placeholders);
    if (page.exclusive_start_key) {
        internal::encode_item(json, "ExclusiveStartKey", *page.exclusive_start_key);
    }
    if (page.limit) {
        json.member("Limit", *page.limit);
    }
    encode_select(json, page.select);
    if (page.consistent_read) {
        json.member("ConsistentRead", true);
    }
    internal::encode_return_capacity(json, page.return_capacity);
}

}  // namespace

void encode_request(std::string& out, const dynamo::QueryRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    encode_page(json, request.page);
    internal::encode_text(json, "KeyConditionExpression", request.key_condition);
    if (!request.forward) {
        json.member("ScanIndexForward", false);
    }
    json.end_object();
}

void encode_request(std::string& out, const dynamo::ScanRequest& request) {
    JsonWriter json(out);
    json.begin_object();
    encode_page(json, request.page);
    if (request.total_segments > 1) {
        json.member("Segment", request.segment);
        json.member("TotalSegments", request.total_segments);
    }
    json.end_object();
}

}  // namespace gateleg::remote

#include "api/dynamodb/legacy.h"
#include "api/dynamodb/read_request.h"

namespace gateleg::api::dynamodb {
namespace {

using dynamo::Select;

void read_page(const Fields& in, dynamo::ReadPage& page) {
    page.index = in.text("IndexName");
    page.filter = in.text("FilterExpression");
    page.projection = in.text("ProjectionExpression");
    page.limit = in.integer("Limit");
    page.consistent_read = in.boolean("ConsistentRead").value_or(false);
    page.return_capacity = read_return_capacity(in);
    page.select = in.choice<Select>(
                        "Select",
                        {{"ALL_ATTRIBUTES", Select::kAllAttributes},
                         {"ALL_PROJECTED_ATTRIBUTES", Select::kAllProjectedAttributes},
                         {"SPECIFIC_ATTRIBUTES", Select::kSpecificAttributes},
                         {"COUNT", Select::kCount}},
                        "[SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]"
    )
                      .value_or(Select::kUnset);
    if (page.index && page.index->size() < 3) {
        in.problems().constraint(
            *page.index, "indexName", "Member must have length greater than or equal to 3"
        );
    }
    page.placeholders = read_placeholders(in);
    page.exclusive_start_key = in.values("ExclusiveStartKey");
}

void translate_page(LegacyTranslator& legacy, std::string_view filter, dynamo::ReadPage& page) {
    page.filter = legacy.filter(filter);
    page.projection = legacy.attributes_to_get();
}

// Segment and TotalSegments come together.
Result<void> read_segments(const Fields& in, dynamo::ScanRequest& request) {
    const auto segment = in.integer("Segment");
    const auto total = in.integer("TotalSegments");
    if (segment && !total) {
        return validation_error(
            "The TotalSegments parameter is required but was not present in the request when "
            "Segment parameter is present"
        );
    }
    if (total && !segment) {
        return validation_error(
            "The Segment parameter is required but was not present in the request when parameter "
            "TotalSegments is present"
        );
    }
    if (!segment) {
        return {};
    }
    if (*segment >= *total) {
        return validation_error(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            "Segment: " +
            std::to_string(*segment) + " is not less than TotalSegments: " + std::to_string(*total)
        );
    }
    request.segment = static_cast<std::uint32_t>(*segment);
    request.total_segments = static_cast<std::uint32_t>(*total);
    return {};
}

}  // namespace

Result<void> read_request(const Fields& in, dynamo::QueryRequest& request) {
    GATELEG_TRY_ASSIGN(request.page.table, read_table_name(in));
    // Older than the expressions for keys, KeyConditions may stand beside the other expressions.
    const bool beside = in.has("KeyConditions") && !in.has("KeyConditionExpression") &&
                        (in.has("FilterExpression") || in.has("ProjectionExpression"));
    const LegacyTranslator::Names all = {
        "AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions"};
    const LegacyTranslator::Names others = {
        "AttributesToGet", "QueryFilter", "ConditionalOperator"};
    LegacyTranslator legacy(
        in,
        beside ? others : all,
        {"ProjectionExpression", "FilterExpression", "KeyConditionExpression"}
    );
    read_page(in, request.page);
    request.key_condition = in.text("KeyConditionExpression");
    request.forward = in.boolean("ScanIndexForward").value_or(true);
    if (request.page.limit && *request.page.limit < 1) {
        // Query spells this one differently from Scan.
        in.problems().constraint_text(
            "Value at 'Limit' failed to satisfy constraint: Member must have value greater than or "
            "equal to 1"
        );
    }
    if (legacy.in_use()) {
        translate_page(legacy, "QueryFilter", request.page);
        request.key_condition = legacy.key_conditions();
        request.page.placeholders = legacy.placeholders();
    } else if (beside) {
        legacy.stand_beside(request.page.placeholders);
        request.key_condition = legacy.key_conditions();
        request.page.placeholders = legacy.placeholders();
    }
    return in.problems().check();
}

Result<void> read_request(const Fields& in, dynamo::ScanRequest& request) {
    constexpr std::int64_t kMaxSegments = 1'000'000;
    GATELEG_TRY_ASSIGN(request.page.table, read_table_name(in));
    LegacyTranslator legacy(
        in,
        {"AttributesToGet", "ScanFilter", "ConditionalOperator"},
        {"ProjectionExpression", "FilterExpression"}
    );
    read_page(in, request.page);
    in.check_range("Limit", 1);
    in.check_range("Segment", 0, kMaxSegments - 1);
    in.check_range("TotalSegments", 1, kMaxSegments);
    if (legacy.in_use()) {
        translate_page(legacy, "ScanFilter", request.page);
        request.page.placeholders = legacy.placeholders();
    }
    GATELEG_TRY(in.problems().check());
    return read_segments(in, request);
}

}  // namespace gateleg::api::dynamodb

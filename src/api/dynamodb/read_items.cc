#include "api/dynamodb/legacy.h"
#include "api/dynamodb/read_request.h"

namespace gateleg::api::dynamodb {
namespace {

using dynamo::ReturnValues;
using value::EncodedItem;

std::optional<ReturnValues> read_return_values(const Fields& in) {
    return in.choice<ReturnValues>(
        "ReturnValues",
        {{"NONE", ReturnValues::kNone},
         {"ALL_OLD", ReturnValues::kAllOld},
         {"UPDATED_OLD", ReturnValues::kUpdatedOld},
         {"ALL_NEW", ReturnValues::kAllNew},
         {"UPDATED_NEW", ReturnValues::kUpdatedNew}},
        "[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
    );
}

dynamo::ItemWriteOptions read_options(const Fields& in) {
    return {
        .return_values = read_return_values(in).value_or(ReturnValues::kNone),
        .return_capacity = read_return_capacity(in),
        .return_collection_metrics = read_return_collection_metrics(in),
    };
}

void read_write(const Fields& in, dynamo::ItemWrite& write) {
    write.condition = in.text("ConditionExpression");
    write.return_old_on_failure = read_return_old_on_failure(in);
    write.placeholders = read_placeholders(in);
}

// PutItem and DeleteItem have no new values to return.
Result<void> check_old_or_none(const dynamo::ItemWriteOptions& options) {
    if (options.return_values != ReturnValues::kNone &&
        options.return_values != ReturnValues::kAllOld) {
        return validation_error("ReturnValues can only be ALL_OLD or NONE");
    }
    return {};
}

LegacyTranslator expected_or_condition(const Fields& in) {
    return {in, {"Expected", "ConditionalOperator"}, {"ConditionExpression"}};
}

void translate_expected(LegacyTranslator& legacy, dynamo::ItemWrite& write) {
    if (legacy.in_use()) {
        write.condition = legacy.expected();
        write.placeholders = legacy.placeholders();
    }
}

}  // namespace

Result<void> read_request(const Fields& in, dynamo::GetItemRequest& request) {
    GATELEG_TRY_ASSIGN(request.table, read_table_name(in));
    in.require("Key");
    LegacyTranslator legacy(in, {"AttributesToGet"}, {"ProjectionExpression"});
    request.projection = in.text("ProjectionExpression");
    request.consistent_read = in.boolean("ConsistentRead").value_or(false);
    request.return_capacity = read_return_capacity(in);
    request.placeholders = read_placeholders(in);
    request.key = in.values("Key").value_or(EncodedItem());
    if (legacy.in_use()) {
        request.projection = legacy.attributes_to_get();
        request.placeholders = legacy.placeholders();
    }
    return in.problems().check();
}

Result<void> read_request(const Fields& in, dynamo::PutItemRequest& request) {
    GATELEG_TRY_ASSIGN(request.write.table, read_table_name(in));
    in.require("Item");
    request.options = read_options(in);
    auto legacy = expected_or_condition(in);
    read_write(in, request.write);
    request.item = in.values("Item").value_or(EncodedItem());
    translate_expected(legacy, request.write);
    GATELEG_TRY(in.problems().check());
    return check_old_or_none(request.options);
}

Result<void> read_request(const Fields& in, dynamo::UpdateItemRequest& request) {
    GATELEG_TRY_ASSIGN(request.write.table, read_table_name(in));
    in.require("Key");
    request.options = read_options(in);
    LegacyTranslator legacy(
        in,
        {"AttributeUpdates", "Expected", "ConditionalOperator"},
        {"UpdateExpression", "ConditionExpression"}
    );
    request.update = in.text("UpdateExpression");
    read_write(in, request.write);
    request.key = in.values("Key").value_or(EncodedItem());
    if (legacy.in_use()) {
        request.update = legacy.attribute_updates();
        translate_expected(legacy, request.write);
    }
    return in.problems().check();
}

Result<void> read_request(const Fields& in, dynamo::DeleteItemRequest& request) {
    GATELEG_TRY_ASSIGN(request.write.table, read_table_name(in));
    in.require("Key");
    request.options = read_options(in);
    auto legacy = expected_or_condition(in);
    read_write(in, request.write);
    request.key = in.values("Key").value_or(EncodedItem());
    translate_expected(legacy, request.write);
    GATELEG_TRY(in.problems().check());
    return check_old_or_none(request.options);
}

}  // namespace gateleg::api::dynamodb

#include "api/dynamodb/legacy.h"
#include "api/dynamodb/read_request.h"
#include "api/dynamodb/table_arns.h"
#include "base/hash.h"

namespace gateleg::api::dynamodb {
namespace {

using value::EncodedItem;

constexpr std::size_t kMaxBatchGetKeys = 100;
constexpr std::size_t kMaxBatchWrites = 25;
constexpr std::size_t kMaxTransactActions = 100;
constexpr std::size_t kMaxTokenLength = 36;

EncodedItem read_item(Problems& problems, dom::element json) {
    std::string bytes;
    if (auto read = value::append_map_of_values(bytes, json); !read) {
        problems.later(std::move(read).error());
        return {};
    }
    return EncodedItem(std::move(bytes));
}

std::string minified(dom::element json) {
    return simdjson::minify(json);
}

void read_keys(const Fields& table, dynamo::KeysAndAttributes& wanted) {
    const auto keys = table.list("Keys");
    if (!keys) {
        table.problems().constraint_on_null(table.path_of("Keys"));
        return;
    }
    if (keys->size() == 0) {
        table.problems().constraint_text(
            "Value at 'RequestItems." + wanted.table +
            ".member.Keys' failed to satisfy constraint: Member must have length greater than or "
            "equal to 1"
        );
    }
    if (keys->size() > kMaxBatchGetKeys) {
        table.problems().constraint_text(
            "Value at 'RequestItems." + wanted.table +
            ".member.Keys' failed to satisfy constraint: Member must have length less than or "
            "equal to " +
            std::to_string(kMaxBatchGetKeys)
        );
        return;
    }
    for (const auto key : *keys) {
        wanted.keys.push_back(read_item(table.problems(), key));
    }
}

void read_writes(
    const Fields& in, dom::array requests, dynamo::BatchWriteItemRequest::Table& table
) {
    for (const auto element : requests) {
        const Fields write(in.problems(), element, in.path_of("RequestItems") + ".");
        const auto put = write.object("PutRequest");
        const auto remove = write.object("DeleteRequest");
        if (put.has_value() == remove.has_value()) {
            in.problems().later(validation_error(
                put ? "Supplied AttributeValue has more than one datatypes set, must contain "
                      "exactly one of the supported datatypes"
                    : "Supplied WriteRequest is empty, must contain exactly one of the supported "
                      "operations: PutRequest or DeleteRequest"
            ));
            return;
        }
        if (put) {
            put->require("Item");
            table.writes.push_back({put->values("Item").value_or(EncodedItem()), false});
        } else {
            remove->require("Key");
            table.writes.push_back({remove->values("Key").value_or(EncodedItem()), true});
        }
    }
}

const std::string& name_of(const dynamo::KeysAndAttributes& table) {
    return table.table;
}
const std::string& name_of(const dynamo::TableWrites& table) {
    return table.name;
}

// A key of RequestItems: a table's name or its ARN, and no table twice.
template <class Table>
Result<std::string> read_table_key(const std::vector<Table>& before, std::string_view key) {
    auto name = table_of_arn(key);
    for (const auto& table : before) {
        if (name_of(table) == name) {
            return validation_error(
                "One or more parameter values were invalid: the table " + name +
                " is named twice in RequestItems, by its name and by its ARN"
            );
        }
    }
    return name;
}

// The list of a transaction: from one to a hundred.
std::vector<Fields> read_transact_items(const Fields& in) {
    const auto list = in.list("TransactItems");
    if (!list) {
        in.problems().constraint_on_null("transactItems");
        return {};
    }
    if (list->size() == 0) {
        in.problems().constraint(
            "[]", "transactItems", "Member must have length greater than or equal to 1"
        );
    } else if (list->size() > kMaxTransactActions) {
        in.problems().constraint(
            minified(*in.find("TransactItems")),
            "transactItems",
            "Member must have length less than or equal to " + std::to_string(kMaxTransactActions)
        );
        return {};
    }
    return in.objects("TransactItems");
}

using Action = dynamo::TransactWriteItemsRequest::Action;
using dynamo::TransactAction;

Result<Action> read_action(const Fields& in, TransactAction kind) {
    Action action{.kind = kind};
    GATELEG_TRY_ASSIGN(action.write.table, read_table_name(in));
    const auto item = kind == TransactAction::kPut ? "Item" : "Key";
    in.require(item);
    action.write.condition = in.text("ConditionExpression");
    action.write.return_old_on_failure = read_return_old_on_failure(in);
    action.write.placeholders = read_placeholders(in);
    action.item = in.values(item).value_or(EncodedItem());
    if (kind == TransactAction::kUpdate) {
        in.require("UpdateExpression");
        action.update = in.text("UpdateExpression");
    }
    if (kind == TransactAction::kConditionCheck) {
        in.require("ConditionExpression");
    }
    return action;
}

Result<Action> read_transact_item(const Fields& item) {
    std::optional<Fields> chosen;
    TransactAction kind{};
    int count = 0;
    for (const auto& [name, each] :
         {std::pair("ConditionCheck", TransactAction::kConditionCheck),
          std::pair("Put", TransactAction::kPut),
          std::pair("Update", TransactAction::kUpdate),
          std::pair("Delete", TransactAction::kDelete)}) {
        if (auto found = item.object(name)) {
            chosen = std::move(found);
            kind = each;
            ++count;
        }
    }
    if (count != 1) {
        return validation_error(
            count == 0 ? "Invalid Request: TransactWriteRequest should contain Delete or Put or "
                         "Update request"
                       : "TransactItems can only contain one of Check, Put, Update or Delete"
        );
    }
    return read_action(*chosen, kind);
}

}  // namespace

Result<void> read_request(const Fields& in, dynamo::BatchGetItemRequest& request) {
    request.return_capacity = read_return_capacity(in);
    const auto items = in.map("RequestItems");
    GATELEG_TRY(in.problems().check());
    if (!items || items->size() == 0) {
        return validation_error("The requestItems parameter is required for BatchGetItem");
    }
    std::size_t total = 0;
    for (const auto& [name, json] : *items) {
        GATELEG_TRY_ASSIGN(auto table_name, read_table_key(request.tables, name));
        auto& wanted = request.tables.emplace_back();
        wanted.table = std::move(table_name);
        const Fields table(in.problems(), json, "requestItems." + std::string(name) + ".member.");
        LegacyTranslator legacy(table, {"AttributesToGet"}, {"ProjectionExpression"});
        wanted.projection = table.text("ProjectionExpression");
        wanted.consistent_read = table.boolean("ConsistentRead").value_or(false);
        wanted.placeholders = read_placeholders(table);
        read_keys(table, wanted);
        total += wanted.keys.size();
        if (legacy.in_use()) {
            wanted.projection = legacy.attributes_to_get();
            wanted.placeholders = legacy.placeholders();
        }
        GATELEG_TRY(in.problems().check());
    }
    if (total > kMaxBatchGetKeys) {
        return validation_error("Too many items requested for the BatchGetItem call");
    }
    return {};
}

Result<void> read_request(const Fields& in, dynamo::BatchWriteItemRequest& request) {
    request.return_capacity = read_return_capacity(in);
    request.return_collection_metrics = read_return_collection_metrics(in);
    const auto items = in.map("RequestItems");
    GATELEG_TRY(in.problems().check());
    if (!items || items->size() == 0) {
        return validation_error("The requestItems parameter is required for BatchWriteItem");
    }
    std::size_t total = 0;
    for (const auto& [name, json] : *items) {
        GATELEG_TRY_ASSIGN(auto table_name, read_table_key(request.tables, name));
        auto& table = request.tables.emplace_back();
        table.name = std::move(table_name);
        dom::array writes;
        if (json.get_array().get(writes) != simdjson::SUCCESS) {
            return serialization_error("Unexpected field type");
        }
        if (writes.size() == 0 || writes.size() > kMaxBatchWrites) {
            in.problems().constraint(
                "{" + table.name + "=" + minified(json) + "}",
                "requestItems",
                "Map value must satisfy constraint: [Member must have length less than or equal to "
                "25, Member must have length greater than or equal to 1]"
            );
            continue;
        }
        total += writes.size();
        read_writes(in, writes, table);
    }
    GATELEG_TRY(in.problems().check());
    if (total > kMaxBatchWrites) {
        return validation_error("Too many items requested for the BatchWriteItem call");
    }
    return {};
}

Result<void> read_request(const Fields& in, dynamo::TransactGetItemsRequest& request) {
    request.return_capacity = read_return_capacity(in);
    const auto items = read_transact_items(in);
    GATELEG_TRY(in.problems().check());
    for (const auto& item : items) {
        const auto get = item.object("Get");
        if (!get) {
            item.problems().constraint_on_null(item.path_of("Get"));
            break;
        }
        auto& wanted = request.gets.emplace_back();
        GATELEG_TRY_ASSIGN(wanted.table, read_table_name(*get));
        get->require("Key");
        wanted.projection = get->text("ProjectionExpression");
        wanted.placeholders = read_placeholders(*get);
        wanted.key = get->values("Key").value_or(EncodedItem());
    }
    return in.problems().check();
}

Result<void> read_request(const Fields& in, dynamo::TransactWriteItemsRequest& request) {
    request.return_capacity = read_return_capacity(in);
    request.return_collection_metrics = read_return_collection_metrics(in);
    request.client_request_token = in.text("ClientRequestToken");
    if (const auto& token = request.client_request_token;
        token && (token->empty() || token->size() > kMaxTokenLength)) {
        in.problems().constraint(
            *token,
            "clientRequestToken",
            token->empty() ? "Member must have length greater than or equal to 1"
                           : "Member must have length less than or equal to 36"
        );
    }
    const auto items = read_transact_items(in);
    GATELEG_TRY(in.problems().check());
    for (const auto& item : items) {
        GATELEG_TRY_ASSIGN(auto action, read_transact_item(item));
        request.actions.push_back(std::move(action));
    }
    GATELEG_TRY(in.problems().check());
    if (request.client_request_token) {
        request.content_hash = hash64(minified(*in.find("TransactItems")));
    }
    return {};
}

}  // namespace gateleg::api::dynamodb

#include "model/database.h"

#include <algorithm>

#include "model/blocking_call.h"
#include "model/entity_keys.h"
#include "model/explain.h"

namespace gateleg::model {
namespace {

using value::Item;

constexpr std::size_t kBatchKeys = 100;
constexpr int kMaxBatchRounds = 8;

dynamo::Placeholders to_placeholders(
    const std::map<std::string, std::string>& names, const Item& values
) {
    dynamo::Placeholders placeholders;
    if (!names.empty()) {
        placeholders.names.emplace(names.begin(), names.end());
    }
    if (!values.empty()) {
        placeholders.values = value::encode_item(values);
    }
    return placeholders;
}

dynamo::ItemWrite to_item_write(const std::string& table, const Write& write) {
    dynamo::ItemWrite common;
    common.table = table;
    if (!write.condition.empty()) {
        common.condition = write.condition;
        common.return_old_on_failure = true;
    }
    common.placeholders = to_placeholders(write.names, write.values);
    return common;
}

// Whatever a reply says about capacity.
template <class Reply>
double units_of(const Reply& reply) {
    if constexpr (requires { reply.capacity.begin(); }) {
        double sum = 0;
        for (const auto& one : reply.capacity) {
            sum += one.units;
        }
        return sum;
    } else {
        return reply.capacity ? reply.capacity->units : 0;
    }
}

template <class Request>
void ask_for_capacity(Request& request) {
    constexpr auto kTotal = dynamo::ReturnCapacity::kTotal;
    if constexpr (requires { request.page; }) {
        request.page.return_capacity = kTotal;
    } else if constexpr (requires { request.options; }) {
        request.options.return_capacity = kTotal;
    } else {
        request.return_capacity = kTotal;
    }
}

RangePage to_page(const dynamo::PageReply& reply) {
    RangePage page;
    page.items.reserve(reply.items.size());
    for (const auto& item : reply.items.items()) {
        page.items.push_back(value::decode_item(item));
    }
    if (reply.last_evaluated_key) {
        page.next = value::decode_item(reply.last_evaluated_key->view());
    }
    return page;
}

}  // namespace

template <class Request>
Result<typename Request::Reply> Database::call(
    void (dynamo::Dynamo::*method)(Request, dynamo::Done<Request>), Request request
) {
    if (explained_ != nullptr) {
        explained_->calls.push_back(explain(request));
        ask_for_capacity(request);
    }
    auto reply = blocking_call(dynamo_, method, std::move(request));
    if (explained_ != nullptr && reply) {
        explained_->capacity += units_of(*reply);
    }
    return reply;
}

Result<std::optional<Item>> Database::get(const Item& key, bool consistent) {
    dynamo::GetItemRequest request;
    request.table = table_.name;
    request.key = value::encode_item(key);
    request.consistent_read = consistent;
    GATELEG_TRY_ASSIGN(const auto reply, call(&dynamo::Dynamo::get_item, std::move(request)));
    if (!reply.item) {
        return std::optional<Item>();
    }
    return std::optional(value::decode_item(reply.item->view()));
}

Result<std::vector<std::optional<Item>>> Database::get_all(
    const std::vector<Item>& keys, bool consistent
) {
    // The same key twice in a batch is refused.
    std::map<std::string, std::optional<Item>> found;
    std::vector<std::string> encoded;
    for (const auto& key : keys) {
        encoded.push_back(value::encode_item(key).bytes());
        found.try_emplace(encoded.back());
    }
    std::vector<dynamo::EncodedItem> left;
    for (const auto& [bytes, item] : found) {
        left.emplace_back(bytes);
    }
    for (int round = 0; !left.empty(); ++round) {
        if (round > kMaxBatchRounds + static_cast<int>(keys.size() / kBatchKeys)) {
            return service_unavailable("DynamoDB left keys of a batch unprocessed");
        }
        dynamo::KeysAndAttributes batch;
        batch.table = table_.name;
        batch.consistent_read = consistent;
        const auto take = std::min(left.size(), kBatchKeys);
        const auto end = left.begin() + static_cast<std::ptrdiff_t>(take);
        batch.keys.assign(left.begin(), end);
        left.erase(left.begin(), end);
        dynamo::BatchGetItemRequest request;
        request.tables.push_back(std::move(batch));
        GATELEG_TRY_ASSIGN(
            const auto reply, call(&dynamo::Dynamo::batch_get_item, std::move(request))
        );
        for (const auto& table : reply.tables) {
            for (const auto& view : table.items.items()) {
                auto item = value::decode_item(view);
                found[value::encode_item(key_of(table_, item)).bytes()] = std::move(item);
            }
        }
        for (const auto& table : reply.unprocessed) {
            left.insert(left.end(), table.keys.begin(), table.keys.end());
        }
    }
    std::vector<std::optional<Item>> items;
    items.reserve(encoded.size());
    for (const auto& bytes : encoded) {
        items.push_back(found[bytes]);
    }
    return items;
}

Result<RangePage> Database::query(const RangeQuery& query) {
    GATELEG_TRY_ASSIGN(const auto reply, query_page(query));
    return to_page(reply);
}

Result<dynamo::PageReply> Database::query_page(const RangeQuery& query) {
    dynamo::QueryRequest request;
    request.page.table = table_.name;
    request.page.index = query.index;
    request.page.placeholders = to_placeholders(query.names, query.values);
    request.page.consistent_read = query.consistent;
    if (query.limit > 0) {
        request.page.limit = query.limit;
    }
    request.page.exclusive_start_key = query.start;
    request.key_condition = query.key_condition;
    request.forward = query.forward;
    return call(&dynamo::Dynamo::query, std::move(request));
}

Result<RangePage> Database::scan(const std::optional<Item>& start, std::int64_t limit) {
    dynamo::ScanRequest request;
    request.page.table = table_.name;
    request.page.consistent_read = true;
    if (limit > 0) {
        request.page.limit = limit;
    }
    if (start) {
        request.page.exclusive_start_key = value::encode_item(*start);
    }
    GATELEG_TRY_ASSIGN(const auto reply, call(&dynamo::Dynamo::scan, std::move(request)));
    return to_page(reply);
}

Result<std::vector<Refusal>> Database::write(const std::vector<Write>& writes) {
    if (writes.empty()) {
        return std::vector<Refusal>();
    }
    const bool alone =
        writes.size() == 1 && writes.front().kind != dynamo::TransactAction::kConditionCheck;
    return alone ? write_one(writes.front()) : write_all(writes);
}

Result<std::vector<Refusal>> Database::write_one(const Write& write) {
    auto reply = [&]() -> Result<dynamo::ItemWriteReply> {
        auto common = to_item_write(table_.name, write);
        auto item = value::encode_item(write.item);
        if (write.kind == dynamo::TransactAction::kPut) {
            return call(
                &dynamo::Dynamo::put_item,
                dynamo::PutItemRequest{std::move(common), {}, std::move(item)}
            );
        }
        if (write.kind == dynamo::TransactAction::kDelete) {
            return call(
                &dynamo::Dynamo::delete_item,
                dynamo::DeleteItemRequest{std::move(common), {}, std::move(item)}
            );
        }
        return call(
            &dynamo::Dynamo::update_item,
            dynamo::UpdateItemRequest{std::move(common), {}, std::move(item), write.update}
        );
    }();
    if (reply) {
        return std::vector<Refusal>();
    }
    Refusal refusal;
    const auto& error = reply.error();
    refusal.message = error.message;
    if (error.code == ErrorCode::kTransactionConflict) {
        refusal.code = "TransactionConflict";
    } else if (error.code == ErrorCode::kConditionalCheckFailed) {
        refusal.code = "ConditionalCheckFailed";
        if (const auto* found = dynamic_cast<const dynamo::FailedItem*>(error.detail.get())) {
            refusal.item = value::decode_item(found->item.view());
        }
    } else {
        return error;
    }
    return std::vector{std::move(refusal)};
}

Result<std::vector<Refusal>> Database::write_all(const std::vector<Write>& writes) {
    dynamo::TransactWriteItemsRequest request;
    for (const auto& write : writes) {
        dynamo::TransactWriteItemsRequest::Action action;
        action.kind = write.kind;
        action.write = to_item_write(table_.name, write);
        action.item = value::encode_item(write.item);
        if (!write.update.empty()) {
            action.update = write.update;
        }
        request.actions.push_back(std::move(action));
    }
    const auto reply = call(&dynamo::Dynamo::transact_write_items, std::move(request));
    if (reply) {
        return std::vector<Refusal>();
    }
    const auto& error = reply.error();
    const auto* cancelled = dynamic_cast<const dynamo::CancellationReasons*>(error.detail.get());
    if (error.code != ErrorCode::kTransactionCanceled || cancelled == nullptr) {
        if (error.code == ErrorCode::kTransactionConflict ||
            error.code == ErrorCode::kTransactionInProgress) {
            return std::vector<Refusal>(
                writes.size(), Refusal{"TransactionConflict", error.message}
            );
        }
        return error;
    }
    std::vector<Refusal> refusals(writes.size());
    for (std::size_t at = 0; at < refusals.size() && at < cancelled->reasons.size(); ++at) {
        const auto& reason = cancelled->reasons[at];
        refusals[at].code = reason.code;
        refusals[at].message = reason.message;
        if (reason.item) {
            refusals[at].item = value::decode_item(reason.item->view());
        }
    }
    return refusals;
}

}  // namespace gateleg::model

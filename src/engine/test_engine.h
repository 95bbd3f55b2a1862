// For tests: an engine on a store of its own, called as if it answered at once, with items as
// DynamoDB's JSON.

#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "engine/engine.h"
#include "expr/test_request.h"
#include "storage/internal/test_directory.h"
#include "value/attribute_value.h"
#include "value/item_size.h"

namespace gateleg::engine {

using dynamo::ReturnCapacity;
using dynamo::ReturnValues;
using expr::item;
using expr::normalized;
using expr::to_json;
using storage::internal::happens_within;

using Names = std::vector<std::pair<std::string, std::string>>;

// The waiting form of an operation that answers later.
template <class Request>
Result<typename Request::Reply> call(
    dynamo::Dynamo& dynamo,
    void (dynamo::Dynamo::*operation)(Request, dynamo::Done<Request>),
    Request request
) {
    using Reply = typename Request::Reply;
    std::promise<Result<Reply>> promise;
    auto reply = promise.get_future();
    (dynamo.*operation
    )(std::move(request), [promise = std::move(promise)](Result<Reply> result) mutable {
        promise.set_value(std::move(result));
    });
    return reply.get();
}

// Either may be empty: the request does not have it then.
inline dynamo::Placeholders placeholders(std::string_view values, Names names = {}) {
    dynamo::Placeholders both;
    if (!names.empty()) {
        both.names = std::move(names);
    }
    if (!values.empty()) {
        both.values = item(values);
    }
    return both;
}

inline std::optional<std::string> unless_empty(std::string text) {
    return text.empty() ? std::nullopt : std::optional(std::move(text));
}

// "pk:S" defines pk. The first two of `key` are hash and range.
inline dynamo::CreateTableRequest new_table(
    std::string name,
    const std::vector<std::string>& key,
    const std::vector<std::string>& attributes
) {
    dynamo::CreateTableRequest request;
    request.table = std::move(name);
    request.billing_mode = dynamo::BillingMode::kPayPerRequest;
    for (const auto& each : attributes) {
        const auto colon = each.find(':');
        request.attributes.push_back(
            {each.substr(0, colon), *value::find_type(each.substr(colon + 1))}
        );
    }
    for (const auto& each : key) {
        request.key_schema.push_back(
            {each, request.key_schema.empty() ? dynamo::KeyRole::kHash : dynamo::KeyRole::kRange}
        );
    }
    return request;
}

inline dynamo::IndexDefinition index_on(
    std::string name,
    const std::vector<std::string>& hash,
    const std::vector<std::string>& range,
    dynamo::Projection projection = {}
) {
    dynamo::IndexDefinition index{.name = std::move(name), .projection = std::move(projection)};
    for (const auto& each : hash) {
        index.key_schema.push_back({each, dynamo::KeyRole::kHash});
    }
    for (const auto& each : range) {
        index.key_schema.push_back({each, dynamo::KeyRole::kRange});
    }
    return index;
}

inline dynamo::Projection keys_only() {
    return {.type = dynamo::ProjectionType::kKeysOnly};
}
inline dynamo::Projection include(std::vector<std::string> names) {
    return {.type = dynamo::ProjectionType::kInclude, .non_key_attributes = std::move(names)};
}

// What a write may carry beside its item or key.
struct Extra {
    std::string condition = {};
    std::string values = {};
    Names names = {};
    ReturnValues returns = ReturnValues::kNone;
    ReturnCapacity capacity = ReturnCapacity::kNone;
    bool old_on_failure = false;
    bool metrics = false;

    dynamo::ItemWrite write(std::string table) const {
        return {
            .table = std::move(table),
            .condition = unless_empty(condition),
            .placeholders = placeholders(values, names),
            .return_old_on_failure = old_on_failure};
    }
    dynamo::ItemWriteOptions options() const {
        return {
            .return_values = returns,
            .return_capacity = capacity,
            .return_collection_metrics = metrics};
    }
};

using Action = dynamo::TransactWriteItemsRequest::Action;

inline Action put_action(std::string table, std::string_view json, const Extra& extra = {}) {
    return {dynamo::TransactAction::kPut, extra.write(std::move(table)), item(json), std::nullopt};
}
inline Action update_action(
    std::string table, std::string_view key, std::string update, const Extra& extra = {}
) {
    return {
        dynamo::TransactAction::kUpdate,
        extra.write(std::move(table)),
        item(key),
        std::move(update)};
}
inline Action delete_action(std::string table, std::string_view key, const Extra& extra = {}) {
    return {
        dynamo::TransactAction::kDelete, extra.write(std::move(table)), item(key), std::nullopt};
}
inline Action check_action(std::string table, std::string_view key, const Extra& extra) {
    return {
        dynamo::TransactAction::kConditionCheck,
        extra.write(std::move(table)),
        item(key),
        std::nullopt};
}

// JSON of an item that may be absent: "" then.
inline std::string json_of(const std::optional<value::EncodedItem>& found) {
    return found ? to_json(found->view()) : std::string();
}

inline std::vector<std::string> json_of(const dynamo::ItemBuffer& items) {
    std::vector<std::string> all;
    for (const auto each : items.items()) {
        all.push_back(to_json(each));
    }
    return all;
}

inline std::vector<std::string> sorted(std::vector<std::string> list) {
    std::sort(list.begin(), list.end());
    return list;
}

inline std::vector<std::string> reasons_of(const Error& error) {
    std::vector<std::string> codes;
    if (const auto* detail = dynamic_cast<const dynamo::CancellationReasons*>(error.detail.get())) {
        for (const auto& reason : detail->reasons) {
            codes.push_back(reason.code);
        }
    }
    return codes;
}

// The error of an operation that must fail.
template <class Reply>
Error error_of(const Result<Reply>& result) {
    if (result) {
        ADD_FAILURE() << "this should have failed";
        return {};
    }
    return result.error();
}

// The reply of an operation that must succeed.
template <class Reply>
Reply must(Result<Reply> result) {
    if (!result) {
        ADD_FAILURE() << wire_name(result.error().code) << ": " << result.error().message;
        return {};
    }
    return *std::move(result);
}

class TestEngine {
public:
    explicit TestEngine(storage::StoreOptions options = {.in_memory = true})
        : options_(std::move(options)) {
        clock_.freeze_at(kStartSeconds * 1000);
        open();
    }

    static constexpr std::int64_t kStartSeconds = 1'750'000'000;

    dynamo::Dynamo& dynamo() { return *engine_; }
    storage::Store& store() { return *store_; }
    SettableClock& clock() { return clock_; }

    void close_engine() { engine_.reset(); }
    void open_engine() { engine_ = std::make_unique<Engine>(*store_, clock_, EngineOptions{}); }
    // A store in memory forgets everything when it is closed.
    void reopen() {
        close_engine();
        if (!options_.in_memory) {
            store_.reset();
            store_ = storage::Store::open(options_);
        }
        open_engine();
    }

    Result<dynamo::TableReply> create(dynamo::CreateTableRequest request) {
        return call(dynamo(), &dynamo::Dynamo::create_table, std::move(request));
    }
    dynamo::TableDescription describe(const std::string& table) {
        return must(call(
                        dynamo(),
                        &dynamo::Dynamo::describe_table,
                        dynamo::DescribeTableRequest{.table = table}
                    ))
            .table;
    }

    Result<dynamo::ItemWriteReply> put(
        const std::string& table, std::string_view json, const Extra& extra = {}
    ) {
        return call(
            dynamo(),
            &dynamo::Dynamo::put_item,
            dynamo::PutItemRequest{extra.write(table), extra.options(), item(json)}
        );
    }
    Result<dynamo::ItemWriteReply> update(
        const std::string& table, std::string_view key, std::string update, const Extra& extra = {}
    ) {
        return call(
            dynamo(),
            &dynamo::Dynamo::update_item,
            dynamo::UpdateItemRequest{
                extra.write(table), extra.options(), item(key), unless_empty(std::move(update))}
        );
    }
    Result<dynamo::ItemWriteReply> remove(
        const std::string& table, std::string_view key, const Extra& extra = {}
    ) {
        return call(
            dynamo(),
            &dynamo::Dynamo::delete_item,
            dynamo::DeleteItemRequest{extra.write(table), extra.options(), item(key)}
        );
    }
    // "" if there is none.
    std::string get(const std::string& table, std::string_view key) {
        const auto reply = must(call(
            dynamo(),
            &dynamo::Dynamo::get_item,
            dynamo::GetItemRequest{.table = table, .key = item(key), .consistent_read = true}
        ));
        return json_of(reply.item);
    }
    Result<dynamo::PageReply> query(dynamo::QueryRequest request) {
        return call(dynamo(), &dynamo::Dynamo::query, std::move(request));
    }
    Result<dynamo::PageReply> scan(dynamo::ScanRequest request) {
        return call(dynamo(), &dynamo::Dynamo::scan, std::move(request));
    }
    Result<dynamo::TransactWriteItemsReply> transact(
        std::vector<Action> actions,
        std::optional<std::string> token = std::nullopt,
        std::uint64_t content_hash = 0
    ) {
        return call(
            dynamo(),
            &dynamo::Dynamo::transact_write_items,
            dynamo::TransactWriteItemsRequest{
                .actions = std::move(actions),
                .client_request_token = std::move(token),
                .content_hash = content_hash}
        );
    }
    // Puts all items, 25 at a time.
    void load(const std::string& table, const std::vector<std::string>& items) {
        constexpr std::size_t kBatch = 25;
        for (std::size_t i = 0; i < items.size(); i += kBatch) {
            dynamo::BatchWriteItemRequest request;
            auto& writes = request.tables.emplace_back();
            writes.name = table;
            for (auto j = i; j < std::min(items.size(), i + kBatch); ++j) {
                writes.writes.push_back({item(items[j]), false});
            }
            must(call(dynamo(), &dynamo::Dynamo::batch_write_item, std::move(request)));
        }
    }

    // All items of a table or index, over as many pages as it takes.
    std::vector<value::Item> scan_all(
        const std::string& table, const std::optional<std::string>& index = std::nullopt
    ) {
        std::vector<value::Item> all;
        dynamo::ScanRequest request;
        request.page.table = table;
        request.page.index = index;
        for (;;) {
            auto reply = must(scan(request));
            for (const auto each : reply.items.items()) {
                all.push_back(value::decode_item(each));
            }
            if (!reply.last_evaluated_key) {
                return all;
            }
            request.page.exclusive_start_key = std::move(reply.last_evaluated_key);
        }
    }

    bool index_is_active(const std::string& table, const std::string& index) {
        const auto description = describe(table);
        return std::any_of(
            description.global_indexes.begin(),
            description.global_indexes.end(),
            [&](const auto& each) {
                return each.definition.name == index && each.status == dynamo::Status::kActive;
            }
        );
    }
    bool wait_for_index(const std::string& table, const std::string& index) {
        return happens_within(std::chrono::seconds(30), [&] {
            return index_is_active(table, index);
        });
    }

private:
    void open() {
        store_ = storage::Store::open(options_);
        open_engine();
    }

    storage::StoreOptions options_;
    SettableClock clock_;
    std::unique_ptr<storage::Store> store_;
    std::unique_ptr<Engine> engine_;
};

// A query of one partition: the key condition with its values.
inline dynamo::QueryRequest query_of(
    std::string table, std::string key_condition, std::string_view values
) {
    dynamo::QueryRequest request;
    request.page.table = std::move(table);
    request.page.placeholders = placeholders(values);
    request.key_condition = std::move(key_condition);
    return request;
}

inline dynamo::QueryRequest query_of(
    std::string table, std::string index, std::string key_condition, std::string_view values
) {
    auto request = query_of(std::move(table), std::move(key_condition), values);
    request.page.index = std::move(index);
    return request;
}

// What `index` must hold of `table_item`, worked out from the description alone; nothing if the
// item lacks one of the index's keys.
inline std::optional<value::Item> projected(
    const dynamo::TableDescription& table,
    const dynamo::IndexDefinition& index,
    const value::Item& table_item
) {
    const auto type_of = [&](const std::string& name) {
        for (const auto& attribute : table.attributes) {
            if (attribute.name == name) {
                return attribute.type;
            }
        }
        return value::Type::kNull;
    };
    std::set<std::string> kept(
        index.projection.non_key_attributes.begin(), index.projection.non_key_attributes.end()
    );
    for (const auto& element : index.key_schema) {
        const auto found = table_item.find(element.attribute);
        if (found == table_item.end() || found->second.type() != type_of(element.attribute)) {
            return std::nullopt;
        }
        kept.insert(element.attribute);
    }
    for (const auto& element : table.key_schema) {
        kept.insert(element.attribute);
    }
    auto result = table_item;
    if (index.projection.type != dynamo::ProjectionType::kAll) {
        std::erase_if(result, [&](const auto& entry) { return !kept.contains(entry.first); });
    }
    return result;
}

struct Total {
    std::int64_t items = 0;
    std::int64_t bytes = 0;
    bool operator==(const Total&) const = default;
};
inline void PrintTo(const Total& total, std::ostream* out) {
    *out << total.items << " items of " << total.bytes << " bytes";
}

inline Total total_of(const std::vector<value::Item>& items) {
    Total total;
    for (const auto& each : items) {
        ++total.items;
        total.bytes += static_cast<std::int64_t>(value::item_size(value::encode_item(each).view()));
    }
    return total;
}

inline std::vector<std::string> encoded(const std::vector<value::Item>& items) {
    std::vector<std::string> all;
    for (const auto& each : items) {
        all.push_back(to_json(value::encode_item(each).view()));
    }
    return sorted(std::move(all));
}

// Every index holds exactly what its table says it must, and every count is exact.
inline void expect_whole(TestEngine& engine, const std::string& table) {
    const auto description = engine.describe(table);
    const auto items = engine.scan_all(table);
    EXPECT_EQ((Total{description.item_count, description.size_bytes}), total_of(items)) << table;
    for (const auto* list : {&description.global_indexes, &description.local_indexes}) {
        for (const auto& index : *list) {
            std::vector<value::Item> expected;
            for (const auto& each : items) {
                if (auto entry = projected(description, index.definition, each)) {
                    expected.push_back(*std::move(entry));
                }
            }
            const auto entries = engine.scan_all(table, index.definition.name);
            EXPECT_EQ(encoded(entries), encoded(expected)) << index.definition.name;
            EXPECT_EQ((Total{index.item_count, index.size_bytes}), total_of(expected))
                << index.definition.name;
        }
    }
}

}  // namespace gateleg::engine

#include "transfer/table_writer.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <set>
#include <thread>

#include "model/blocking_call.h"
#include "value/item_size.h"

namespace gateleg::transfer {
namespace {

using dynamo::Dynamo;
using BatchReply = Result<dynamo::BatchWriteItemReply>;

constexpr std::size_t kMostInBatch = 25;
constexpr std::size_t kInFlight = 8;
constexpr int kMostTries = 12;
constexpr std::chrono::milliseconds kFirstPause{50};
constexpr std::chrono::milliseconds kLongestPause{5'000};

double units_of(value::ValueView item) {
    constexpr std::size_t kUnit = 1024;
    return static_cast<double>((value::item_size(item) + kUnit - 1) / kUnit);
}

// One of the item's own, so that others may still be taken.
bool is_items_fault(const Error& error) {
    return error.code == ErrorCode::kValidation || error.code == ErrorCode::kSerialization ||
           error.code == ErrorCode::kItemCollectionSizeLimitExceeded;
}

}  // namespace

// Items on their way, and the promise of a reply.
struct TableWriter::Batch {
    std::vector<std::size_t> indexes;
    double expected = 0;
    std::future<BatchReply> reply;
};

std::size_t TableWriter::batch_size() const {
    auto most = static_cast<double>(kMostInBatch);
    for (const auto* budget : {&request_.units, &request_.items}) {
        if (budget->bounded()) {
            most = std::min(most, std::max(1.0, budget->per_second() / 4));
        }
    }
    return static_cast<std::size_t>(most);
}

bool TableWriter::key_of(value::ValueView item, std::string& key) const {
    for (const auto& element : request_.key_schema) {
        const auto found = item.find(element.attribute);
        if (!found) {
            return false;
        }
        key.append(found->bytes());
    }
    return true;
}

Result<WriteOutcome> TableWriter::write(const std::vector<value::EncodedItem>& items) {
    WriteOutcome outcome;
    std::vector<std::size_t> wanted;
    std::set<std::string> keys;
    for (std::size_t i = 0; i < items.size(); ++i) {
        std::string key;
        if (key_of(items[i].view(), key) && !keys.insert(key).second) {
            GATELEG_TRY(write_batches(items, wanted, outcome));
            wanted.clear();
            keys = {std::move(key)};
        }
        wanted.push_back(i);
    }
    GATELEG_TRY(write_batches(items, wanted, outcome));
    std::sort(outcome.refused.begin(), outcome.refused.end(), [](const auto& a, const auto& b) {
        return a.index < b.index;
    });
    return outcome;
}

Result<void> TableWriter::write_batches(
    const std::vector<value::EncodedItem>& items,
    const std::vector<std::size_t>& wanted,
    WriteOutcome& outcome
) {
    if (!request_.overwrite) {
        for (const auto index : wanted) {
            GATELEG_TRY(put_one(items[index], index, outcome));
        }
        return {};
    }
    std::vector<Batch> flying;
    std::optional<Error> failed;
    const auto land = [&] {
        for (auto& batch : flying) {
            if (auto done = finish(items, batch, outcome); !done && !failed) {
                failed = std::move(done).error();
            }
        }
        flying.clear();
    };
    const auto size = batch_size();
    for (std::size_t at = 0; at < wanted.size() && !failed; at += size) {
        Batch batch;
        dynamo::BatchWriteItemRequest request;
        request.return_capacity = dynamo::ReturnCapacity::kTotal;
        auto& writes = request.tables.emplace_back();
        writes.name = request_.table;
        for (std::size_t i = at; i < std::min(at + size, wanted.size()); ++i) {
            batch.indexes.push_back(wanted[i]);
            batch.expected += units_of(items[wanted[i]].view());
            writes.writes.push_back({.item = items[wanted[i]]});
        }
        request_.items.take(static_cast<double>(batch.indexes.size()), control_);
        request_.units.take(batch.expected, control_);
        std::promise<BatchReply> promise;
        batch.reply = promise.get_future();
        dynamo_.batch_write_item(
            std::move(request),
            [promise = std::move(promise)](BatchReply reply) mutable {
                promise.set_value(std::move(reply));
            }
        );
        flying.push_back(std::move(batch));
        if (flying.size() == kInFlight) {
            land();
        }
    }
    land();
    if (failed) {
        return *std::move(failed);
    }
    return {};
}

Result<void> TableWriter::finish(
    const std::vector<value::EncodedItem>& items, Batch& batch, WriteOutcome& outcome
) {
    auto reply = batch.reply.get();
    if (!reply) {
        request_.units.settle(batch.expected, 0);
        if (!is_items_fault(reply.error())) {
            return reply.error();
        }
        // A batch is refused as a whole: each on its own shows which it was.
        for (const auto index : batch.indexes) {
            GATELEG_TRY(put_one(items[index], index, outcome));
        }
        return {};
    }
    double units = 0;
    for (const auto& capacity : reply->capacity) {
        units += capacity.units;
    }
    request_.units.settle(batch.expected, units);
    auto pause = kFirstPause;
    auto left = std::move(reply->unprocessed);
    for (int tries = 1; !left.empty(); ++tries) {
        if (tries == kMostTries) {
            return service_unavailable("the store leaves items of a batch unprocessed");
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, kLongestPause);
        dynamo::BatchWriteItemRequest again;
        again.tables = std::move(left);
        again.return_capacity = dynamo::ReturnCapacity::kTotal;
        GATELEG_TRY_ASSIGN(
            auto answer, model::blocking_call(dynamo_, &Dynamo::batch_write_item, std::move(again))
        );
        for (const auto& capacity : answer.capacity) {
            request_.units.settle(0, capacity.units);
        }
        left = std::move(answer.unprocessed);
    }
    outcome.written += static_cast<std::int64_t>(batch.indexes.size());
    return {};
}

Result<void> TableWriter::put_one(
    const value::EncodedItem& item, std::size_t index, WriteOutcome& outcome
) {
    dynamo::PutItemRequest put;
    put.write.table = request_.table;
    put.item = item;
    put.options.return_capacity = dynamo::ReturnCapacity::kTotal;
    if (!request_.overwrite) {
        put.write.condition = "attribute_not_exists(#k)";
        put.write.placeholders.names.emplace().emplace_back(
            "#k", request_.key_schema.front().attribute
        );
    }
    const auto expected = units_of(item.view());
    request_.items.take(1, control_);
    request_.units.take(expected, control_);
    const auto reply = model::blocking_call(dynamo_, &Dynamo::put_item, std::move(put));
    if (reply) {
        request_.units.settle(expected, reply->capacity ? reply->capacity->units : expected);
        ++outcome.written;
        return {};
    }
    if (reply.error().code == ErrorCode::kConditionalCheckFailed) {
        ++outcome.existing;
        return {};
    }
    request_.units.settle(expected, 0);
    if (is_items_fault(reply.error())) {
        outcome.refused.push_back({index, reply.error().message});
        return {};
    }
    return reply.error();
}

}  // namespace gateleg::transfer

#include "model/outbox_entries.h"

#include <algorithm>
#include <cstdlib>

#include "base/hash.h"
#include "base/time_text.h"
#include "model/entity_keys.h"
#include "model/key_template.h"
#include "model/request_text.h"
#include "value/json_codec.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Item;
using value::Number;

constexpr std::int64_t kSlots = 16;
constexpr std::int64_t kDayMillis = 86'400'000;
constexpr std::string_view kDeadPartition = "OUTBOXDEAD#{day}";

std::string text_of(const Item& item, std::string_view name) {
    const auto found = item.find(name);
    const auto* text =
        found != item.end() ? std::get_if<std::string>(&found->second.data) : nullptr;
    return text != nullptr ? *text : "";
}

std::int64_t number_of(const Item& item, std::string_view name) {
    const auto found = item.find(name);
    const auto* number = found != item.end() ? std::get_if<Number>(&found->second.data) : nullptr;
    return number != nullptr ? std::strtoll(number->to_text().c_str(), nullptr, 10) : 0;
}

OutboxEntry to_row(const Model& model, const Item& raw, bool is_dead) {
    OutboxEntry row;
    row.id = text_of(raw, model.table.key.sort->name);
    row.kind = text_of(raw, "kind");
    row.attempts = number_of(raw, "attempts");
    row.next_attempt = text_of(raw, "nextAttemptAt");
    row.created = text_of(raw, "createdAt");
    row.error = text_of(raw, "lastError");
    row.is_dead = is_dead;
    row.raw = raw;
    return row;
}

Result<void> read_partition(
    const Model& model,
    Database& database,
    const std::string& partition,
    bool is_dead,
    std::vector<OutboxEntry>& rows
) {
    RangeQuery query;
    query.key_condition = "#k = :k";
    query.names["#k"] = model.table.key.partition.name;
    query.values[":k"] = AttributeValue{partition};
    query.consistent = true;
    do {
        GATELEG_TRY_ASSIGN(auto page, database.query(query));
        for (const auto& raw : page.items) {
            rows.push_back(to_row(model, raw, is_dead));
        }
        query.start.reset();
        if (page.next) {
            query.start = value::encode_item(*page.next);
        }
    } while (query.start);
    return {};
}

void sort_by_age(std::vector<OutboxEntry>& rows) {
    // ULIDs begin with their time.
    std::sort(rows.begin(), rows.end(), [](const auto& left, const auto& right) {
        return left.id < right.id;
    });
}

Result<const Entity*> outbox_of(const Model& model) {
    const auto* entity = model.find_entity("Outbox");
    if (entity == nullptr || !model.table.key.sort ||
        entity->find_key(model.table.key.partition.name) == nullptr) {
        return validation_error(model.name + " has no outbox");
    }
    return entity;
}

// The key under which a row with that id waits.
Result<Item> waiting_key(const Model& model, const Entity& outbox, const std::string& id) {
    const auto slot = static_cast<std::int64_t>(hash64(id) % kSlots);
    const Item identity{{"slot", {Number::from_int(slot)}}, {"id", {id}}};
    GATELEG_TRY_ASSIGN(auto key, primary_key(model, outbox, identity, {}));
    if (!key) {
        return validation_error("the row has no id");
    }
    return *std::move(key);
}

}  // namespace

std::string OutboxEntry::payload_json() const {
    const auto found = raw.find("payload");
    if (found == raw.end()) {
        return "null";
    }
    std::string json;
    const auto bytes = value::encode(found->second);
    value::append_json(json, value::ValueView(bytes.data()));
    return json;
}

Result<std::vector<OutboxEntry>> list_waiting(const Model& model, Database& database) {
    GATELEG_TRY_ASSIGN(const auto* outbox, outbox_of(model));
    const auto& partition = outbox->find_key(model.table.key.partition.name)->key_template;
    std::vector<OutboxEntry> rows;
    for (std::int64_t slot = 0; slot < kSlots; ++slot) {
        GATELEG_TRY_ASSIGN(const auto key, partition.render({{"slot", {Number::from_int(slot)}}}));
        GATELEG_TRY(read_partition(model, database, key.value_or(""), false, rows));
    }
    sort_by_age(rows);
    return rows;
}

Result<std::vector<OutboxEntry>> list_given_up(
    const Model& model, Database& database, std::int64_t now_millis, int days
) {
    GATELEG_TRY(outbox_of(model));
    GATELEG_TRY_ASSIGN(const auto partition, KeyTemplate::parse(kDeadPartition));
    std::vector<OutboxEntry> rows;
    for (int day = 0; day < days; ++day) {
        const auto date = render_date(now_millis - day * kDayMillis, "%Y%m%d");
        GATELEG_TRY_ASSIGN(const auto key, partition.render({{"day", {date}}}));
        GATELEG_TRY(read_partition(model, database, key.value_or(""), true, rows));
    }
    sort_by_age(rows);
    return rows;
}

Result<bool> retry_entry(
    const Model& model, Database& database, const OutboxEntry& row, std::int64_t now_millis
) {
    GATELEG_TRY_ASSIGN(const auto* outbox, outbox_of(model));
    const AttributeValue now{render_rfc3339(now_millis)};
    const auto old_key = key_of(model.table, row.raw);
    std::vector<Write> writes;
    RequestText old_text(model.table, now_millis);
    old_text.require(old_text.existence(true));
    if (!row.is_dead) {
        old_text.set("nextAttemptAt", now);
        Write write{.kind = dynamo::TransactAction::kUpdate, .item = old_key};
        std::move(old_text).finish(write);
        writes.push_back(std::move(write));
    } else {
        Write remove{.kind = dynamo::TransactAction::kDelete, .item = old_key};
        std::move(old_text).finish(remove);
        GATELEG_TRY_ASSIGN(auto item, waiting_key(model, *outbox, row.id));
        for (const auto& [name, value] : row.raw) {
            // What only rows that were given up have.
            if (name != model.table.ttl && name != "slot" && name != "diedAt") {
                item.try_emplace(name, value);
            }
        }
        if (!model.table.marker.empty() && outbox->marker) {
            item[model.table.marker] = AttributeValue{*outbox->marker};
        }
        item["attempts"] = AttributeValue{Number::from_int(0)};
        item["nextAttemptAt"] = now;
        Write put{.kind = dynamo::TransactAction::kPut, .item = std::move(item)};
        RequestText new_text(model.table, now_millis);
        new_text.require(new_text.existence(false));
        std::move(new_text).finish(put);
        writes.push_back(std::move(remove));
        writes.push_back(std::move(put));
    }
    GATELEG_TRY_ASSIGN(const auto refused, database.write(writes));
    return refused.empty();
}

}  // namespace gateleg::model

#include "model/idempotency.h"

#include <algorithm>

#include "base/sha256.h"
#include "model/entity_keys.h"
#include "model/request_text.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;

constexpr std::string_view kPrefix = "IDEMP#";
constexpr std::int64_t kKeptSeconds = 24 * 60 * 60;
constexpr std::size_t kMaxKey = 128;

bool is_key(std::string_view key) {
    return !key.empty() && key.size() <= kMaxKey &&
           std::all_of(key.begin(), key.end(), [](unsigned char c) {
               return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                      c == '_' || c == '-';
           });
}

const AttributeValue* find_value(const value::Item& item, std::string_view name) {
    const auto found = item.find(name);
    return found != item.end() ? &found->second : nullptr;
}

bool flag_of(const value::Item& item, std::string_view name) {
    const auto* value = find_value(item, name);
    return value != nullptr && *value == AttributeValue{true};
}

}  // namespace

CallResult<IdempotencyRecord> IdempotencyRecord::make(
    const Table& table,
    const Operation& operation,
    const OperationCall& made,
    const Caller& caller,
    std::int64_t now_millis
) {
    const auto& call = made.first();
    if (!is_key(*call.idempotency_key)) {
        return validation_failed("Idempotency-Key", "must be 1 to 128 letters, digits, '_' or '-'");
    }
    const auto actor = caller.user ? *caller.user : caller.viewer;
    const auto& route = call.route.empty() ? operation.name : call.route;
    IdempotencyRecord record;
    record.table_ = &table;
    record.seed_ = actor + "#" + route + "#" + *call.idempotency_key;
    record.key_[table.key.partition.name] = AttributeValue{std::string(kPrefix) + record.seed_};
    if (table.key.sort) {
        record.key_[table.key.sort->name] = AttributeValue{std::string("META")};
    }
    const value::Map arguments(call.arguments.begin(), call.arguments.end());
    auto content =
        call.fingerprint.empty() ? value::encode(AttributeValue{arguments}) : call.fingerprint;
    if (call.if_match) {
        content += "\nIf-Match: " + std::to_string(*call.if_match);
    }
    record.hash_ = to_hex(sha256(content));
    record.now_seconds_ = now_millis / 1000;
    return record;
}

CallResult<std::optional<OperationReply>> IdempotencyRecord::find(Database& database) const {
    using Stored = std::optional<OperationReply>;
    GATELEG_CALL_TRY_ASSIGN(const auto raw, database.get(key_, true));
    if (!raw || is_expired(*table_, *raw, now_seconds_ * 1000)) {
        return Stored();
    }
    const auto* hash = find_value(*raw, "hash");
    if (hash == nullptr || !(*hash == AttributeValue{hash_})) {
        return CallError{
            422, "IdempotencyKeyReused", "This Idempotency-Key was used for another request."};
    }
    OperationReply reply;
    reply.replayed = true;
    reply.created = flag_of(*raw, "created");
    if (const auto* answer = find_value(*raw, "answer")) {
        reply.body = *answer;
    }
    return Stored(std::move(reply));
}

Write IdempotencyRecord::to_write(const OperationReply& reply) const {
    Write write;
    write.item = key_;
    write.item["hash"] = AttributeValue{hash_};
    // For whoever looks at the table; where an index goes by that name the record stays out of it.
    if (!table_->is_key_attribute("status")) {
        write.item["status"] = AttributeValue{value::Number::from_int(reply.created ? 201 : 200)};
    }
    write.item["created"] = AttributeValue{reply.created};
    if (reply.body) {
        write.item["answer"] = *reply.body;
    }
    const auto ttl = table_->ttl.empty() ? std::string("ttl") : table_->ttl;
    write.item[ttl] = AttributeValue{value::Number::from_int(now_seconds_ + kKeptSeconds)};
    RequestText text(*table_, now_seconds_ * 1000);
    text.require(text.existence(false));
    std::move(text).finish(write);
    return write;
}

bool is_idempotency_record(const Table& table, const value::Item& raw) {
    const auto* key = find_value(raw, table.key.partition.name);
    const auto* text = key != nullptr ? std::get_if<std::string>(&key->data) : nullptr;
    return text != nullptr && text->starts_with(kPrefix);
}

}  // namespace gateleg::model

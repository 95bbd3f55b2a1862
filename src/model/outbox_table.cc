#include "model/outbox_table.h"

#include "base/time_text.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Item;

constexpr std::int64_t kKeptSeconds = std::int64_t{30} * 24 * 60 * 60;

Item identity_of(int slot, const std::string& id) {
    Item identity;
    set_integer(identity, "slot", slot);
    set_text(identity, "id", id);
    return identity;
}

Item day_identity(const std::string& at, std::int64_t day_millis, const std::string& id) {
    Item identity;
    set_millis(identity, at, day_millis);
    // Any id gives the partition of the day.
    set_text(identity, "id", id.empty() ? "00000000000000000000000000" : id);
    return identity;
}

OutboxRow to_row(const Item& item) {
    OutboxRow row;
    row.slot = static_cast<int>(integer_of(item, "slot").value_or(0));
    row.id = text_of(item, "id");
    row.kind = text_of(item, "kind");
    if (const auto found = item.find("payload"); found != item.end()) {
        row.payload = found->second;
    }
    if (const auto found = item.find("answer"); found != item.end()) {
        row.answer = found->second;
    }
    row.attempts = integer_of(item, "attempts").value_or(0);
    row.next_attempt_millis = millis_of(item, "nextAttemptAt");
    row.created_millis = millis_of(item, "createdAt");
    row.last_error = text_of(item, "lastError");
    row.lease_owner = text_of(item, "leaseOwner");
    row.lease_until_millis = millis_of(item, "leaseUntil");
    row.ended_millis = millis_of(item, "deliveredAt", millis_of(item, "diedAt"));
    return row;
}

Item to_item(const OutboxRow& row) {
    auto item = identity_of(row.slot, row.id);
    set_text(item, "kind", row.kind);
    if (row.payload.type() != value::Type::kNull) {
        item["payload"] = row.payload;
    }
    if (row.answer) {
        item["answer"] = *row.answer;
    }
    set_integer(item, "attempts", row.attempts);
    set_millis(item, "nextAttemptAt", row.next_attempt_millis);
    set_millis(item, "createdAt", row.created_millis);
    set_text(item, "lastError", row.last_error);
    if (!row.lease_owner.empty()) {
        set_text(item, "leaseOwner", row.lease_owner);
        set_millis(item, "leaseUntil", row.lease_until_millis);
    }
    return item;
}

std::vector<OutboxRow> to_rows(const std::vector<Item>& items) {
    std::vector<OutboxRow> rows;
    rows.reserve(items.size());
    for (const auto& item : items) {
        rows.push_back(to_row(item));
    }
    return rows;
}

}  // namespace

OutboxTable::OutboxTable(Shared& shared)
    : shared_(shared),
      waiting_(shared, "Outbox"),
      done_(shared, "OutboxDone"),
      dead_(shared, "OutboxDead") {}

Result<std::vector<OutboxRow>> OutboxTable::list(
    int slot, const std::string& after, std::int64_t limit
) const {
    const auto partition = identity_of(slot, "00000000000000000000000000");
    const auto start =
        after.empty() ? std::optional<Item>() : std::optional(identity_of(slot, after));
    GATELEG_TRY_ASSIGN(const auto items, waiting_.list(partition, start, limit));
    return to_rows(items);
}

Result<std::optional<OutboxRow>> OutboxTable::find(int slot, const std::string& id) const {
    GATELEG_TRY_ASSIGN(const auto item, waiting_.find(identity_of(slot, id)));
    return item ? std::optional(to_row(*item)) : std::nullopt;
}

Text OutboxTable::owned_by(const std::string& owner) const {
    auto condition = waiting_.condition("leaseOwner = :owner");
    condition.values[":owner"] = AttributeValue{owner};
    return condition;
}

Result<bool> OutboxTable::change(const OutboxRow& row, Text condition) const {
    GATELEG_TRY_ASSIGN(auto write, waiting_.put(to_item(row), condition));
    return waiting_.write({std::move(write)});
}

Result<bool> OutboxTable::claim(
    OutboxRow& row,
    const std::string& owner,
    std::int64_t real_now,
    std::int64_t until,
    bool only_server
) const {
    // As it was read, so that two who read the same row cannot both have it.
    auto condition = waiting_.condition("attribute_exists(#p) AND attempts = :attempts");
    condition.values[":attempts"] = AttributeValue{value::Number::from_int(row.attempts)};
    if (only_server) {
        if (!row.lease_owner.empty()) {
            condition.text += " AND leaseOwner = :before";
            condition.values[":before"] = AttributeValue{row.lease_owner};
        } else {
            condition.text += " AND attribute_not_exists(leaseOwner)";
        }
    } else {
        condition.text += " AND (attribute_not_exists(leaseOwner) OR leaseUntil <= :now)";
        condition.values[":now"] = AttributeValue{render_rfc3339(real_now)};
    }
    auto claimed = row;
    claimed.lease_owner = owner;
    claimed.lease_until_millis = until;
    GATELEG_TRY_ASSIGN(const bool mine, change(claimed, std::move(condition)));
    if (mine) {
        row = std::move(claimed);
    }
    return mine;
}

Result<bool> OutboxTable::renew(OutboxRow& row, std::int64_t until) const {
    auto renewed = row;
    renewed.lease_until_millis = until;
    GATELEG_TRY_ASSIGN(const bool mine, change(renewed, owned_by(row.lease_owner)));
    if (mine) {
        row.lease_until_millis = until;
    }
    return mine;
}

Result<bool> OutboxTable::put_back(OutboxRow row) const {
    auto condition = owned_by(row.lease_owner);
    row.lease_owner.clear();
    return change(row, std::move(condition));
}

Result<bool> OutboxTable::move(const OutboxRow& row, const BuiltIn& to, const std::string& at)
    const {
    GATELEG_TRY_ASSIGN(
        auto removal, waiting_.remove(identity_of(row.slot, row.id), owned_by(row.lease_owner))
    );
    const auto now = shared_.clock.now_millis();
    auto ended = row;
    ended.lease_owner.clear();
    auto item = to_item(ended);
    item.erase("nextAttemptAt");
    set_millis(item, at, now);
    if (const auto& ttl = shared_.model.table.ttl; &to == &done_ && !ttl.empty()) {
        set_integer(item, ttl, now / 1000 + kKeptSeconds);
    }
    GATELEG_TRY_ASSIGN(auto put, to.put(item, {}));
    return waiting_.write({std::move(removal), std::move(put)});
}

Result<bool> OutboxTable::finish(const OutboxRow& row) const {
    return move(row, done_, "deliveredAt");
}

Result<bool> OutboxTable::bury(const OutboxRow& row) const {
    return move(row, dead_, "diedAt");
}

Result<std::vector<OutboxRow>> OutboxTable::list_done(
    std::int64_t day_millis, const std::string& after, std::int64_t limit
) const {
    const auto start = day_identity("deliveredAt", day_millis, after);
    GATELEG_TRY_ASSIGN(
        const auto items,
        done_.list(start, after.empty() ? std::nullopt : std::optional(start), limit)
    );
    return to_rows(items);
}

Result<std::vector<OutboxRow>> OutboxTable::list_dead(
    std::int64_t day_millis, const std::string& after, std::int64_t limit
) const {
    const auto start = day_identity("diedAt", day_millis, after);
    GATELEG_TRY_ASSIGN(
        const auto items,
        dead_.list(start, after.empty() ? std::nullopt : std::optional(start), limit)
    );
    return to_rows(items);
}

Result<bool> OutboxTable::revive(const OutboxRow& dead) const {
    GATELEG_TRY_ASSIGN(
        auto removal,
        dead_.remove(
            day_identity("diedAt", dead.ended_millis, dead.id),
            dead_.condition("attribute_exists(#p)")
        )
    );
    auto row = dead;
    row.attempts = 0;
    row.next_attempt_millis = shared_.clock.now_millis();
    row.last_error.clear();
    row.lease_owner.clear();
    GATELEG_TRY_ASSIGN(
        auto put, waiting_.put(to_item(row), waiting_.condition("attribute_not_exists(#p)"))
    );
    return waiting_.write({std::move(removal), std::move(put)});
}

}  // namespace gateleg::model

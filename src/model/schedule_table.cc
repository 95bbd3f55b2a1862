#include "model/schedule_table.h"

#include "base/time_text.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Item;

Item identity_of(const std::string& job) {
    Item identity;
    set_text(identity, "job", job);
    return identity;
}

ScheduleEntry to_entry(const Item& item) {
    ScheduleEntry entry;
    entry.job = text_of(item, "job");
    entry.next_run_millis = millis_of(item, "nextRunAt");
    entry.started_millis = millis_of(item, "startedAt");
    entry.finished_millis = millis_of(item, "finishedAt");
    entry.cursor = text_of(item, "cursor");
    entry.scanned = integer_of(item, "scanned").value_or(0);
    entry.changed = integer_of(item, "changed").value_or(0);
    entry.skipped = integer_of(item, "skipped").value_or(0);
    entry.failed = integer_of(item, "failed").value_or(0);
    entry.last_error = text_of(item, "lastError");
    entry.lease_owner = text_of(item, "leaseOwner");
    entry.lease_until_millis = millis_of(item, "leaseUntil");
    return entry;
}

Item to_item(const ScheduleEntry& entry) {
    auto item = identity_of(entry.job);
    set_millis(item, "nextRunAt", entry.next_run_millis);
    if (entry.started_millis != 0) {
        set_millis(item, "startedAt", entry.started_millis);
    }
    if (entry.finished_millis != 0) {
        set_millis(item, "finishedAt", entry.finished_millis);
    }
    set_text(item, "cursor", entry.cursor);
    set_integer(item, "scanned", entry.scanned);
    set_integer(item, "changed", entry.changed);
    set_integer(item, "skipped", entry.skipped);
    set_integer(item, "failed", entry.failed);
    set_text(item, "lastError", entry.last_error);
    if (!entry.lease_owner.empty()) {
        set_text(item, "leaseOwner", entry.lease_owner);
        set_millis(item, "leaseUntil", entry.lease_until_millis);
    }
    return item;
}

}  // namespace

ScheduleTable::ScheduleTable(Shared& shared) : entries_(shared, "Schedule") {}

Result<std::optional<ScheduleEntry>> ScheduleTable::find(const std::string& job) const {
    GATELEG_TRY_ASSIGN(const auto item, entries_.find(identity_of(job)));
    return item ? std::optional(to_entry(*item)) : std::nullopt;
}

Result<bool> ScheduleTable::create(const ScheduleEntry& entry) const {
    GATELEG_TRY_ASSIGN(
        auto write, entries_.put(to_item(entry), entries_.condition("attribute_not_exists(#p)"))
    );
    return entries_.write({std::move(write)});
}

Result<bool> ScheduleTable::claim(
    ScheduleEntry& entry,
    const std::string& owner,
    std::int64_t real_now,
    std::int64_t until,
    bool only_server
) const {
    auto condition = entries_.condition("nextRunAt = :next");
    condition.values[":next"] = AttributeValue{render_rfc3339(entry.next_run_millis)};
    if (!only_server) {
        condition.text +=
            " AND (attribute_not_exists(leaseOwner) OR leaseUntil <= :now OR leaseOwner = :owner)";
        condition.values[":now"] = AttributeValue{render_rfc3339(real_now)};
        condition.values[":owner"] = AttributeValue{owner};
    }
    // What somebody has done since it was read is not undone.
    if (entry.cursor.empty()) {
        condition.text += " AND attribute_not_exists(#cursor)";
    } else {
        condition.text += " AND #cursor = :cursor";
        condition.values[":cursor"] = AttributeValue{entry.cursor};
    }
    condition.names["#cursor"] = "cursor";  // a reserved word
    auto claimed = entry;
    claimed.lease_owner = owner;
    claimed.lease_until_millis = until;
    GATELEG_TRY_ASSIGN(auto write, entries_.put(to_item(claimed), condition));
    GATELEG_TRY_ASSIGN(const bool mine, entries_.write({std::move(write)}));
    if (mine) {
        entry = std::move(claimed);
    }
    return mine;
}

Result<bool> ScheduleTable::save(const ScheduleEntry& entry, const std::string& owner) const {
    auto condition = entries_.condition("leaseOwner = :owner");
    condition.values[":owner"] = AttributeValue{owner};
    GATELEG_TRY_ASSIGN(auto write, entries_.put(to_item(entry), condition));
    return entries_.write({std::move(write)});
}

}  // namespace gateleg::model

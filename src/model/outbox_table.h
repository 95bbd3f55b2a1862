// The outbox of a system: effects outside its table, written in the transaction that causes them,
// and done by whoever holds the lease of a row (src/jobs).
//
//   OUTBOX#<00-15>         waiting
//   OUTBOXDONE#<yyyymmdd>  delivered that day, kept for 30 days where the table has a ttl
//   OUTBOXDEAD#<yyyymmdd>  given up that day

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/built_in.h"
#include "value/attribute_value.h"

namespace gateleg::model {

struct OutboxRow {
    int slot = 0;
    std::string id;  // a ULID: what the receiver may tell repeated deliveries by
    std::string kind;
    value::AttributeValue payload = {value::Null{}};
    std::int64_t attempts = 0;  // that failed
    std::int64_t next_attempt_millis = 0;
    std::int64_t created_millis = 0;
    std::string last_error = {};
    // What the delivery gave; it is done, and only what follows from it is not.
    std::optional<value::AttributeValue> answer = {};
    // By the real clock, whatever a test has done to the system's.
    std::string lease_owner = {};
    std::int64_t lease_until_millis = 0;
    std::int64_t ended_millis = 0;  // of a row that is done or dead
};

// Thread-safe. Changes give false when the row is gone or another holds its lease.
class OutboxTable {
public:
    explicit OutboxTable(Shared& shared);

    bool exists() const { return waiting_.exists(); }

    // In the order of ids, behind `after` if that is not empty.
    Result<std::vector<OutboxRow>> list(int slot, const std::string& after, std::int64_t limit)
        const;
    Result<std::optional<OutboxRow>> find(int slot, const std::string& id) const;

    // Takes the lease if nobody has one at `real_now`, or, for the only server of a table, from
    // whoever had it before.
    Result<bool> claim(
        OutboxRow& row,
        const std::string& owner,
        std::int64_t real_now,
        std::int64_t until,
        bool only_server
    ) const;
    Result<bool> renew(OutboxRow& row, std::int64_t until) const;
    // Writes attempts, next attempt, error and answer as the row now has them, and gives the lease
    // back.
    Result<bool> put_back(OutboxRow row) const;
    Result<bool> finish(const OutboxRow& row) const;
    Result<bool> bury(const OutboxRow& row) const;

    // Rows that ended on the day of `day_millis`.
    Result<std::vector<OutboxRow>> list_done(
        std::int64_t day_millis, const std::string& after, std::int64_t limit
    ) const;
    Result<std::vector<OutboxRow>> list_dead(
        std::int64_t day_millis, const std::string& after, std::int64_t limit
    ) const;
    // A dead row waits again, with no attempts behind it.
    Result<bool> revive(const OutboxRow& dead) const;

    // What the calls of its runtime share, for this folder.
    Shared& shared() const { return shared_; }

private:
    Result<bool> change(const OutboxRow& row, Text condition) const;
    Result<bool> move(const OutboxRow& row, const BuiltIn& to, const std::string& at) const;
    Text owned_by(const std::string& owner) const;

    Shared& shared_;
    BuiltIn waiting_;
    BuiltIn done_;
    BuiltIn dead_;
};

}  // namespace gateleg::model

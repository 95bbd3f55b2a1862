// When the jobs of a system ran and run next, and how far a job has come: SCHEDULE#<job> / META.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "model/built_in.h"

namespace gateleg::model {

struct ScheduleEntry {
    std::string job;
    std::int64_t next_run_millis = 0;
    std::int64_t started_millis = 0;   // of the run at hand, or of the last one
    std::int64_t finished_millis = 0;  // of the last one that ended
    std::string cursor = {};           // where the run at hand goes on; empty: it has not begun
    // Of the run at hand, or of the last one.
    std::int64_t scanned = 0;
    std::int64_t changed = 0;
    std::int64_t skipped = 0;
    std::int64_t failed = 0;
    std::string last_error = {};
    // By the real clock.
    std::string lease_owner = {};
    std::int64_t lease_until_millis = 0;
};

// Thread-safe. Changes give false when another holds the lease.
class ScheduleTable {
public:
    explicit ScheduleTable(Shared& shared);

    bool exists() const { return entries_.exists(); }

    Result<std::optional<ScheduleEntry>> find(const std::string& job) const;
    // The first of several that ask makes it.
    Result<bool> create(const ScheduleEntry& entry) const;
    // Takes the lease of an entry that nobody has changed since it was read.
    Result<bool> claim(
        ScheduleEntry& entry,
        const std::string& owner,
        std::int64_t real_now,
        std::int64_t until,
        bool only_server
    ) const;
    // Writes the entry, whose lease `owner` holds; it may give it back (no lease_owner).
    Result<bool> save(const ScheduleEntry& entry, const std::string& owner) const;

private:
    BuiltIn entries_;
};

}  // namespace gateleg::model

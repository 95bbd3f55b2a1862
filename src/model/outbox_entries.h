// What waits in the outbox of a system, what was given up, and another try for either.
//
// Rows wait under OUTBOX#<00-15> until they are delivered; after the last attempt they lie under
// OUTBOXDEAD#<day>.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/database.h"
#include "model/schema.h"
#include "value/attribute_value.h"

namespace gateleg::model {

struct OutboxEntry {
    std::string id;
    std::string kind;
    std::int64_t attempts = 0;
    std::string next_attempt;
    std::string created;
    std::string error;  // of the last attempt, where it was kept
    bool is_dead = false;
    value::Item raw;

    // The payload as DynamoDB's JSON, or "null".
    std::string payload_json() const;
};

// All rows that wait, oldest first.
Result<std::vector<OutboxEntry>> list_waiting(const Model& model, Database& database);
// Rows that were given up on one of the last `days` days, oldest first.
Result<std::vector<OutboxEntry>> list_given_up(
    const Model& model, Database& database, std::int64_t now_millis, int days
);

// One that waits is due now; one that was given up waits again, with all its attempts before it.
// False if the row has gone meanwhile.
Result<bool> retry_entry(
    const Model& model, Database& database, const OutboxEntry& row, std::int64_t now_millis
);

}  // namespace gateleg::model

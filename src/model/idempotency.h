// Records of answered requests: IDEMP#<actor>#<route>#<key> / META, put in the transaction of the
// effect, kept for a day.

#pragma once

#include <optional>
#include <string>

#include "model/call.h"
#include "model/database.h"
#include "model/schema.h"

namespace gateleg::model {

class IdempotencyRecord {
public:
    // Fails with ValidationFailed if the key is not 1 to 128 of [A-Za-z0-9_-].
    static CallResult<IdempotencyRecord> make(
        const Table& table,
        const Operation& operation,
        const OperationCall& call,
        const Caller& caller,
        std::int64_t now_millis
    );

    // The stored answer; 422 IdempotencyKeyReused if it was given to another request.
    CallResult<std::optional<OperationReply>> find(Database& database) const;
    // Puts the answer, if there is none yet.
    Write to_write(const OperationReply& reply) const;

    // What ids of this request are made from.
    const std::string& seed() const { return seed_; }

private:
    const Table* table_ = nullptr;
    value::Item key_;
    std::string seed_;
    std::string hash_;
    std::int64_t now_seconds_ = 0;
};

// An item of that kind, which no entity describes.
bool is_idempotency_record(const Table& table, const value::Item& raw);

}  // namespace gateleg::model

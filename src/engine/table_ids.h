// Gives out ids of tables, and of whatever else has rows of its own. None is given out twice.

#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "engine/commit_context.h"
#include "engine/keyspace.h"

namespace gateleg::engine {

inline Result<TableId> next_table_id(CommitContext& context) {
    std::string bytes;
    std::uint32_t last = 0;
    GATELEG_TRY_ASSIGN(const bool known, context.get(last_table_id_key(), bytes));
    if (known) {
        std::memcpy(&last, bytes.data(), sizeof last);
    }
    ++last;
    bytes.assign(reinterpret_cast<const char*>(&last), sizeof last);
    context.put(last_table_id_key(), bytes);
    return TableId{last};
}

}  // namespace gateleg::engine

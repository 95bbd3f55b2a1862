// What every operation of the engine works with.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "engine/clock_guard.h"
#include "engine/committer.h"
#include "engine/hot_keys.h"
#include "engine/lagging_view.h"
#include "engine/table.h"
#include "expr/cache.h"
#include "storage/store.h"

namespace gateleg::engine {

// Room for items that one operation has read early: what waits for its turn holds it.
inline constexpr std::size_t kEarlyBytes = std::size_t{64} << 10;

// References to parts that the Engine owns; they outlive every operation.
struct Core {
    storage::Store& store;
    Committer& committer;
    expr::Cache& expressions;
    HotKeys& hot_keys;
    const Clock& clock;
    std::string region;
    std::string account_id;
    // What reads of global indexes see instead of the latest state; null is that state.
    const LaggingView* index_view = nullptr;
    std::int64_t expiry_delay_seconds = 0;
    // Null: the clock is what a test sets, and is always right.
    ClockGuard* clock_guard = nullptr;

    Result<std::shared_ptr<const Table>> get_table(std::string_view name) const {
        auto table = committer.catalog()->find(name);
        if (table == nullptr) {
            return resource_not_found("Requested resource not found");
        }
        return table;
    }

    bool clock_is_trusted() const { return clock_guard == nullptr || clock_guard->is_trusted(); }

    // An idle commit thread reads items as soon as anybody else.
    std::size_t early_room() const { return committer.is_busy() ? kEarlyBytes : 0; }

    // Queues `operation`; a full queue is answered at once.
    void submit(std::unique_ptr<WriteOperation> operation) const {
        if (!committer.submit(operation)) {
            operation->finish(
                service_unavailable("The server has too many writes waiting; try again in a moment")
            );
        }
    }
};

}  // namespace gateleg::engine

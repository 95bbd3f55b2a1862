#include "engine/lagging_view.h"

#include <utility>

namespace gateleg::engine {

LaggingView::LaggingView(const storage::Store& store, std::chrono::milliseconds lag)
    : store_(store), lag_(lag), older_(store.snapshot()), newer_(older_) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

std::shared_ptr<const storage::Snapshot> LaggingView::snapshot() const {
    const std::lock_guard lock(mutex_);
    return older_;
}

void LaggingView::run(const std::stop_token& stop) {
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            round_.wait_for(lock, stop, lag_, [] { return false; });
            if (stop.stop_requested()) {
                return;
            }
            older_ = std::exchange(newer_, nullptr);
            if (store_.health() != storage::Health::kOk) {
                // A store that waits to open its files anew waits for snapshots to go.
                older_ = nullptr;
                continue;
            }
        }
        auto taken = store_.snapshot();
        const std::lock_guard lock(mutex_);
        newer_ = std::move(taken);
    }
}

}  // namespace gateleg::engine

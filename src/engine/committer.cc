#include "engine/committer.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <sys/resource.h>

#include "base/burst.h"
#include "base/log.h"

namespace gateleg::engine {
namespace {

// A full queue answers "unavailable" at once: the store cannot keep up with so many writers.
constexpr std::size_t kMaxQueued = 8192;
// What has waited for longer is not done any more: whoever asked has most likely gone.
constexpr std::chrono::milliseconds kMaxAge{5000};
// Past this a batch is written even if more operations wait.
constexpr std::size_t kMaxBatchBytes = 8 << 20;
// So many replies cost no more to send from here than to hand to their threads; with more the disk
// would wait for them.
constexpr std::size_t kFewReplies = 32;
// Whoever waits for a write that is synced waits for the disk as well; whoever reads, for a
// processor alone.
constexpr int kNiceWithSync = 5;

}  // namespace

Committer::Committer(
    storage::Store& store, const Clock& clock, LoadedCatalog loaded, HotKeys* hot_keys
)
    : store_(store),
      context_(store, clock, loaded.catalog, hot_keys),
      durable_catalog_(std::move(loaded.catalog)),
      durable_sequence_(loaded.last_sequence),
      durable_counts_(std::move(loaded.counts)) {
    context_.load_counts(durable_counts_);
    context_.load_sequence(loaded.last_sequence);
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Committer::~Committer() = default;

bool Committer::submit(std::unique_ptr<WriteOperation>& operation) {
    const std::lock_guard lock(queue_mutex_);
    if (queue_.size() >= kMaxQueued) {
        return false;
    }
    operation->queued_at = std::chrono::steady_clock::now();
    queue_.push_back(std::move(operation));
    if (consumer_sleeps_.load(std::memory_order_relaxed)) {
        consumer_sleeps_.store(false, std::memory_order_relaxed);
        queue_filled_.notify_one();
    }
    return true;
}

Committer::Numbered Committer::numbered() const {
    const std::shared_lock lock(durable_mutex_);
    return {durable_catalog_, durable_sequence_};
}

void Committer::on_records(std::function<void()> listener) {
    const std::lock_guard lock(listener_mutex_);
    listener_ = std::move(listener);
}

void Committer::tell_of_records() {
    const std::lock_guard lock(listener_mutex_);
    if (listener_) {
        listener_();
    }
}

std::shared_ptr<const Catalog> Committer::catalog() const {
    const std::shared_lock lock(durable_mutex_);
    return durable_catalog_;
}

Committer::Figures Committer::figures() const {
    Figures figures{
        .batches = batches_.load(std::memory_order_relaxed),
        .operations = operations_.load(std::memory_order_relaxed)};
    const std::lock_guard lock(queue_mutex_);
    figures.queued = queue_.size();
    return figures;
}

TableCounts Committer::counts(TableId table) const {
    const std::shared_lock lock(durable_mutex_);
    const auto found = durable_counts_.find(table);
    return found == durable_counts_.end() ? TableCounts{} : found->second;
}

void Committer::run(const std::stop_token& stop) {
    if (store_.syncs()) {
        setpriority(PRIO_PROCESS, 0, kNiceWithSync);  // of this thread alone
    }
    Operations taken;
    for (;;) {
        {
            std::unique_lock lock(queue_mutex_);
            consumer_sleeps_.store(queue_.empty(), std::memory_order_relaxed);
            if (!queue_filled_.wait(lock, stop, [this] { return !queue_.empty(); })) {
                return;  // stopped, and nothing left to do
            }
            consumer_sleeps_.store(false, std::memory_order_relaxed);
            taken.swap(queue_);
        }
        commit(taken);
        taken.clear();
    }
}

void Committer::commit(Operations& operations) {
    for (std::size_t next = 0;;) {
        next = refuse_stale(operations, next);
        if (next == operations.size()) {
            return;
        }
        std::size_t end = operations.size();
        const auto committed = run_batch(operations, next, end);
        batches_.fetch_add(1, std::memory_order_relaxed);
        operations_.fetch_add(end - next, std::memory_order_relaxed);
        const Burst burst(end - next > kFewReplies);
        for (; next < end; ++next) {
            operations[next]->finish(committed);
            operations[next].reset();
        }
        if (committed && context_.has_records()) {
            tell_of_records();
        }
    }
}

std::size_t Committer::refuse_stale(Operations& operations, std::size_t next) const {
    const auto oldest = std::chrono::steady_clock::now() - kMaxAge;
    for (; next < operations.size() && operations[next]->queued_at < oldest; ++next) {
        operations[next]->finish(
            service_unavailable("The write waited too long for the disk; try again in a moment")
        );
        operations[next].reset();
    }
    return next;
}

Result<void> Committer::run_batch(Operations& operations, std::size_t next, std::size_t& end) {
    try {
        if (in_doubt_) {
            GATELEG_TRY(reload());
        }
        end = fill_batch(operations, next);
        return write_batch();
    } catch (const std::exception& failure) {
        // Out of memory, most likely, and in the middle of an operation: the batch is not written.
        const std::unique_lock lock(durable_mutex_);
        context_.roll_back(durable_catalog_, durable_counts_);
        return internal_error(failure.what());
    }
}

std::size_t Committer::fill_batch(Operations& operations, std::size_t next) {
    context_.begin_batch();
    const auto first = next;
    for (; next < operations.size(); ++next) {
        const bool alone = operations[next]->needs_empty_batch();
        if (next != first && (alone || context_.batch().bytes() > kMaxBatchBytes)) {
            break;
        }
        operations[next]->apply(context_);
        if (alone) {
            return next + 1;
        }
    }
    return next;
}

Result<void> Committer::write_batch() {
    if (!context_.has_writes()) {
        return {};
    }
    context_.add_count_rows();
    context_.add_sequence_row();
    const auto growth =
        context_.may_grow() ? storage::WriteClass::kMayGrow : storage::WriteClass::kShrinks;
    auto written = store_.write(context_.batch(), growth);
    const std::unique_lock lock(durable_mutex_);
    if (!written) {
        // A full disk may still have taken the whole batch before it said so.
        in_doubt_ = true;
        context_.roll_back(durable_catalog_, durable_counts_);
        return written;
    }
    durable_catalog_ = context_.shared_catalog();
    durable_sequence_ = context_.last_sequence();
    context_.publish_counts(durable_counts_);
    return written;
}

Result<void> Committer::reload() {
    GATELEG_TRY_ASSIGN(auto loaded, load_catalog(store_));
    const std::unique_lock lock(durable_mutex_);
    durable_catalog_ = std::move(loaded.catalog);
    durable_sequence_ = std::max(durable_sequence_, loaded.last_sequence);
    durable_counts_ = std::move(loaded.counts);
    context_.begin_batch();
    context_.roll_back(durable_catalog_, durable_counts_);
    context_.load_counts(durable_counts_);
    context_.load_sequence(loaded.last_sequence);
    // How far a build had come is in doubt too: it starts again.
    context_.backfill_positions().clear();
    in_doubt_ = false;
    return {};
}

}  // namespace gateleg::engine

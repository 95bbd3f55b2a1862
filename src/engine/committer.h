// The one thread that writes: it takes what has gathered, decides each operation against the newest
// state, makes the whole batch durable with one write and then answers everybody in it.
//
// Operations are therefore strictly serialisable without locks, and nothing is answered or visible
// before it is durable. docs/adr/0005-thread-model.md.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/result.h"
#include "engine/catalog_loader.h"
#include "engine/commit_context.h"

namespace gateleg::engine {

// One request to change something. Created on any thread, run on the commit thread.
class WriteOperation {
public:
    virtual ~WriteOperation() = default;

    // Decides, adds to the batch, and keeps the answer.
    virtual void apply(CommitContext& context) = 0;
    // Gives the answer. `committed` fails when the batch could not be made durable.
    virtual void finish(const Result<void>& committed) = 0;
    // When it was queued; the committer sets it.
    std::chrono::steady_clock::time_point queued_at{};
    // True for an operation that reads ranges of the store: it starts a batch of its own.
    virtual bool needs_empty_batch() const { return false; }
};

// Thread-safe.
class Committer {
public:
    // `loaded` is what the store holds; writes are counted in `hot_keys`, if there is any.
    Committer(
        storage::Store& store, const Clock& clock, LoadedCatalog loaded, HotKeys* hot_keys = nullptr
    );
    // Runs what is queued, then stops.
    ~Committer();
    Committer(const Committer&) = delete;
    Committer& operator=(const Committer&) = delete;

    // False, and nothing happens, when the queue is full.
    [[nodiscard]] bool submit(std::unique_ptr<WriteOperation>& operation);

    // False while the commit thread waits for something to do.
    bool is_busy() const { return !consumer_sleeps_.load(std::memory_order_relaxed); }

    // The durable state.
    std::shared_ptr<const Catalog> catalog() const;
    TableCounts counts(TableId table) const;
    struct Numbered {
        std::shared_ptr<const Catalog> catalog;
        // The last number given out by then: every record up to it is in a shard of the catalog.
        Sequence sequence = 0;
    };
    Numbered numbered() const;

    // Called on the commit thread after each batch that has records of streams in it. An empty one
    // ends that.
    void on_records(std::function<void()> listener);

    struct Figures {
        std::size_t queued = 0;     // now
        std::uint64_t batches = 0;  // since the start, written or refused
        std::uint64_t operations = 0;
    };
    Figures figures() const;

private:
    using Operations = std::vector<std::unique_ptr<WriteOperation>>;

    void run(const std::stop_token& stop);
    void commit(Operations& operations);
    // Answers operations from `next` on that have waited too long; gives the first that has not.
    std::size_t refuse_stale(Operations& operations, std::size_t next) const;
    // Operations from `next` up to `end`, which it sets, decided and written.
    Result<void> run_batch(Operations& operations, std::size_t next, std::size_t& end);
    // Runs operations from `next` on until the batch is full; gives the position behind the last.
    std::size_t fill_batch(Operations& operations, std::size_t next);
    Result<void> write_batch();
    void tell_of_records();
    // Takes the durable state from the store again, when a failed write has left it in doubt.
    Result<void> reload();

    storage::Store& store_;
    CommitContext context_;
    bool in_doubt_ = false;

    mutable std::shared_mutex durable_mutex_;
    std::shared_ptr<const Catalog> durable_catalog_;
    Sequence durable_sequence_;
    CountsByTable durable_counts_;

    std::mutex listener_mutex_;  // held while it is called
    std::function<void()> listener_;

    std::atomic<std::uint64_t> batches_{0};
    std::atomic<std::uint64_t> operations_{0};

    mutable std::mutex queue_mutex_;
    std::condition_variable_any queue_filled_;
    Operations queue_;
    std::atomic<bool> consumer_sleeps_{false};  // written under the mutex
    std::jthread thread_;                       // last: starts when everything above is there
};

}  // namespace gateleg::engine

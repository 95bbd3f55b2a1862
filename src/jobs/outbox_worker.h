// Delivers the outbox of one system: at least once, each row by one server at a time.
//
// A thread finds rows that are due and takes their leases; the deliveries run on threads of a pool
// that all systems share. A row without a target is looked at once, and again now and then.

#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/worker_pool.h"
#include "jobs/config.h"
#include "jobs/deliveries.h"
#include "model/outbox_table.h"
#include "model/runtime.h"

namespace gateleg::jobs {

struct OutboxWorkerOptions {
    std::string owner;         // of leases: another for each process
    bool only_server = false;  // nobody else uses the table: leases of others are left-overs
    std::int64_t lease_millis = 60'000;
    std::size_t max_running = 8;
    std::size_t max_running_of_kind = 4;  // so that one slow provider does not hold up the rest
    // Rows that were passed over are looked at again this often.
    std::int64_t rescan_millis = 30'000;
};

// What it is given outlives it, the pool's threads included: end the pool before it.
class OutboxWorker {
public:
    OutboxWorker(
        model::Runtime& runtime,
        const Deliveries& deliveries,
        const Config& config,
        const Clock& real_clock,
        WorkerPool& pool,
        OutboxWorkerOptions options
    );
    ~OutboxWorker();

    void start();
    // No row is taken any more, and a delivery that fails from now on is not held against it.
    void begin_stop();
    // Waits for what runs.
    void stop();

private:
    using Key = std::pair<int, std::string>;  // slot and id
    // A row that can be delivered, now or later.
    struct Known {
        std::int64_t due_millis = 0;  // by the system's clock
        bool running = false;
        std::string kind;
        model::OutboxRow row = {};  // of one that runs: whose lease is renewed
    };
    struct Slot {
        std::string passed;  // nothing at or before this id needs to be looked at
    };

    void loop();
    void look_for_rows();
    void look_into(int slot);
    void note(const model::OutboxRow& row);
    void start_due();
    bool take(const Key& key, const std::string& kind);
    void renew_leases();
    bool wait();

    // On a thread of the pool.
    void deliver(model::OutboxRow row);
    void settle_success(model::OutboxRow row, const value::AttributeValue& answer);
    void settle_failure(model::OutboxRow row, const std::string& reason, bool refused);
    void settle_unwanted(model::OutboxRow row, const model::CallError& why);
    void finish(model::OutboxRow row, const value::AttributeValue& answer);
    void put_back(model::OutboxRow row, std::int64_t due, const std::string& reason);
    void forget(const Key& key);
    std::int64_t backoff_millis(std::int64_t attempts) const;

    model::Runtime& runtime_;
    const Deliveries& deliveries_;
    const Config& config_;
    const Clock& clock_;  // the system's
    const Clock& real_clock_;
    WorkerPool& pool_;
    const OutboxWorkerOptions options_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::atomic<bool> stopping_ = false;
    bool rung_ = true;            // there may be new rows
    bool freed_ = false;          // there is room for another delivery
    std::map<Key, Known> known_;  // at most kMaxKnown, but for those of one look
    std::size_t running_ = 0;

    // Of the thread alone.
    std::map<int, Slot> slots_;
    std::int64_t last_now_ = 0;
    std::int64_t next_look_real_ = 0;
    std::int64_t next_rescan_real_ = 0;

    std::thread thread_;  // last: it uses all of the above
};

}  // namespace gateleg::jobs

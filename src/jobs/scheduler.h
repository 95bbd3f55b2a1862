// Runs the jobs of the systems that say `every`: each by one server at a time, a page at a time.
//
// How far a job has come is written after each page, so that whoever takes it up after a crash
// goes on there; what is done twice then is harmless, for operations of jobs are repeatable.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "model/runtime.h"
#include "model/schedule_table.h"

namespace gateleg::jobs {

struct SchedulerOptions {
    std::string owner;         // of leases: another for each process
    bool only_server = false;  // nobody else uses the tables: leases of others are left-overs
    std::int64_t lease_millis = 60'000;
    std::int64_t tick_millis = 500;
    // Of one page; between two pages the other jobs have their turn.
    std::int64_t page_items = 200;
    std::int64_t page_millis = 2'000;
};

// What it is given outlives it.
class Scheduler {
public:
    Scheduler(
        const std::vector<model::Runtime*>& systems,
        const Clock& real_clock,
        SchedulerOptions options
    );
    ~Scheduler();

    // Without a job there is no thread.
    void start();
    void stop();

    // Looks at every job once and runs a page of each that is due. True if there is more to do at
    // once. For start()'s thread, and for tests instead of it.
    bool run_due();

private:
    struct Planned {
        model::Runtime* runtime;
        const model::Job* job;
        // Not to be looked at before; by the system's clock.
        std::int64_t look_at_millis = 0;
    };

    // True if the job has more pages.
    bool run_page(Planned& planned);
    Result<bool> take(Planned& planned, model::ScheduleEntry& entry);
    void loop();

    const Clock& real_clock_;
    const SchedulerOptions options_;
    std::vector<Planned> jobs_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
    std::thread thread_;  // last: it uses all of the above
};

}  // namespace gateleg::jobs

#include "jobs/scheduler.h"

#include <algorithm>
#include <chrono>

#include "base/log.h"

namespace gateleg::jobs {
namespace {

constexpr std::int64_t kRetryMillis = 5'000;

bool runs_by_itself(const model::Job& job) {
    const bool needs_input =
        std::any_of(job.inputs.begin(), job.inputs.end(), [](const model::Input& input) {
            return input.attribute.required && !input.attribute.default_value;
        });
    return job.every.has_value() && *job.every > 0 && !needs_input && job.operation != nullptr;
}

}  // namespace

Scheduler::Scheduler(
    const std::vector<model::Runtime*>& systems, const Clock& real_clock, SchedulerOptions options
)
    : real_clock_(real_clock), options_(std::move(options)) {
    for (auto* runtime : systems) {
        for (const auto& job : runtime->model().jobs) {
            if (runs_by_itself(job) && runtime->schedule().exists()) {
                jobs_.push_back({runtime, &job});
            } else if (job.every) {
                log_warn(
                    "a job cannot run by itself: it needs inputs",
                    {{"system", runtime->model().name}, {"job", job.name}}
                );
            }
        }
    }
}

Scheduler::~Scheduler() {
    stop();
}

void Scheduler::start() {
    if (!jobs_.empty() && !thread_.joinable()) {
        thread_ = std::thread([this] { loop(); });
    }
}

void Scheduler::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        changed_.notify_all();
    }
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Scheduler::loop() {
    for (;;) {
        bool more = false;
        try {
            more = run_due();
        } catch (const std::exception& error) {
            log_error("a scheduled job threw", {{"what", error.what()}});
        }
        std::unique_lock lock(mutex_);
        const auto pause = std::chrono::milliseconds(more ? 0 : options_.tick_millis);
        if (changed_.wait_for(lock, pause, [this] { return stopping_; })) {
            return;
        }
    }
}

bool Scheduler::run_due() {
    bool more = false;
    for (auto& planned : jobs_) {
        {
            const std::lock_guard lock(mutex_);
            if (stopping_) {
                return false;
            }
        }
        if (planned.look_at_millis <= planned.runtime->clock().now_millis()) {
            more = run_page(planned) || more;
        }
    }
    return more;
}

// True if the job is ours and due; otherwise `planned` knows when to look again.
Result<bool> Scheduler::take(Planned& planned, model::ScheduleEntry& entry) {
    const auto& schedule = planned.runtime->schedule();
    const auto now = planned.runtime->clock().now_millis();
    const auto real_now = real_clock_.now_millis();
    const auto& name = planned.job->name;
    GATELEG_TRY_ASSIGN(auto found, schedule.find(name));
    if (!found) {
        model::ScheduleEntry fresh;
        fresh.job = name;
        fresh.next_run_millis = now;
        GATELEG_TRY(schedule.create(fresh));
        GATELEG_TRY_ASSIGN(found, schedule.find(name));
    }
    if (!found) {
        return false;
    }
    entry = *std::move(found);
    if (entry.next_run_millis > now) {
        // Whoever moves the clock or the entry is noticed a minute later at most.
        constexpr std::int64_t kLongest = 60'000;
        planned.look_at_millis = std::min(entry.next_run_millis, now + kLongest);
        return false;
    }
    const bool others = !entry.lease_owner.empty() && entry.lease_owner != options_.owner;
    if (others && !options_.only_server && entry.lease_until_millis > real_now) {
        planned.look_at_millis = now + kRetryMillis;
        return false;
    }
    GATELEG_TRY_ASSIGN(
        const bool taken,
        schedule.claim(
            entry, options_.owner, real_now, real_now + options_.lease_millis, options_.only_server
        )
    );
    if (!taken) {
        planned.look_at_millis = now + kRetryMillis;
    }
    return taken;
}

bool Scheduler::run_page(Planned& planned) {
    auto& runtime = *planned.runtime;
    const auto& system = runtime.model().name;
    const auto& name = planned.job->name;
    const auto fail = [&](const std::string& reason) {
        log_warn("a job failed", {{"system", system}, {"job", name}, {"reason", reason}});
        planned.look_at_millis = runtime.clock().now_millis() + kRetryMillis;
        return false;
    };
    model::ScheduleEntry entry;
    const auto taken = take(planned, entry);
    if (!taken) {
        return fail(taken.error().message);
    }
    if (!*taken) {
        return false;
    }
    if (entry.cursor.empty()) {
        entry.started_millis = runtime.clock().now_millis();
        entry.scanned = entry.changed = entry.skipped = entry.failed = 0;
    }
    model::JobCall call;
    call.max_items = options_.page_items;
    call.max_millis = options_.page_millis;
    if (!entry.cursor.empty()) {
        call.cursor = entry.cursor;
    }
    model::Caller internal;
    internal.internal = true;
    auto report = runtime.run_job(*planned.job, call, internal);
    entry.lease_owner.clear();
    if (!report) {
        // The next one begins anew where the cursor is of no use any more.
        if (report.error().code == "InvalidCursor") {
            entry.cursor.clear();
        }
        entry.last_error = report.error().code + ": " + report.error().message;
        static_cast<void>(runtime.schedule().save(entry, options_.owner));
        return fail(entry.last_error);
    }
    entry.scanned += report->scanned;
    entry.changed += report->changed;
    entry.skipped += report->skipped;
    entry.failed += report->failed;
    entry.last_error = report->first_failure;
    entry.cursor = report->cursor.value_or("");
    if (report->done) {
        const auto now = runtime.clock().now_millis();
        entry.finished_millis = now;
        // By the time it should have begun, so that it does not drift; what was missed is not
        // made up for.
        entry.next_run_millis += *planned.job->every;
        if (entry.next_run_millis <= now) {
            entry.next_run_millis = now + *planned.job->every;
        }
        planned.look_at_millis = entry.next_run_millis;
    } else {
        // The lease stays ours between two pages.
        entry.lease_owner = options_.owner;
        entry.lease_until_millis = real_clock_.now_millis() + options_.lease_millis;
    }
    const auto saved = runtime.schedule().save(entry, options_.owner);
    if (!saved || !*saved) {
        return fail(saved ? "another server has taken it" : saved.error().message);
    }
    if (report->done && entry.changed + entry.failed > 0) {
        log_info(
            "a job has run",
            {{"system", system},
             {"job", name},
             {"scanned", entry.scanned},
             {"changed", entry.changed},
             {"failed", entry.failed}}
        );
    }
    return !report->done;
}

}  // namespace gateleg::jobs

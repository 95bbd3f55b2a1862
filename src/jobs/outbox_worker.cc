#include "jobs/outbox_worker.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/log.h"
#include "jobs/hooks.h"

namespace gateleg::jobs {
namespace {

using value::AttributeValue;

constexpr std::size_t kMaxKnown = 2'000;
constexpr std::int64_t kPage = 100;
// An id says when its operation began; it may be committed a while later than a younger one.
constexpr std::int64_t kSettledMillis = 60'000;
constexpr std::chrono::milliseconds kTick{100};
constexpr std::size_t kMaxReason = 500;
constexpr int kServerFault = 500;

}  // namespace

OutboxWorker::OutboxWorker(
    model::Runtime& runtime,
    const Deliveries& deliveries,
    const Config& config,
    const Clock& real_clock,
    WorkerPool& pool,
    OutboxWorkerOptions options
)
    : runtime_(runtime),
      deliveries_(deliveries),
      config_(config),
      clock_(runtime.clock()),
      real_clock_(real_clock),
      pool_(pool),
      options_(std::move(options)) {}

OutboxWorker::~OutboxWorker() {
    stop();
}

void OutboxWorker::start() {
    if (!runtime_.outbox().exists() || thread_.joinable()) {
        return;
    }
    runtime_.on_outbox([this] {
        const std::lock_guard lock(mutex_);
        rung_ = true;
        changed_.notify_all();
    });
    thread_ = std::thread([this] { loop(); });
}

void OutboxWorker::begin_stop() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
}

void OutboxWorker::stop() {
    runtime_.on_outbox({});
    begin_stop();
    if (thread_.joinable()) {
        thread_.join();
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return running_ == 0; });
}

void OutboxWorker::loop() {
    try {
        while (wait()) {
            look_for_rows();
            start_due();
            renew_leases();
        }
    } catch (const std::exception& error) {
        log_error("the outbox worker has ended", {{"what", error.what()}});
    }
}

// Until there is something to do; false at the end.
bool OutboxWorker::wait() {
    std::unique_lock lock(mutex_);
    // Clocks of tests jump, so that what waits for a time is asked again and again.
    const auto longest =
        known_.empty() ? std::chrono::milliseconds(std::min<std::int64_t>(config_.poll_millis, 500))
                       : kTick;
    changed_.wait_for(lock, longest, [this] { return stopping_ || rung_ || freed_; });
    freed_ = false;
    if (rung_) {
        rung_ = false;
        next_look_real_ = 0;
    }
    return !stopping_;
}

void OutboxWorker::look_for_rows() {
    const auto real_now = real_clock_.now_millis();
    const auto now = clock_.now_millis();
    if (real_now >= next_rescan_real_ || now < last_now_) {
        slots_.clear();
        next_rescan_real_ = real_now + options_.rescan_millis;
        next_look_real_ = 0;
    }
    last_now_ = now;
    if (real_now < next_look_real_) {
        return;
    }
    next_look_real_ = real_now + config_.poll_millis;
    for (int slot = 0; slot < model::kOutboxSlots && !stopping_; ++slot) {
        look_into(slot);
    }
}

void OutboxWorker::look_into(int slot) {
    const auto settled = clock_.now_millis() - kSettledMillis;
    auto after = slots_[slot].passed;
    bool all_settled = true;
    for (;;) {
        const auto rows = runtime_.outbox().list(slot, after, kPage);
        if (!rows) {
            log_warn("the outbox cannot be read", {{"reason", rows.error().message}});
            return;
        }
        for (const auto& row : *rows) {
            after = row.id;
            note(row);
            all_settled = all_settled && row.created_millis < settled;
            if (all_settled) {
                slots_[slot].passed = row.id;
            }
        }
        const std::lock_guard lock(mutex_);
        if (static_cast<std::int64_t>(rows->size()) < kPage || known_.size() >= kMaxKnown ||
            stopping_) {
            break;
        }
    }
    const std::lock_guard lock(mutex_);
    if (known_.size() >= kMaxKnown) {
        slots_[slot].passed.clear();  // there is more than fits: look again when some are done
    }
}

void OutboxWorker::note(const model::OutboxRow& row) {
    if (!deliveries_.find_delivery(runtime_.model().name, row.kind)) {
        return;
    }
    auto due = row.next_attempt_millis;
    if (!options_.only_server && !row.lease_owner.empty() && row.lease_owner != options_.owner) {
        // Leases go by the real clock.
        const auto left = row.lease_until_millis - real_clock_.now_millis();
        due = std::max(due, clock_.now_millis() + std::max<std::int64_t>(0, left));
    }
    const std::lock_guard lock(mutex_);
    auto& known = known_[{row.slot, row.id}];
    if (!known.running) {
        known.due_millis = due;
        known.kind = row.kind;
    }
}

void OutboxWorker::start_due() {
    const auto now = clock_.now_millis();
    std::vector<std::pair<Key, std::string>> due;
    {
        const std::lock_guard lock(mutex_);
        std::map<std::string, std::size_t> of_kind;
        for (const auto& [key, known] : known_) {
            of_kind[known.kind] += known.running ? 1 : 0;
        }
        auto free = options_.max_running - std::min(running_, options_.max_running);
        for (const auto& [key, known] : known_) {
            if (free == 0) {
                break;
            }
            if (!known.running && known.due_millis <= now &&
                of_kind[known.kind] < options_.max_running_of_kind) {
                ++of_kind[known.kind];
                --free;
                due.emplace_back(key, known.kind);
            }
        }
    }
    for (const auto& [key, kind] : due) {
        if (stopping_ || !take(key, kind)) {
            return;
        }
    }
}

// False if it is better to wait a little.
bool OutboxWorker::take(const Key& key, const std::string& kind) {
    const auto& outbox = runtime_.outbox();
    auto found = outbox.find(key.first, key.second);
    if (!found) {
        log_warn("the outbox cannot be read", {{"reason", found.error().message}});
        return false;
    }
    if (!*found) {
        forget(key);
        return true;
    }
    auto row = **std::move(found);
    if (row.next_attempt_millis > clock_.now_millis()) {
        note(row);
        return true;
    }
    const auto real_now = real_clock_.now_millis();
    const auto mine = outbox.claim(
        row, options_.owner, real_now, real_now + options_.lease_millis, options_.only_server
    );
    if (!mine) {
        log_warn("the outbox cannot be written", {{"reason", mine.error().message}});
        return false;
    }
    if (!*mine) {
        // Somebody else has it; whether it comes back is seen at the next look.
        if (auto again = outbox.find(key.first, key.second); again && *again) {
            const std::lock_guard lock(mutex_);
            known_[key].due_millis = clock_.now_millis() + 1'000;
        } else {
            forget(key);
        }
        return true;
    }
    {
        const std::lock_guard lock(mutex_);
        auto& known = known_[key];
        known.kind = kind;
        known.running = true;
        known.row = row;
        ++running_;
    }
    UniqueFunction<void()> work = [this, row] { deliver(row); };
    if (!pool_.submit(work)) {
        put_back(row, row.next_attempt_millis, row.last_error);
        return false;
    }
    return true;
}

void OutboxWorker::renew_leases() {
    const auto real_now = real_clock_.now_millis();
    std::vector<model::OutboxRow> ageing;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [key, known] : known_) {
            if (known.running &&
                known.row.lease_until_millis - real_now < options_.lease_millis / 2) {
                ageing.push_back(known.row);
            }
        }
    }
    for (auto& row : ageing) {
        const auto renewed = runtime_.outbox().renew(row, real_now + options_.lease_millis);
        const std::lock_guard lock(mutex_);
        const auto found = known_.find({row.slot, row.id});
        if (renewed && *renewed && found != known_.end() && found->second.running) {
            found->second.row = row;
        }
    }
}

// --- on a thread of the pool

void OutboxWorker::deliver(model::OutboxRow row) {
    try {
        const Parcel parcel{runtime_, row};
        if (row.answer) {
            const auto answer = *row.answer;
            settle_success(std::move(row), answer);
            return;
        }
        if (const auto ask = deliveries_.find_before(parcel.system(), row.kind)) {
            if (const auto wanted = ask(parcel, {value::Map{}}); !wanted) {
                settle_unwanted(std::move(row), wanted.error());
                return;
            }
        }
        const auto delivery = deliveries_.find_delivery(parcel.system(), row.kind);
        auto answer =
            delivery ? delivery(parcel) : Result<AttributeValue>(service_unavailable("no target"));
        if (answer) {
            settle_success(std::move(row), *answer);
        } else {
            const auto error = answer.error();
            settle_failure(std::move(row), error.message, is_refusal(error));
        }
    } catch (const std::exception& error) {
        log_error("a delivery threw", {{"kind", row.kind}, {"what", error.what()}});
        settle_failure(std::move(row), "internal failure", false);
    }
}

void OutboxWorker::settle_success(model::OutboxRow row, const AttributeValue& answer) {
    const auto& system = runtime_.model().name;
    const auto told = find_hook(deliveries_, system, row.kind)({runtime_, row}, answer);
    if (!told && told.error().status >= kServerFault) {
        row.answer = answer;  // the delivery is done; only this is to be tried again
        put_back(row, clock_.now_millis() + config_.first_backoff_millis, told.error().message);
        return;
    }
    if (!told) {
        log_warn(
            "a system would not hear of a delivery",
            {{"system", system},
             {"kind", row.kind},
             {"id", row.id},
             {"code", told.error().code},
             {"reason", told.error().message}}
        );
    }
    finish(std::move(row), answer);
}

// Nobody waits for it any more.
void OutboxWorker::settle_unwanted(model::OutboxRow row, const model::CallError& why) {
    if (why.status >= kServerFault) {
        put_back(row, clock_.now_millis() + config_.first_backoff_millis, why.message);
        return;
    }
    value::Map answer;
    answer["skipped"] = {why.code};
    finish(std::move(row), {std::move(answer)});
}

void OutboxWorker::finish(model::OutboxRow row, const AttributeValue& answer) {
    const auto& system = runtime_.model().name;
    row.payload = without_secrets(row.payload);
    row.answer = without_secrets(answer);
    row.last_error.clear();
    const auto finished = runtime_.outbox().finish(row);
    if (!finished || !*finished) {
        log_warn(
            "a delivered row could not be moved and may be delivered again",
            {{"system", system}, {"kind", row.kind}, {"id", row.id}}
        );
    } else {
        log_debug("delivered", {{"system", system}, {"kind", row.kind}, {"id", row.id}});
    }
    forget({row.slot, row.id});
}

void OutboxWorker::settle_failure(model::OutboxRow row, const std::string& reason, bool refused) {
    if (stopping_) {
        // Cut off by our own end: no fault of the receiver.
        put_back(row, row.next_attempt_millis, row.last_error);
        return;
    }
    const auto& system = runtime_.model().name;
    ++row.attempts;
    row.last_error = reason.substr(0, kMaxReason);
    log_warn(
        "a delivery failed",
        {{"system", system},
         {"kind", row.kind},
         {"id", row.id},
         {"attempts", row.attempts},
         {"reason", row.last_error}}
    );
    const bool last = row.attempts >= config_.max_attempts && deliveries_.gives_up(row.kind);
    if (!last && !refused) {
        put_back(row, clock_.now_millis() + backoff_millis(row.attempts), row.last_error);
        return;
    }
    value::Map error;
    error["message"] = {row.last_error};
    value::Map answer = error;
    answer["error"] = {std::move(error)};
    const auto told =
        find_failure_hook(deliveries_, system, row.kind)({runtime_, row}, {std::move(answer)});
    if (!told && told.error().status >= kServerFault) {
        put_back(row, clock_.now_millis() + backoff_millis(row.attempts), row.last_error);
        return;
    }
    const auto buried = runtime_.outbox().bury(row);
    if (buried && *buried) {
        log_error("a row was given up", {{"system", system}, {"kind", row.kind}, {"id", row.id}});
    }
    forget({row.slot, row.id});
}

void OutboxWorker::put_back(model::OutboxRow row, std::int64_t due, const std::string& reason) {
    const Key key{row.slot, row.id};
    row.next_attempt_millis = due;
    row.last_error = reason;
    const auto done = runtime_.outbox().put_back(row);
    if (!done || !*done) {
        log_warn("a row could not be put back; its lease will end", {{"id", row.id}});
        due = std::max(due, clock_.now_millis() + options_.lease_millis);
    }
    const std::lock_guard lock(mutex_);
    auto& known = known_[key];
    known.running = false;
    known.due_millis = due;
    known.row = {};
    --running_;
    freed_ = true;
    changed_.notify_all();
}

void OutboxWorker::forget(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key);
    if (found == known_.end()) {
        return;
    }
    if (found->second.running) {
        --running_;
        freed_ = true;
    }
    known_.erase(found);
    rung_ = rung_ || known_.size() + 1 == kMaxKnown;
    changed_.notify_all();
}

std::int64_t OutboxWorker::backoff_millis(std::int64_t attempts) const {
    auto wait = config_.first_backoff_millis;
    for (std::int64_t at = 1; at < attempts && wait < config_.max_backoff_millis; ++at) {
        wait *= 2;
    }
    return std::min(wait, std::max(config_.max_backoff_millis, config_.first_backoff_millis));
}

}  // namespace gateleg::jobs

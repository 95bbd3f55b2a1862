#include "objects/internal/record_writer.h"

#include <utility>

#include "storage/write_batch.h"

namespace gateleg::objects::internal {

Result<std::optional<std::string>> Change::get(std::string_view key) const {
    for (const auto* changes : {&own_, &group_}) {
        if (const auto found = changes->find(key); found != changes->end()) {
            return found->second;
        }
    }
    std::string value;
    GATELEG_TRY_ASSIGN(const bool exists, store_.get(key, value));
    return exists ? std::optional(std::move(value)) : std::nullopt;
}

void Change::put(std::string key, std::string value) {
    own_.insert_or_assign(std::move(key), std::move(value));
}

void Change::erase(std::string key) {
    own_.insert_or_assign(std::move(key), std::nullopt);
}

Result<void> RecordWriter::commit(
    const Decide& decide, Company company, storage::WriteClass write_class
) {
    Job job{decide, company, write_class, std::nullopt};
    std::unique_lock lock(mutex_);
    waiting_.push_back(&job);
    changed_.wait(lock, [&] {
        return job.result.has_value() || (!writing_ && waiting_.front() == &job);
    });
    if (job.result) {
        return *std::move(job.result);
    }
    const auto group = take_group();
    writing_ = true;
    lock.unlock();
    write(group);
    lock.lock();
    writing_ = false;
    // While the lock is held: the others' jobs end with their calls.
    changed_.notify_all();
    return *std::move(job.result);
}

std::vector<RecordWriter::Job*> RecordWriter::take_group() {
    std::vector<Job*> group;
    const auto& first = *waiting_.front();
    while (!waiting_.empty() && group.size() < kMaxGroup) {
        auto* next = waiting_.front();
        const bool fits = group.empty() ||
                          (first.company == Company::kShared && next->company == Company::kShared &&
                           next->write_class == first.write_class);
        if (!fits) {
            break;
        }
        group.push_back(next);
        waiting_.pop_front();
    }
    return group;
}

void RecordWriter::write(const std::vector<Job*>& group) {
    Change::Changes changes;
    std::vector<std::pair<Job*, Result<void>>> verdicts;
    for (auto* job : group) {
        Change change(store_, changes);
        auto verdict = job->decide(change);
        if (verdict) {
            for (auto& [key, value] : change.own_) {
                changes.insert_or_assign(key, std::move(value));
            }
        }
        verdicts.emplace_back(job, std::move(verdict));
    }
    Result<void> written;
    if (!changes.empty()) {
        storage::WriteBatch batch;
        for (const auto& [key, value] : changes) {
            if (value) {
                batch.put(key, *value);
            } else {
                batch.erase(key);
            }
        }
        written = store_.write(batch, group.front()->write_class);
    }
    // The waiting look at their results under the lock only.
    const std::lock_guard lock(mutex_);
    for (auto& [job, verdict] : verdicts) {
        job->result = verdict ? written : std::move(verdict);
    }
}

}  // namespace gateleg::objects::internal

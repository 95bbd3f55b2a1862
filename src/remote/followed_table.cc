#include "remote/internal/followed_table.h"

#include <algorithm>
#include <future>
#include <utility>

#include "base/log.h"
#include "remote/internal/ask.h"

namespace gateleg::remote::internal {
namespace {

using dynamo::ChangesReply;
using dynamo::IteratorType;
using dynamo::StreamRecord;

// A number: when the table began to be followed, in milliseconds, and a count.
constexpr std::size_t kEpochDigits = 13;
constexpr std::size_t kCountDigits = 8;
constexpr std::uint64_t kMostCounted = 99'999'999;
// Shards that are asked at the same time.
constexpr std::size_t kAtOnce = 16;
constexpr std::size_t kPage = 1000;

std::string digits(std::uint64_t number, std::size_t width) {
    auto text = std::to_string(number);
    return text.size() >= width ? text : std::string(width - text.size(), '0') + text;
}

// Questions under way, each about something; `take` has the answers.
template <class Subject, class Reply>
class Asked {
public:
    void add(Subject subject, std::future<Result<Reply>> future) {
        futures_.emplace_back(std::move(subject), std::move(future));
    }
    bool is_full() const { return futures_.size() >= kAtOnce; }

    // Waits for all. `use(subject, reply)` says whether it could use it; an error that it could not
    // use is the result.
    template <class Use>
    Result<void> take(Use use) {
        std::optional<Error> failed;
        for (auto& [subject, future] : futures_) {
            auto reply = future.get();
            auto error = reply ? std::nullopt : std::optional(reply.error());
            if (!use(subject, std::move(reply))) {
                failed = std::move(error);
            }
        }
        futures_.clear();
        return failed ? Result<void>(*std::move(failed)) : Result<void>();
    }

private:
    std::vector<std::pair<Subject, std::future<Result<Reply>>>> futures_;
};

}  // namespace

FollowedTable::FollowedTable(
    dynamo::Streams& streams, std::string table, std::int64_t now_millis, PollOptions options
)
    : streams_(streams),
      options_(options),
      table_(std::move(table)),
      epoch_(static_cast<std::uint64_t>(std::max<std::int64_t>(now_millis, 0))) {}

Result<void> FollowedTable::begin(const dynamo::TableDescription& table) {
    arn_ = table.latest_stream_arn;
    view_ = *table.stream_view;
    GATELEG_TRY_ASSIGN(const auto shards, describe());
    for (const auto& shard : shards) {
        if (shard.last_sequence) {
            finished_.insert(shard.id);
        } else {
            shards_.emplace(shard.id, Shard{.start = IteratorType::kLatest});
        }
    }
    GATELEG_TRY(find_iterators());
    looked_at_ = used_at_ = Steady::now();
    return {};
}

bool FollowedTable::poll(dynamo::Dynamo& tables, bool& more) {
    const auto now = Steady::now();
    if (now < not_before_) {
        return false;
    }
    const auto polled = ask_shards(tables, now, more);
    if (!polled) {
        not_before_ = now + options_.pause;
        log_warn(
            "a stream of the store cannot be read",
            {{"table", table_}, {"reason", polled.error().message}}
        );
        return false;
    }
    return *polled;
}

dynamo::ChangesRange FollowedTable::range() const {
    const std::lock_guard lock(mutex_);
    used_at_ = Steady::now();
    return {.enabled = enabled_, .view = view_, .horizon = horizon(), .latest = latest()};
}

Result<ChangesReply> FollowedTable::read(const dynamo::ChangesRequest& request) const {
    const std::lock_guard lock(mutex_);
    used_at_ = Steady::now();
    if (!enabled_) {
        return ChangesReply{};
    }
    if (request.after > latest()) {
        return validation_error("Invalid SequenceNumber: it was not given out yet");
    }
    ChangesReply reply{
        .enabled = true,
        .view = view_,
        .records = {},
        .position = latest(),
        .gap = request.after < horizon()};
    auto next = std::upper_bound(
        records_.begin(),
        records_.end(),
        request.after,
        [](const std::string& after, const StreamRecord& each) { return after < each.sequence; }
    );
    std::size_t bytes = 0;
    for (; next != records_.end(); ++next) {
        if (reply.records.size() >= request.limit || bytes > request.max_bytes) {
            reply.position = reply.records.back().sequence;
            reply.more = true;
            break;
        }
        reply.records.push_back(*next);
        bytes += static_cast<std::size_t>(next->size_bytes);
    }
    return reply;
}

bool FollowedTable::is_idle() const {
    const std::lock_guard lock(mutex_);
    return Steady::now() - used_at_ > options_.idle;
}

bool FollowedTable::is_enabled() const {
    const std::lock_guard lock(mutex_);
    return enabled_;
}

Result<std::vector<dynamo::ShardDescription>> FollowedTable::describe() {
    std::vector<dynamo::ShardDescription> shards;
    dynamo::DescribeStreamRequest request{.arn = arn_};
    do {
        auto page = ask(streams_, &dynamo::Streams::describe_stream, request).get();
        if (!page) {
            return std::move(page).error();
        }
        request.exclusive_start = page->last_evaluated;
        std::move(page->shards.begin(), page->shards.end(), std::back_inserter(shards));
    } while (request.exclusive_start);
    return shards;
}

// What follows a shard is read when that one has been read to its end.
bool FollowedTable::may_begin(const Shard& shard) const {
    return !shard.parent || !shards_.contains(*shard.parent);
}

dynamo::GetShardIteratorRequest FollowedTable::place_in(const std::string& id, const Shard& shard)
    const {
    dynamo::GetShardIteratorRequest request{.arn = arn_, .shard = id, .type = shard.start};
    if (!shard.last_sequence.empty()) {
        request.type = IteratorType::kAfterSequence;
        request.sequence = shard.last_sequence;
    }
    return request;
}

Result<void> FollowedTable::find_iterators() {
    using Reply = dynamo::GetShardIteratorReply;
    Asked<Shard*, Reply> asked;
    const auto use = [this](Shard* shard, Result<Reply> reply) {
        if (reply) {
            shard->iterator = std::move(reply->iterator);
        } else if (reply.error().code == ErrorCode::kTrimmedDataAccess) {
            begin_anew(*shard);
        } else {
            return false;
        }
        return true;
    };
    for (auto& [id, shard] : shards_) {
        if (shard.iterator.empty() && may_begin(shard)) {
            asked.add(
                &shard, ask(streams_, &dynamo::Streams::get_shard_iterator, place_in(id, shard))
            );
        }
        if (asked.is_full()) {
            GATELEG_TRY(asked.take(use));
        }
    }
    return asked.take(use);
}

Result<bool> FollowedTable::ask_shards(dynamo::Dynamo& tables, Steady::time_point now, bool& more) {
    using Reply = dynamo::GetRecordsReply;
    if (now - looked_at_ >= options_.look) {
        GATELEG_TRY(look_again(tables));
        looked_at_ = now;
    }
    GATELEG_TRY(find_iterators());
    std::vector<std::pair<std::string, std::string>> places;
    for (const auto& [id, shard] : shards_) {
        if (!shard.iterator.empty()) {
            places.emplace_back(id, shard.iterator);
        }
    }
    bool any = false;
    Asked<std::string, Reply> asked;
    const auto use = [&](const std::string& id, Result<Reply> reply) {
        if (!reply) {
            return forgive(id, reply.error());
        }
        any = any || !reply->records.empty();
        more = more || reply->records.size() >= kPage;
        take_records(id, *std::move(reply));
        return true;
    };
    for (const auto& [id, iterator] : places) {
        asked.add(
            id,
            ask(streams_,
                &dynamo::Streams::get_records,
                dynamo::GetRecordsRequest{.iterator = iterator, .limit = kPage})
        );
        if (asked.is_full()) {
            GATELEG_TRY(asked.take(use));
        }
    }
    GATELEG_TRY(asked.take(use));
    return any;
}

void FollowedTable::take_records(const std::string& id, dynamo::GetRecordsReply reply) {
    auto& shard = shards_.at(id);
    for (auto& record : reply.records) {
        shard.last_sequence = record.sequence;
        keep(std::move(record));
    }
    if (reply.next_iterator) {
        shard.iterator = *std::move(reply.next_iterator);
        return;
    }
    finished_.insert(id);
    shards_.erase(id);
    looked_at_ = {};  // others follow it
}

// An iterator that has had its time is got anew.
bool FollowedTable::forgive(const std::string& id, const Error& error) {
    auto& shard = shards_.at(id);
    if (error.code == ErrorCode::kTrimmedDataAccess) {
        begin_anew(shard);
    } else if (error.code != ErrorCode::kExpiredIterator) {
        return false;
    } else if (shard.last_sequence.empty() && shard.start == IteratorType::kLatest) {
        note_gap();  // nothing says where it was
    }
    shard.iterator.clear();
    return true;
}

// What comes next is the oldest that is left.
void FollowedTable::begin_anew(Shard& shard) {
    shard.last_sequence.clear();
    shard.start = IteratorType::kTrimHorizon;
    note_gap();
}

// Whether the stream is still that of the table, and which shards it has now.
Result<void> FollowedTable::look_again(dynamo::Dynamo& tables) {
    auto found =
        ask(tables, &dynamo::Dynamo::describe_table, dynamo::DescribeTableRequest{table_}).get();
    const bool gone = !found && found.error().code == ErrorCode::kResourceNotFound;
    if (!found && !gone) {
        return std::move(found).error();
    }
    if (gone || !found->table.stream_view || found->table.latest_stream_arn != arn_) {
        const std::lock_guard lock(mutex_);
        enabled_ = false;
        return {};
    }
    GATELEG_TRY_ASSIGN(const auto shards, describe());
    // Those that are no longer told of need not be remembered.
    std::set<std::string> still;
    for (const auto& shard : shards) {
        if (finished_.contains(shard.id)) {
            still.insert(shard.id);
        } else {
            shards_.try_emplace(shard.id, Shard{.parent = shard.parent});
        }
    }
    finished_ = std::move(still);
    return {};
}

void FollowedTable::keep(StreamRecord record) {
    const std::lock_guard lock(mutex_);
    count();
    record.sequence = latest();
    bytes_ += static_cast<std::size_t>(record.size_bytes);
    records_.push_back(std::move(record));
    while (records_.size() > options_.max_records || bytes_ > options_.max_bytes) {
        bytes_ -= static_cast<std::size_t>(records_.front().size_bytes);
        horizon_ = records_.front().sequence;
        records_.pop_front();
    }
}

// Whoever has not read all that came before is told that something is missing; so is everybody
// else, by a number that has no record.
void FollowedTable::note_gap() {
    const std::lock_guard lock(mutex_);
    count();
    records_.clear();
    bytes_ = 0;
    horizon_ = latest();
}

void FollowedTable::count() {
    if (++counted_ > kMostCounted) {
        ++epoch_;
        counted_ = 1;
    }
}

std::string FollowedTable::latest() const {
    return digits(epoch_, kEpochDigits) + digits(counted_, kCountDigits);
}

std::string FollowedTable::horizon() const {
    return horizon_.empty() ? digits(epoch_, kEpochDigits) + digits(0, kCountDigits) : horizon_;
}

}  // namespace gateleg::remote::internal

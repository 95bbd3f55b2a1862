#include "remote/polled_changes.h"

#include <utility>
#include <vector>

#include "remote/internal/ask.h"
#include "remote/internal/followed_table.h"

namespace gateleg::remote {

using internal::FollowedTable;

PolledChanges::PolledChanges(
    dynamo::Dynamo& tables, dynamo::Streams& streams, const Clock& real_clock, PollOptions options
)
    : tables_(tables), streams_(streams), clock_(real_clock), options_(options) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

PolledChanges::~PolledChanges() = default;

PolledChanges::Pointer PolledChanges::find(const std::string& table) const {
    const std::lock_guard lock(mutex_);
    const auto found = followed_.find(table);
    return found == followed_.end() || !found->second->is_enabled() ? nullptr : found->second;
}

Result<dynamo::ChangesRange> PolledChanges::changes_range(const std::string& table) const {
    if (const auto known = find(table)) {
        return known->range();
    }
    auto described =
        internal::ask(tables_, &dynamo::Dynamo::describe_table, dynamo::DescribeTableRequest{table})
            .get();
    if (!described) {
        return std::move(described).error();
    }
    if (!described->table.stream_view) {
        return dynamo::ChangesRange{};
    }
    const auto followed =
        std::make_shared<FollowedTable>(streams_, table, clock_.now_millis(), options_);
    GATELEG_TRY(followed->begin(described->table));
    const std::lock_guard lock(mutex_);
    auto& place = followed_[table];
    // Two may have begun at once: the first is what both follow.
    if (place == nullptr || !place->is_enabled()) {
        place = followed;
        changed_.notify_one();
    }
    return place->range();
}

Result<dynamo::ChangesReply> PolledChanges::read_changes(const dynamo::ChangesRequest& request
) const {
    const auto known = find(request.table);
    return known == nullptr ? Result<dynamo::ChangesReply>(dynamo::ChangesReply{})
                            : known->read(request);
}

void PolledChanges::on_changes(std::function<void()> listener) {
    const std::lock_guard lock(listener_mutex_);
    listener_ = std::move(listener);
}

void PolledChanges::drop_idle() {
    std::erase_if(followed_, [](const auto& each) {
        return each.second->is_idle() || !each.second->is_enabled();
    });
}

void PolledChanges::run(const std::stop_token& stop) {
    bool more = false;
    while (!stop.stop_requested()) {
        std::vector<Pointer> now;
        {
            std::unique_lock lock(mutex_);
            if (followed_.empty()) {
                changed_.wait(lock, stop, [this] { return !followed_.empty(); });
            } else if (!more) {
                changed_.wait_for(lock, stop, options_.interval, [] { return false; });
            }
            drop_idle();
            for (const auto& [name, followed] : followed_) {
                now.push_back(followed);
            }
        }
        bool any = false;
        more = false;
        for (const auto& followed : now) {
            if (!stop.stop_requested()) {
                any = followed->poll(tables_, more) || any;
                any = any || !followed->is_enabled();  // its clients are to be told
            }
        }
        const std::lock_guard lock(listener_mutex_);
        if (any && listener_) {
            listener_();
        }
    }
}

}  // namespace gateleg::remote

#include "api/events/hub.h"

#include <algorithm>

#include "api/rest/problem.h"
#include "base/log.h"

namespace gateleg::api::events {
namespace {

// What is read for one client before the next one has its turn.
constexpr std::size_t kPageRecords = 128;
constexpr std::size_t kPageBytes = std::size_t{128} << 10;
constexpr std::size_t kSequenceDigits = 21;

constexpr std::string_view kType = "text/event-stream";
constexpr std::string_view kHello = ": following\n\n";
constexpr std::string_view kAlive = ": alive\n\n";
constexpr std::string_view kGap = "event: gap\ndata: {\"reason\":\"Records were skipped\"}\n\n";

model::CallError stream_disabled(const std::string& table, std::string_view lacks) {
    return {
        .status = 409,
        .code = "StreamDisabled",
        .message = "Table " + table + " has no " + std::string(lacks) +
                   ". Switch it on: aws dynamodb update-table --table-name " + table +
                   " --stream-specification "
                   "StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES"};
}

// As many digits as all numbers have; empty for what is no number.
std::string padded(std::string_view text) {
    const bool digits =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (text.empty() || text.size() > kSequenceDigits || !digits) {
        return {};
    }
    return std::string(kSequenceDigits - text.size(), '0').append(text);
}

// The number before it, so that what follows begins with it.
std::string before(std::string number) {
    for (auto digit = number.rbegin(); digit != number.rend(); ++digit) {
        if (*digit != '0') {
            --*digit;
            return number;
        }
        *digit = '9';
    }
    return std::string(kSequenceDigits, '0');
}

}  // namespace

bool is_start(std::string_view from) {
    return from == "latest" || from == "horizon" || !padded(from).empty();
}

Hub::Hub(dynamo::ChangeFeed& feed, HubOptions options) : feed_(feed), options_(options) {
    feed_.on_changes([this] { ring(); });
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Hub::~Hub() {
    feed_.on_changes({});
}

std::optional<model::CallError> Hub::find_start(
    const std::string& table, const Start& start, bool with_images, Follow& follow
) const {
    const auto range = feed_.changes_range(table);
    if (!range) {
        return range.error().code == ErrorCode::kResourceNotFound
                   ? model::CallError{404, "NotFound", "There is no table of that name"}
                   : model::to_call_error(range.error());
    }
    if (!range->enabled) {
        return stream_disabled(table, "stream");
    }
    if (with_images && range->view != dynamo::StreamView::kNewAndOldImages) {
        return stream_disabled(table, "stream with new and old images");
    }
    follow.table = table;
    if (!start.last_event_id.empty()) {
        follow.after = padded(start.last_event_id);
        if (follow.after.empty()) {
            return rest::validation_failed("Last-Event-ID", "is not the id of an event");
        }
        // A number of a time that the store no longer knows of: what came of it is not known.
        follow.gap = follow.after > range->latest;
    } else if (start.from.empty() || start.from == "latest") {
        follow.after = range->latest;
    } else if (start.from == "horizon") {
        follow.after = range->horizon;
        follow.from_horizon = true;
    } else {
        follow.after = padded(start.from);
        if (follow.after.empty() || follow.after > range->latest) {
            return rest::validation_failed(
                "from", "is latest, horizon or a sequence number that was given out"
            );
        }
        follow.after = before(follow.after);
    }
    follow.after = std::min(follow.after, range->latest);
    return std::nullopt;
}

std::optional<model::CallError> Hub::follow(
    http::Exchange& exchange, std::string headers, Follow follow
) {
    headers.append("X-Accel-Buffering: no\r\n");
    if (exchange.request().head.method() == "HEAD") {
        exchange.reply({.content_type = kType, .headers = std::move(headers)});
        return std::nullopt;
    }
    const auto client = std::make_shared<Client>(Client{.follow = std::move(follow)});
    {
        const std::lock_guard lock(mutex_);
        const auto same = [&](const auto& each) {
            return each->follow.owner == client->follow.owner;
        };
        const auto of_one = std::count_if(clients_.begin(), clients_.end(), same);
        if (static_cast<std::size_t>(of_one) >= options_.most_of_one) {
            return model::CallError{
                .status = 429,
                .code = "TooManyStreams",
                .message = "You follow " + std::to_string(of_one) + " streams; end one first"};
        }
        if (clients_.size() >= options_.most) {
            return rest::unavailable("Too many streams are followed; try again later");
        }
        clients_.push_back(client);
    }
    auto reply = exchange.reply_live(
        {.content_type = kType, .headers = std::move(headers)}, [this] { ring(); }
    );
    auto hello = std::string(kHello).append(client->follow.gap ? kGap : "");
    if (reply == nullptr || !reply->send(hello)) {
        const std::lock_guard lock(mutex_);
        std::erase(clients_, client);
        return std::nullopt;
    }
    {
        const std::lock_guard lock(mutex_);
        client->looked_at = client->spoken_at = std::chrono::steady_clock::now();
        client->reply = std::move(reply);
    }
    ring();
    return std::nullopt;
}

std::size_t Hub::count() const {
    const std::lock_guard lock(mutex_);
    return clients_.size();
}

void Hub::ring() {
    const std::lock_guard lock(mutex_);
    if (!changed_ && !clients_.empty()) {
        changed_ = true;
        rung_.notify_one();
    }
}

void Hub::run(const std::stop_token& stop) {
    bool more = false;
    while (!stop.stop_requested()) {
        bool changed = false;
        {
            std::unique_lock lock(mutex_);
            const auto woken = [this] { return changed_; };
            if (more) {
                // Somebody catches up; others have their turn each time around.
            } else if (clients_.empty()) {
                rung_.wait(lock, stop, woken);
            } else {
                rung_.wait_for(lock, stop, options_.look, woken);
            }
            changed = std::exchange(changed_, false);
        }
        more = serve_all(changed || more);
        if (!more && changed) {
            std::this_thread::sleep_for(options_.gather);
        }
    }
}

bool Hub::serve_all(bool changed) {
    std::vector<std::shared_ptr<Client>> ready;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& client : clients_) {
            if (client->reply) {
                ready.push_back(client);
            }
        }
    }
    bool more = false;
    std::vector<std::shared_ptr<Client>> ended;
    for (const auto& client : ready) {
        more = serve(*client, changed, std::chrono::steady_clock::now()) || more;
        if (!client->reply) {
            ended.push_back(client);
        }
    }
    if (!ended.empty()) {
        const std::lock_guard lock(mutex_);
        std::erase_if(clients_, [&](const auto& client) {
            return std::find(ended.begin(), ended.end(), client) != ended.end();
        });
    }
    return more;
}

// Takes the reply away when it has ended.
bool Hub::serve(Client& client, bool changed, Time now) {
    try {
        if (client.reply->is_gone()) {
            client.reply.reset();
            return false;
        }
        if (now - client.looked_at >= options_.look) {
            client.looked_at = now;
            if (!client.follow.may_go_on()) {
                client.reply.reset();
                return false;
            }
        }
        if (!client.reply->is_ready()) {
            return false;  // rings when it is
        }
        // Also when nothing has changed: a position that stays behind would once be too old.
        const bool silent = now - client.spoken_at >= options_.heartbeat;
        const bool more = (changed || silent) && send_changes(client, now);
        if (client.reply && silent && client.spoken_at != now) {
            client.reply->send(kAlive);
            client.spoken_at = now;
        }
        return more;
    } catch (const std::exception& error) {
        log_error("a stream of events ended", {{"what", error.what()}});
        client.reply.reset();
        return false;
    }
}

bool Hub::send_changes(Client& client, Time now) {
    auto& follow = client.follow;
    auto page = feed_.read_changes(
        {.table = follow.table,
         .after = follow.after,
         .limit = kPageRecords,
         .max_bytes = kPageBytes}
    );
    if (!page || !page->enabled) {
        if (!page && page.error().code != ErrorCode::kResourceNotFound) {
            log_warn("a stream of events cannot be read", {{"reason", page.error().message}});
        }
        client.reply.reset();  // whoever comes again is told
        return false;
    }
    std::string text;
    if (page->gap && !follow.from_horizon) {
        text.append(kGap);
    }
    for (const auto& record : page->records) {
        if (const auto data = follow.render(record)) {
            text.append("event: record\nid: ").append(record.sequence).append("\ndata: ");
            text.append(*data).append("\n\n");
        }
    }
    follow.after = std::move(page->position);
    follow.from_horizon = false;
    if (text.empty()) {
        return page->more;
    }
    client.spoken_at = now;
    if (!client.reply->send(text)) {
        client.reply.reset();
        return false;
    }
    return page->more && client.reply->is_ready();
}

}  // namespace gateleg::api::events

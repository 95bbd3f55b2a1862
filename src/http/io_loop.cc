#include "http/internal/io_loop.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/log.h"
#include "http/internal/connection.h"
#include "http/internal/folding.h"

namespace gateleg::http {
namespace {

namespace asio = boost::asio;

// Refused connections linger for their 503; past so many above the cap they are cut at once.
constexpr std::size_t kRefusedAboveCap = 64;

// So many requests of one connection, one after the other, make it worth to wait awake for the
// next.
constexpr int kStreak = 32;
constexpr std::chrono::microseconds kPollFor{50};

// A reply waits for so many events at most, whatever they are.
constexpr int kMostEventsBetween = 8;

thread_local const IoLoop* current_loop = nullptr;  // NOLINT: answers is_current_thread()

std::int64_t steady_millis() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch()
    )
        .count();
}

std::vector<std::unique_ptr<IoLoop>> make_loops(
    ServerState& state, std::size_t count, std::size_t max_connections
) {
    std::vector<std::unique_ptr<IoLoop>> loops;
    for (std::size_t i = 0; i < count; ++i) {
        loops.push_back(std::make_unique<IoLoop>(state, i, max_connections));
    }
    return loops;
}

}  // namespace

ServerState::ServerState(const Limits& granted, std::size_t loop_count, std::size_t max_connections)
    : limits(granted),
      body_pool(granted.body_pool_bytes),
      open_loops(loop_count),
      loops(make_loops(*this, loop_count, max_connections)) {}

ServerState::~ServerState() = default;

IoLoop& ServerState::loop_for(const IoLoop& home) const {
    return *loops[home.index() % open_loops.load(std::memory_order_relaxed)];
}

IoLoop::IoLoop(ServerState& state, std::size_t index, std::size_t max_connections)
    : work_(io_.get_executor()),
      tick_timer_(io_),
      state_(state),
      index_(index),
      max_connections_(max_connections),
      now_(steady_millis()) {}

IoLoop::~IoLoop() = default;

bool IoLoop::is_current_thread() const {
    return current_loop == this;
}

void IoLoop::start() {
    now_.store(steady_millis(), std::memory_order_relaxed);
    schedule_tick();
    if (index_ == 0 && state_.loops.size() > 1) {
        watch_ = std::make_unique<FoldingWatch>(state_);
    }
    thread_ = std::thread([this] {
        current_loop = this;
        times_.open();
        run();
    });
}

// Handlers' throws are caught where they are called; what comes here is most likely want of
// memory. Its connection stays behind unread, until a deadline closes it.
void IoLoop::run() {
    for (;;) {
        try {
            while (run_next()) {
            }
            return;
        } catch (const std::exception& thrown) {
            log_error("I/O thread caught an exception", {{"what", thrown.what()}});
        }
    }
}

bool IoLoop::run_next() {
    // A lone client has nobody to wait for.
    if (gathered_count_ != 0 && streak_ < kStreak && ++events_since_ < kMostEventsBetween &&
        io_.poll_one() != 0) {
        return true;
    }
    send_gathered();
    return (streak_ >= kStreak && poll_awhile()) || io_.run_one() != 0;
}

void IoLoop::gather(std::shared_ptr<Connection> connection, std::string& head, std::string& body) {
    if (gathered_count_ == 0) {
        events_since_ = 0;
    }
    auto& reply = gathered_[gathered_count_++];
    reply.connection = std::move(connection);
    reply.head.swap(head);
    reply.body.swap(body);
    if (gathered_count_ == gathered_.size()) {
        send_gathered();
    }
}

void IoLoop::send_gathered() {
    const auto count = std::exchange(gathered_count_, 0);
    for (std::size_t i = 0; i < count; ++i) {
        auto& reply = gathered_[i];
        const auto connection = std::move(reply.connection);
        connection->send_gathered(reply.head, reply.body);
        reply.head.clear();
        reply.body.clear();
    }
}

// A client that asks again as soon as it has its answer is met awake: on an idle machine it takes
// longer to wake a thread than to answer. Not for several at once, who need the processors
// themselves, and not again soon for one that takes its time.
bool IoLoop::poll_awhile() {
    if (state_.can_poll && state_.alone.load(std::memory_order_relaxed) == this) {
        const auto end = std::chrono::steady_clock::now() + kPollFor;
        do {
            if (io_.poll_one() != 0) {
                return true;
            }
        } while (std::chrono::steady_clock::now() < end);
    }
    streak_ = 0;
    return false;
}

void IoLoop::note_request(const Connection& connection, bool answered) {
    // Nobody else writes it.
    requests_.store(requests_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (watch_) {
        watch_->note_request();
    }
    streak_ = answered && &connection == latest_ ? streak_ + 1 : 0;
    latest_ = &connection;
    const auto* alone = state_.alone.load(std::memory_order_relaxed);
    if (streak_ == kStreak) {
        state_.alone.store(this, std::memory_order_relaxed);
    } else if (alone != nullptr && alone != this) {
        state_.alone.store(nullptr, std::memory_order_relaxed);
    }
}

void IoLoop::stop_and_join() {
    if (thread_.joinable()) {
        asio::post(io_, [this] {
            send_gathered();
            stopping_ = true;
            tick_timer_.cancel();
            while (!connections_.empty()) {
                const auto connection = connections_.back();
                connection->close();
            }
            work_.reset();
        });
        thread_.join();
    } else {
        work_.reset();
        io_.poll();  // what was posted before a start that never came
    }
    std::vector<std::shared_ptr<Connection>> unread;
    {
        const std::lock_guard lock(mailbox_mutex_);
        mailbox_open_ = false;
        unread.swap(mailbox_);
    }
    // What was posted between the end of the thread and that: bodies that handlers wait for.
    io_.restart();
    io_.poll();
}

void IoLoop::drain() {
    asio::post(io_, [this] {
        for (std::size_t i = connections_.size(); i-- > 0;) {
            const auto connection = connections_[i];
            connection->close_if_idle();
        }
    });
}

void IoLoop::wake(std::shared_ptr<Connection> connection) {
    const std::lock_guard lock(mailbox_mutex_);
    if (!mailbox_open_) {
        return;
    }
    mailbox_.push_back(std::move(connection));
    if (mailbox_.size() == 1) {
        asio::post(io_, [this] { read_mailbox(); });
    }
}

bool IoLoop::post(UniqueFunction<void()>& job) {
    const std::lock_guard lock(mailbox_mutex_);
    if (mailbox_open_) {
        asio::post(io_, std::move(job));
    }
    return mailbox_open_;
}

void IoLoop::read_mailbox() {
    {
        const std::lock_guard lock(mailbox_mutex_);
        mail_.swap(mailbox_);
    }
    for (const auto& connection : mail_) {
        // One that has moved needs nothing more of what it was to be woken for.
        if (connection->is_on(*this)) {
            connection->resume();
        }
    }
    mail_.clear();
}

void IoLoop::give(std::shared_ptr<Connection> connection) {
    homed_.fetch_add(1, std::memory_order_relaxed);
    coming_.fetch_add(1, std::memory_order_relaxed);
    asio::post(io_, [this, connection = std::move(connection)] {
        coming_.fetch_sub(1, std::memory_order_relaxed);
        adopt(connection);
    });
}

bool IoLoop::take(std::shared_ptr<Connection> connection) {
    const std::lock_guard lock(mailbox_mutex_);
    if (!mailbox_open_) {
        coming_.fetch_sub(1, std::memory_order_relaxed);
        return false;
    }
    asio::post(io_, [this, connection = std::move(connection)] {
        add(connection);
        coming_.fetch_sub(1, std::memory_order_relaxed);
        connection->arrive();
        if (stopping_) {
            connection->close();
        }
    });
    return true;
}

void IoLoop::adopt(const std::shared_ptr<Connection>& connection) {
    const bool ending = stopping_ || state_.draining.load(std::memory_order_relaxed);
    const bool full = !ending && connections_.size() >= max_connections_ && !evict_one();
    if (ending || (full && connections_.size() >= max_connections_ + kRefusedAboveCap)) {
        homed_.fetch_sub(1, std::memory_order_relaxed);
        return;
    }
    const bool refused = counts_as_too_many(*connection) || full;
    add(connection);
    refused ? connection->start_refused(503, "Too many connections") : connection->start();
}

void IoLoop::add(const std::shared_ptr<Connection>& connection) {
    connection->slot = connections_.size();
    connections_.push_back(connection);
    count_.store(connections_.size(), std::memory_order_relaxed);
}

void IoLoop::forget(const Connection& connection) {
    connection.home().homed_.fetch_sub(1, std::memory_order_relaxed);
    remove(connection);
    if (state_.limits.max_connections_per_address != 0) {
        state_.addresses.remove(connection.remote_address());
    }
}

void IoLoop::remove(const Connection& connection) {
    const auto slot = connection.slot;
    if (slot + 1 != connections_.size()) {
        connections_[slot] = std::move(connections_.back());
        connections_[slot]->slot = slot;
    }
    connections_.pop_back();
    count_.store(connections_.size(), std::memory_order_relaxed);
}

bool IoLoop::counts_as_too_many(const Connection& connection) {
    const auto most = state_.limits.max_connections_per_address;
    // A socket file has no address: whoever reaches it is the operator.
    return most != 0 && state_.addresses.add(connection.remote_address()) > most &&
           !connection.remote_address().empty();
}

bool IoLoop::evict_one() {
    std::shared_ptr<Connection> victim;
    auto least = std::pair(Connection::Worth::kWorking, std::int64_t{0});
    for (const auto& connection : connections_) {
        const auto worth = connection->worth();
        if (worth == Connection::Worth::kWorking) {
            continue;  // its fields are not ours to read
        }
        if (const auto rank = std::pair(worth, connection->since()); rank < least) {
            least = rank;
            victim = connection;
        }
    }
    if (victim) {
        victim->close();
    }
    return victim != nullptr;
}

void IoLoop::schedule_tick() {
    tick_timer_.expires_after(state_.limits.tick);
    tick_timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error && !stopping_) {
            on_tick();
        }
    });
}

void IoLoop::on_tick() {
    const auto now = steady_millis();
    now_.store(now, std::memory_order_relaxed);
    // Backwards: one that closes is replaced by one already seen.
    for (std::size_t i = connections_.size(); i-- > 0;) {
        const auto connection = connections_[i];
        connection->on_tick(now);
    }
    schedule_tick();
}

}  // namespace gateleg::http

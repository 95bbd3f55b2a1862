// One I/O thread: its io_context, its connections, and the tick that watches their deadlines.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/unique_function.h"
#include "http/internal/body_buffer.h"
#include "http/internal/thread_times.h"
#include "http/limits.h"

namespace gateleg::http {

class Connection;
class FoldingWatch;
class IoLoop;

// How many connections each address has. Thread-safe.
class AddressCounts {
public:
    // How many it has now.
    std::size_t add(const std::string& address) {
        const std::lock_guard lock(mutex_);
        return ++counts_[address];
    }
    void remove(const std::string& address) {
        const std::lock_guard lock(mutex_);
        if (const auto found = counts_.find(address);
            found != counts_.end() && --found->second == 0) {
            counts_.erase(found);
        }
    }

private:
    std::mutex mutex_;
    std::unordered_map<std::string, std::size_t> counts_;  // at most one entry a connection
};

// The loops of one server, and what they share. Whoever holds one of them holds all: connections
// move from one to another.
struct ServerState {
    // Each loop takes so many connections.
    ServerState(const Limits& granted, std::size_t loop_count, std::size_t max_connections);
    ~ServerState();
    ServerState(const ServerState&) = delete;
    ServerState& operator=(const ServerState&) = delete;

    // Where requests of connections that belong to `home` are handled now (folding.h).
    IoLoop& loop_for(const IoLoop& home) const;

    const Limits limits;
    BytePool body_pool;
    AddressCounts addresses;  // used if there is a limit to them
    std::atomic<bool> draining{false};
    // The loop that alone has had requests lately, if there is one: it may wait for the next awake.
    std::atomic<const IoLoop*> alone{nullptr};
    const bool can_poll = std::thread::hardware_concurrency() > 1;
    // So many of the loops have requests.
    std::atomic<std::size_t> open_loops;
    const std::vector<std::unique_ptr<IoLoop>> loops;
};

// Members are for the loop's own thread unless they say otherwise. Connections keep the loops
// alive, so an exchange may outlast the server.
class IoLoop {
public:
    IoLoop(ServerState& state, std::size_t index, std::size_t max_connections);
    ~IoLoop();

    boost::asio::io_context& io() { return io_; }
    ServerState& state() const { return state_; }
    std::size_t index() const { return index_; }

    // From the server's thread.
    void start();
    void stop_and_join();
    void drain();
    // From any thread.
    std::size_t connection_count() const { return count_.load(std::memory_order_relaxed); }
    // With those that were given to it and that it has not looked at yet.
    std::size_t load() const {
        return connection_count() + coming_.load(std::memory_order_relaxed);
    }
    // How many connections belong to it, wherever their requests are handled.
    std::size_t homed() const { return homed_.load(std::memory_order_relaxed); }
    // Requests so far.
    std::uint64_t requests() const { return requests_.load(std::memory_order_relaxed); }
    // What its thread has had of the processors.
    ThreadTimes::Sum thread_times() const { return times_.read(); }
    // Has the loop adopt the new connection, which belongs to it from now on.
    void give(std::shared_ptr<Connection> connection);
    // Has the loop go on with a connection that left another one, for which it was told to expect
    // one. False after the loop ended.
    [[nodiscard]] bool take(std::shared_ptr<Connection> connection);
    void expect_one() { coming_.fetch_add(1, std::memory_order_relaxed); }
    bool has_room_for_guests() const { return 2 * load() < max_connections_; }
    // Milliseconds on the steady clock, as of the last tick: good enough for deadlines.
    std::int64_t now() const { return now_.load(std::memory_order_relaxed); }
    bool is_current_thread() const;
    // Has the loop call connection->resume(). After the loop ended it does nothing.
    void wake(std::shared_ptr<Connection> connection);

    // Has the loop call `job`. False, and `job` is as it was, after the loop ended.
    [[nodiscard]] bool post(UniqueFunction<void()>& job);

    // Sends a reply together with a few others, once no more requests are here. Whoever reads them
    // is then woken for several instead of for each. The texts are exchanged for used ones.
    void gather(std::shared_ptr<Connection> connection, std::string& head, std::string& body);
    void send_gathered();
    // Called by a connection that closed itself.
    void forget(const Connection& connection);
    // Called by a connection that moves to another loop, or could not.
    void remove(const Connection& connection);
    void add(const std::shared_ptr<Connection>& connection);
    // Called after each request was handed out: whether it was answered at once.
    void note_request(const Connection& connection, bool answered);
    // Whether the address of this new connection has too many.
    bool counts_as_too_many(const Connection& connection);
    // Closes the connection least worth keeping. False if all of them are at work.
    bool evict_one();

private:
    // Takes the connection in and starts it, if need be in the place of an idle one.
    void adopt(const std::shared_ptr<Connection>& connection);
    void run();
    bool run_next();
    bool poll_awhile();
    void schedule_tick();
    void on_tick();
    void read_mailbox();

    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    boost::asio::steady_timer tick_timer_;
    ServerState& state_;
    const std::size_t index_;
    const std::size_t max_connections_;
    std::vector<std::shared_ptr<Connection>> connections_;
    std::atomic<std::size_t> count_{0};
    std::atomic<std::size_t> coming_{0};
    std::atomic<std::size_t> homed_{0};
    std::atomic<std::uint64_t> requests_{0};
    ThreadTimes times_;
    std::unique_ptr<FoldingWatch> watch_;  // the first loop's, if there are others
    std::atomic<std::int64_t> now_;
    bool stopping_ = false;
    // The connection that had the last request, and how many in a row were its own and answered at
    // once.
    const Connection* latest_ = nullptr;
    int streak_ = 0;
    // Replies that wait for each other: the first gathered_count_, the rest is memory to be used
    // again. Events since there was the first.
    struct Gathered {
        std::shared_ptr<Connection> connection;
        std::string head;
        std::string body;
    };
    std::array<Gathered, 4> gathered_;
    std::size_t gathered_count_ = 0;
    int events_since_ = 0;
    std::thread thread_;

    std::mutex mailbox_mutex_;
    std::vector<std::shared_ptr<Connection>> mailbox_;  // at most one entry a request in flight
    bool mailbox_open_ = true;
    std::vector<std::shared_ptr<Connection>> mail_;  // being read
};

}  // namespace gateleg::http

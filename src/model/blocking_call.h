// Waits for the reply of a call of Dynamo. Never on the thread that answers.
//
// Not through std::promise: it wakes whoever may wait with a call of the kernel, for each reply. An
// engine answers reads before the call returns, and then nobody waits.

#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "base/result.h"
#include "dynamo/dynamo.h"

namespace gateleg::model {

// A reply that one thread waits for. It must stay until its callback has been called.
template <class Reply>
class AwaitedReply {
public:
    // A callback that is dropped without a call leaves an error.
    auto callback() {
        return [giver = Giver(this)](Reply reply) mutable { giver.give(std::move(reply)); };
    }
    Reply wait() {
        std::unique_lock lock(mutex_);
        given_.wait(lock, [this] { return reply_.has_value(); });
        return *std::move(reply_);
    }

private:
    class Giver {
    public:
        explicit Giver(AwaitedReply* target) : target_(target) {}
        Giver(Giver&& other) noexcept : target_(std::exchange(other.target_, nullptr)) {}
        Giver(const Giver&) = delete;
        Giver& operator=(const Giver&) = delete;
        Giver& operator=(Giver&&) = delete;
        ~Giver() {
            if (target_ != nullptr) {
                give(Reply(internal_error("a call was dropped without a reply")));
            }
        }
        void give(Reply reply) { std::exchange(target_, nullptr)->take(std::move(reply)); }

    private:
        AwaitedReply* target_;
    };

    void take(Reply reply) {
        // Told under the lock: whoever waits may go, and take all of this along, right after it.
        const std::lock_guard lock(mutex_);
        reply_.emplace(std::move(reply));
        given_.notify_one();
    }

    std::mutex mutex_;
    std::condition_variable given_;
    std::optional<Reply> reply_;
};

template <class Request>
Result<typename Request::Reply> blocking_call(
    dynamo::Dynamo& dynamo,
    void (dynamo::Dynamo::*method)(Request, dynamo::Done<Request>),
    Request request
) {
    AwaitedReply<Result<typename Request::Reply>> awaited;
    std::invoke(method, dynamo, std::move(request), awaited.callback());
    return awaited.wait();
}

}  // namespace gateleg::model

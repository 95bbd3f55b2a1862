// When a call to a store may be made again, and after how long.

#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

#include "dynamo/requests.h"
#include "remote/decode_reply.h"
#include "remote/http_client.h"

namespace gateleg::remote {

// What a second request does if the first one was carried out after all.
enum class Repeat : std::uint8_t {
    kHarmless,  // nothing: it reads, or a token tells the store that it is the same
    kGuarded,   // its condition then fails, so nothing is changed, but the answer misleads
    kHarmful,   // it may undo what others have done meanwhile, or do it twice
};

Repeat repeat_of(const dynamo::PutItemRequest& request);
Repeat repeat_of(const dynamo::UpdateItemRequest& request);

// What is known after an attempt that did not succeed.
enum class Outcome : std::uint8_t {
    kAnswered,  // the store has decided: its error is the caller's
    kNotDone,   // nothing was changed, and trying again may help
    kInDoubt,   // it may have been carried out
    kStopped,   // nothing was changed, and this process sends no more
};

Outcome outcome_of(const HttpFailure& failure);
Outcome outcome_of(const StoreError& error, int status);

bool may_try_again(Outcome outcome, Repeat repeat);

// Full jitter: anything from nothing to a bound that doubles with each attempt. `attempt` counts
// from 0, `random` lies in [0, 1).
std::chrono::milliseconds backoff(int attempt, double random);

// A number in [0, 1). Thread-safe.
double random_fraction();

// Spares callers the wait for a store that has been away for a while: they are refused at once,
// but for one a moment that finds out whether it is back. Thread-safe.
class Circuit {
public:
    explicit Circuit(std::chrono::milliseconds patience) : patience_(patience) {}

    bool allows(SteadyTime now);
    // The store answered, whatever it said.
    void answered();
    // It could not be reached, or did not answer in time.
    void unanswered(SteadyTime now);

private:
    static constexpr int kFewestFailures = 10;
    static constexpr std::chrono::milliseconds kBetweenTrials{500};

    const std::chrono::milliseconds patience_;
    std::mutex mutex_;
    int failures_ = 0;
    SteadyTime first_failure_{};
    SteadyTime next_trial_{};
};

}  // namespace gateleg::remote

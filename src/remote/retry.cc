#include "remote/retry.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace gateleg::remote {
namespace {

// X, if `condition` is exactly "attribute_not_exists(X)" with one name or placeholder.
std::optional<std::string_view> only_absent_attribute(std::string_view condition) {
    constexpr std::string_view kFunction = "attribute_not_exists";
    constexpr std::string_view kBlank = " \t\r\n";
    const auto trim = [&](std::string_view text) {
        const auto start = std::min(text.find_first_not_of(kBlank), text.size());
        text.remove_prefix(start);
        return text.substr(0, text.find_last_not_of(kBlank) + 1);
    };
    condition = trim(condition);
    if (!condition.starts_with(kFunction)) {
        return std::nullopt;
    }
    condition = trim(condition.substr(kFunction.size()));
    if (condition.size() < 3 || condition.front() != '(' || condition.back() != ')') {
        return std::nullopt;
    }
    const auto name = trim(condition.substr(1, condition.size() - 2));
    const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '#';
    });
    return plain ? std::optional(name) : std::nullopt;
}

// True if the condition asks that an attribute be absent which the item has once the write is
// made: a second write then finds it there.
bool is_guarded(const dynamo::ItemWrite& write, const value::EncodedItem& sets) {
    auto name = write.condition ? only_absent_attribute(*write.condition) : std::nullopt;
    if (name && name->starts_with('#') && write.placeholders.names) {
        const auto& names = *write.placeholders.names;
        const auto found = std::find_if(names.begin(), names.end(), [&](const auto& entry) {
            return entry.first == *name;
        });
        name = found != names.end() ? std::optional<std::string_view>(found->second) : std::nullopt;
    }
    return name && sets.view().find(*name).has_value();
}

}  // namespace

Repeat repeat_of(const dynamo::PutItemRequest& request) {
    return is_guarded(request.write, request.item) ? Repeat::kGuarded : Repeat::kHarmful;
}

Repeat repeat_of(const dynamo::UpdateItemRequest& request) {
    return is_guarded(request.write, request.key) ? Repeat::kGuarded : Repeat::kHarmful;
}

Outcome outcome_of(const HttpFailure& failure) {
    switch (failure.kind) {
        case HttpFailure::Kind::kStopped:
            return failure.may_have_arrived ? Outcome::kInDoubt : Outcome::kStopped;
        case HttpFailure::Kind::kUntrusted:
            return Outcome::kStopped;
        case HttpFailure::Kind::kBusy:
        case HttpFailure::Kind::kUnreachable:
            return Outcome::kNotDone;
        case HttpFailure::Kind::kTimedOut:
        case HttpFailure::Kind::kLost:
        case HttpFailure::Kind::kTooLarge:
            return failure.may_have_arrived ? Outcome::kInDoubt : Outcome::kNotDone;
    }
    return Outcome::kInDoubt;
}

Outcome outcome_of(const StoreError& error, int status) {
    switch (error.error.code) {
        case ErrorCode::kThrottling:
        case ErrorCode::kServiceUnavailable:
            return Outcome::kNotDone;
        case ErrorCode::kTransactionInProgress:
            return Outcome::kInDoubt;
        case ErrorCode::kInternal:
            return Outcome::kInDoubt;
        default:
            return status >= 500 ? Outcome::kInDoubt : Outcome::kAnswered;
    }
}

bool may_try_again(Outcome outcome, Repeat repeat) {
    switch (outcome) {
        case Outcome::kAnswered:
        case Outcome::kStopped:
            return false;
        case Outcome::kNotDone:
            return true;
        case Outcome::kInDoubt:
            return repeat != Repeat::kHarmful;
    }
    return false;
}

std::chrono::milliseconds backoff(int attempt, double random) {
    constexpr double kBaseMillis = 50;
    constexpr double kMaxMillis = 2000;
    constexpr int kMaxDoublings = 10;
    const auto bound = std::min(
        kMaxMillis, kBaseMillis * static_cast<double>(1 << std::min(attempt, kMaxDoublings))
    );
    return std::chrono::milliseconds(static_cast<std::int64_t>(bound * random));
}

double random_fraction() {
    thread_local std::minstd_rand generator(std::random_device{}());
    return std::uniform_real_distribution<double>(0, 1)(generator);
}

bool Circuit::allows(SteadyTime now) {
    const std::lock_guard lock(mutex_);
    if (failures_ < kFewestFailures || now - first_failure_ < patience_) {
        return true;
    }
    if (now < next_trial_) {
        return false;
    }
    next_trial_ = now + kBetweenTrials;
    return true;
}

void Circuit::answered() {
    const std::lock_guard lock(mutex_);
    failures_ = 0;
}

void Circuit::unanswered(SteadyTime now) {
    const std::lock_guard lock(mutex_);
    if (failures_ == 0) {
        first_failure_ = now;
    }
    ++failures_;
}

}  // namespace gateleg::remote

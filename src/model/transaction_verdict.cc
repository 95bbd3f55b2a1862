// Why a transaction was refused, in the words of the model.

#include <algorithm>

#include "model/transaction.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Item;

const AttributeValue* find(const Item& item, std::string_view name) {
    const auto found = item.find(name);
    return found != item.end() && !is_null(found->second) ? &found->second : nullptr;
}

}  // namespace

std::string error_sentence(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const bool upper = c >= 'A' && c <= 'Z';
        if (upper && !out.empty()) {
            out += ' ';
            out += static_cast<char>(c - 'A' + 'a');
        } else {
            out += c;
        }
    }
    return out.empty() ? out : out + ".";
}

CallError Transaction::outcome_error(const std::string& name, const std::string& entity) const {
    auto message = error_sentence(name);
    if (name == entity + "NotFound") {
        message = "There is no such " + entity + ".";
    } else if (name == entity + "AlreadyExists") {
        message = "The " + entity + " exists already.";
    } else if (name == "VersionMismatch") {
        message = "The " + entity + " has changed in the meantime.";
    }
    return {outcome_status(model_, name), name, std::move(message)};
}

// The outcome of the first condition of a step that does not hold on the item.
std::optional<Outcome> Transaction::find_failure(
    const StepRun& run, const Entity& entity, const std::optional<Item>& item
) const {
    const auto error = [](std::string name) {
        return Outcome{Outcome::Kind::kError, std::move(name)};
    };
    if (run.has_default_condition()) {
        const bool puts = run.step->verb == Verb::kPut;
        if (puts && item) {
            return error(entity.name + "AlreadyExists");
        }
        if (!puts && !item) {
            return error(entity.name + "NotFound");
        }
    }
    Environment environment = run.environment;
    environment.item = item ? &*item : nullptr;
    for (const auto& rule : run.step->conditions) {
        const auto good = holds(rule.condition, environment);
        if (!good || !*good) {
            return rule.outcome;
        }
    }
    return std::nullopt;
}

std::optional<Verdict> Transaction::find_failure(
    const Target& target, const std::optional<Item>& item
) const {
    for (const auto& run : target.steps) {
        if (auto outcome = find_failure(run, *target.entity, item)) {
            Verdict verdict{Verdict::Kind::kOutcome, std::move(*outcome), run.order, run.turn};
            verdict.error = outcome_error(verdict.outcome.error, target.entity->name);
            return verdict;
        }
    }
    if (target.check_version && !target.steps.empty()) {
        const auto* version = item ? find(*item, target.entity->version) : nullptr;
        if (version == nullptr ||
            !(*version == AttributeValue{value::Number::from_int(*version_)})) {
            Verdict verdict{Verdict::Kind::kOutcome};
            verdict.outcome = {Outcome::Kind::kError, "VersionMismatch"};
            verdict.order = target.steps.front().order;
            verdict.error = outcome_error("VersionMismatch", target.entity->name);
            return verdict;
        }
    }
    return std::nullopt;
}

bool Transaction::pins_hold(const Target& target, const std::optional<Item>& item) const {
    if (!target.was_read || (target.pins.empty() && !target.pin_existence)) {
        return true;
    }
    if (!target.before || !item) {
        return !target.before && !item;
    }
    return std::all_of(target.pins.begin(), target.pins.end(), [&](const std::string& name) {
        const auto* seen = find(*target.before, name);
        const auto* now = find(*item, name);
        return seen == nullptr || now == nullptr ? seen == now : *seen == *now;
    });
}

Verdict Transaction::judge(const std::vector<Refusal>& refusals) const {
    std::optional<Verdict> first;
    std::optional<Verdict> row_failure;
    Verdict retry{Verdict::Kind::kRetry};
    bool stale = false;
    for (std::size_t at = 0; at < refusals.size(); ++at) {
        const auto& refusal = refusals[at];
        const auto& origin = origins_[at];
        if (refusal.code == "None") {
            continue;
        }
        if (!refusal.failed_condition()) {
            if (refusal.code == "ValidationError") {
                Verdict verdict{Verdict::Kind::kError};
                verdict.error = to_call_error(validation_error(refusal.message));
                return verdict;
            }
            stale = true;  // conflict, throttling, capacity
            continue;
        }
        if (origin.kind == Origin::Kind::kRecord) {
            return {Verdict::Kind::kReplay};
        }
        if (origin.kind == Origin::Kind::kGuardRelease) {
            Verdict verdict{Verdict::Kind::kLoseRow};
            verdict.row = origin.row->key_bytes;
            row_failure = row_failure ? row_failure : verdict;
            continue;
        }
        if (origin.kind == Origin::Kind::kRow) {
            StepRun run;
            run.step = origin.row->step;
            run.environment = origin.row->environment;
            const auto item = live_attributes(*origin.row->entity, refusal.item);
            auto outcome = find_failure(run, *origin.row->entity, item);
            if (outcome && !row_failure) {
                Verdict verdict{Verdict::Kind::kOutcome, *outcome};
                verdict.error = outcome_error(outcome->error, origin.row->entity->name);
                row_failure = std::move(verdict);
            }
            stale |= !outcome;
            continue;
        }
        const auto& target = targets_[origin.target];
        const auto item = live_attributes(*target.entity, refusal.item);
        if (!pins_hold(target, item)) {
            stale = true;
            continue;
        }
        auto failure = find_failure(target, item);
        if (failure && (!first || failure->order < first->order)) {
            first = std::move(failure);
        } else if (!failure) {
            stale = true;
        }
    }
    // Conditions were computed from what was read: if that has changed, only reading again tells.
    if (stale) {
        return retry;
    }
    return first ? *first : row_failure ? *row_failure : retry;
}

std::optional<Verdict> Transaction::judge_reads() const {
    std::optional<Verdict> first;
    for (const auto& target : targets_) {
        if (!target.was_read) {
            continue;
        }
        auto failure = find_failure(target, target.before);
        if (failure && (!first || failure->order < first->order)) {
            first = std::move(failure);
        }
    }
    for (const auto& run : impossible_) {
        const auto outcome = find_failure(run, *run.entity, std::nullopt);
        if (!first || run.order < first->order) {
            Verdict verdict{Verdict::Kind::kOutcome};
            verdict.outcome =
                outcome ? *outcome : Outcome{Outcome::Kind::kError, run.entity->name + "NotFound"};
            verdict.order = run.order;
            verdict.turn = run.turn;
            verdict.error = outcome_error(verdict.outcome.error, run.entity->name);
            first = std::move(verdict);
        }
    }
    return first;
}

}  // namespace gateleg::model

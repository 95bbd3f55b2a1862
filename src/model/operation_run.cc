#include "model/operation_run.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/ids.h"
#include "model/access.h"
#include "model/idempotency.h"
#include "model/inputs.h"
#include "model/native_run.h"
#include "model/pattern_run.h"
#include "model/transaction.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Item;

// An item as a step or read names it.
struct Named {
    const Entity* entity = nullptr;
    std::optional<Item> key = {};
    Item identity = {};
    std::optional<Item> attributes = {};  // of what a pattern or a read has found
};

// What one attempt came to.
struct Attempt {
    enum class Kind : std::uint8_t { kDone, kAgain, kNextAttempt };
    Kind kind = Kind::kDone;
    OperationReply reply = {};
};

class OperationRun {
public:
    OperationRun(
        Shared& shared,
        const Operation& operation,
        const OperationCall& call,
        const Caller& caller,
        Explained* explained
    )
        : shared_(shared),
          model_(shared.model),
          operation_(operation),
          call_(call),
          caller_(caller),
          database_(shared.model.table, shared.dynamo, explained),
          base_(make_environment(shared.model, caller, shared.clock.now_millis())) {}

    CallResult<OperationReply> run() {
        if (auto denied = find_denial(operation_.allow, caller_)) {
            return *denied;
        }
        if (auto read = read_inputs(operation_, call_, base_, given_); !read) {
            return read.error();
        }
        if (call_.first().idempotency_key) {
            GATELEG_CALL_TRY_ASSIGN_CALL(
                record_,
                IdempotencyRecord::make(model_.table, operation_, call_, caller_, base_.now_millis)
            );
            GATELEG_CALL_TRY_ASSIGN_CALL(auto stored, record_->find(database_));
            if (stored) {
                return *std::move(stored);
            }
        } else if (operation_.idempotency_required) {
            return CallError{
                428, "IdempotencyKeyRequired", "This request needs an Idempotency-Key."};
        }
        return run_attempts();
    }

private:
    using Clock = std::chrono::steady_clock;

    CallResult<OperationReply> run_attempts() {
        const auto deadline =
            Clock::now() + std::chrono::milliseconds(shared_.options.retry_millis);
        LockStripes::Held held;
        for (int round = 0;; ++round) {
            if (round > 0 && Clock::now() >= deadline) {
                return CallError{503, "Unavailable", "Too many writers at once; try again."};
            }
            auto attempt = run_once();
            if (!attempt) {
                return attempt.error();
            }
            if (attempt->kind == Attempt::Kind::kDone) {
                return std::move(attempt->reply);
            }
            if (attempt->kind == Attempt::Kind::kNextAttempt) {
                ++base_.attempt;
                skipped_.clear();
            }
            // Whoever has met somebody waits in line; the old places are given up first, so that
            // nobody waits for one while holding another.
            held = {};
            held = LockStripes::Held(shared_.locks, contended_);
            if (round > 1) {
                std::this_thread::sleep_for(std::chrono::milliseconds(std::min(round, 20)));
            }
        }
    }

    // --- one attempt

    CallResult<Attempt> run_once() {
        environment_ = base_;
        named_.clear();
        kinds_.clear();
        seen_.clear();
        set_ids();
        Transaction transaction(shared_, database_, environment_);
        if (call_.if_match) {
            transaction.require_version(*call_.if_match);
        }
        transaction.lose_rows(lost_rows_);
        if (auto done = run_reads(transaction); !done) {
            return done.error();
        }
        for (const auto& let : operation_.lets) {
            GATELEG_CALL_TRY_ASSIGN(
                environment_.variables[let.name], evaluate(let.value, environment_)
            );
        }
        for (const auto& rule : operation_.require) {
            GATELEG_CALL_TRY_ASSIGN(const auto good, holds(rule.condition, environment_));
            if (!good) {
                GATELEG_CALL_TRY_ASSIGN_CALL(const auto moved, have_reads_changed());
                if (moved) {
                    return settle(Verdict{});
                }
                return settle(Verdict{
                    Verdict::Kind::kOutcome, rule.outcome, 0, 0, {}, named_error(rule.outcome)});
            }
        }
        if (auto planned = plan_steps(transaction); !planned) {
            // Values computed from an item that is not there are often bad: say the former.
            if (auto verdict = transaction.judge_reads()) {
                return settle(std::move(*verdict));
            }
            return planned.error();
        }
        return commit(transaction);
    }

    CallError named_error(const Outcome& outcome) const {
        return {
            outcome_status(model_, outcome.error), outcome.error, error_sentence(outcome.error)};
    }

    CallResult<Attempt> commit(Transaction& transaction) {
        contended_ = transaction.contended_keys();
        Attempt attempt;
        GATELEG_CALL_TRY_ASSIGN_CALL(attempt.reply, make_reply());
        if (record_) {
            transaction.add_record(record_->to_write(attempt.reply));
        }
        GATELEG_CALL_TRY_ASSIGN(const auto refusals, database_.write(transaction.writes()));
        if (refusals.empty()) {
            if (puts_built_in("Outbox")) {
                shared_.outbox_bell.ring();
            }
            if (puts_built_in("Shards")) {
                shared_.shards.forget();
            }
            return attempt;
        }
        return settle(transaction.judge(refusals));
    }

    bool puts_built_in(std::string_view name) const {
        const auto& writes = operation_.writes;
        return std::any_of(writes.begin(), writes.end(), [&](const Step& step) {
            return (step.verb == Verb::kPut || step.verb == Verb::kUpsert) &&
                   !step.target.entities.empty() && step.target.entities.front()->built_in &&
                   step.target.entities.front()->name == name;
        });
    }

    CallResult<Attempt> settle(Verdict verdict) {
        Attempt attempt;
        switch (verdict.kind) {
            case Verdict::Kind::kRetry:
                // What was skipped may have to be done now.
                skipped_.clear();
                attempt.kind = Attempt::Kind::kAgain;
                return attempt;
            case Verdict::Kind::kLoseRow:
                lost_rows_.insert(verdict.row);
                attempt.kind = Attempt::Kind::kAgain;
                return attempt;
            case Verdict::Kind::kReplay: {
                GATELEG_CALL_TRY_ASSIGN_CALL(auto stored, record_->find(database_));
                if (stored) {
                    attempt.reply = *std::move(stored);
                } else {
                    attempt.kind = Attempt::Kind::kAgain;
                }
                return attempt;
            }
            case Verdict::Kind::kError:
                return verdict.error;
            case Verdict::Kind::kOutcome:
                break;
        }
        switch (verdict.outcome.kind) {
            case Outcome::Kind::kError:
                return verdict.error;
            case Outcome::Kind::kUnchanged:
                attempt.reply.changed = false;
                return attempt;
            case Outcome::Kind::kSkip:
                skipped_.insert({verdict.order, verdict.turn});
                attempt.kind = Attempt::Kind::kAgain;
                return attempt;
            case Outcome::Kind::kRetry:
                attempt.kind = Attempt::Kind::kNextAttempt;
                return attempt;
        }
        return attempt;
    }

    // Every attempt makes the same ids in the same order when they come from a key.
    void set_ids() {
        const auto now = base_.now_millis;
        if (record_) {
            const auto ids = std::make_shared<DerivedIds>(
                shared_.key, "id\n" + operation_.name + "\n" + record_->seed()
            );
            environment_.make_ulid = [ids, now] { return ids->next_ulid(now); };
            environment_.make_uuid = [ids] { return ids->next_uuid(); };
            return;
        }
        environment_.make_ulid = shared_.options.make_ulid
                                     ? shared_.options.make_ulid
                                     : [this, now] { return shared_.ulids.next(now); };
        environment_.make_uuid =
            shared_.options.make_uuid ? shared_.options.make_uuid : [] { return random_uuid(); };
    }

    // --- reads

    CallResult<Nothing> run_reads(Transaction& transaction) {
        const auto& uses = shared_.read_uses.at(&operation_);
        for (const auto& read : operation_.reads) {
            GATELEG_CALL_TRY_ASSIGN_CALL(auto named, resolve(read.item, environment_));
            if (named.key) {
                GATELEG_CALL_TRY_ASSIGN(const auto raw, database_.get(*named.key, true));
                if (operation_.reads.size() > 1) {
                    seen_.emplace_back(*named.key, raw);
                }
                const bool there = raw && !is_expired(model_.table, *raw, environment_.now_millis);
                named.attributes = there ? std::optional(to_attributes(model_, *named.entity, *raw))
                                         : std::nullopt;
                const auto use = uses.find(read.name);
                transaction.add_read(
                    *named.entity,
                    *named.key,
                    named.attributes,
                    use != uses.end() && !read.loose ? &use->second : nullptr
                );
            }
            environment_.variables[read.name] =
                named.attributes ? Value(AttributeValue{*named.attributes}) : null_value();
            kinds_[read.name] = named.entity;
            named_[read.name] = std::move(named);
        }
        return Nothing{};
    }

    // Several reads are no snapshot: a refusal must not rest on half of somebody's change. Items
    // that are twice the same were all so at one moment in between.
    CallResult<bool> have_reads_changed() {
        for (const auto& [key, before] : seen_) {
            GATELEG_CALL_TRY_ASSIGN(const auto now, database_.get(key, true));
            if (now != before) {
                return true;
            }
        }
        return false;
    }

    CallResult<Named> resolve(const ItemReference& item, const Environment& environment) {
        switch (item.kind) {
            case ItemReference::Kind::kRead: {
                const auto found = named_.find(item.name);
                if (found == named_.end()) {
                    return CallError{500, "Internal", "A step names no read."};
                }
                return found->second;
            }
            case ItemReference::Kind::kMatch:
                return resolve_match(item, environment);
            case ItemReference::Kind::kPattern:
                return resolve_pattern(item, environment);
            case ItemReference::Kind::kEntity:
                break;
        }
        Named named;
        named.entity = item.entities.front();
        const auto variables = key_variables(*named.entity, model_.table.key);
        FieldErrors errors;
        for (std::size_t at = 0; at < item.arguments.size() && at < variables.size(); ++at) {
            GATELEG_CALL_TRY_ASSIGN(
                const auto value, evaluate(*item.arguments[at].value, environment)
            );
            if (is_null(value)) {
                return named;
            }
            const auto* attribute = named.entity->find_attribute(variables[at]);
            auto stored = to_stored(value, attribute);
            if (attribute != nullptr) {
                auto settled = settle_value(*attribute, std::move(stored), variables[at], errors);
                if (!settled) {
                    return errors.to_error();
                }
                stored = std::move(*settled);
            }
            named.identity[variables[at]] = std::move(stored);
        }
        GATELEG_CALL_TRY_ASSIGN(
            named.key, primary_key(model_, *named.entity, named.identity, environment)
        );
        return named;
    }

    CallResult<Named> resolve_match(const ItemReference& item, const Environment& environment) {
        GATELEG_CALL_TRY_ASSIGN(const auto selector, evaluate(*item.selector, environment));
        if (is_null(selector)) {
            // Chosen by an item that is not there: neither is this one.
            Named nothing;
            nothing.entity = item.entities.front();
            return nothing;
        }
        GATELEG_CALL_TRY_ASSIGN(const auto label, render_value(selector, {}));
        for (const auto& [name, inner] : item.cases) {
            if (label == name) {
                return resolve(inner, environment);
            }
        }
        return CallError{400, "ValidationFailed", "There is no such kind of target."};
    }

    CallResult<Named> resolve_pattern(const ItemReference& item, const Environment& environment) {
        PatternCall call;
        for (const auto& argument : item.arguments) {
            GATELEG_CALL_TRY_ASSIGN(const auto value, evaluate(*argument.value, environment));
            call.arguments[argument.name] = to_stored(value, argument.value->type.attribute);
        }
        Caller internal = caller_;
        internal.internal = true;
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto found, run_get(shared_, database_, *item.pattern, call, internal)
        );
        Named named;
        named.entity = found.entity;
        named.identity = found.item;
        GATELEG_CALL_TRY_ASSIGN(
            named.key, primary_key(model_, *found.entity, found.item, environment)
        );
        return named;
    }

    // --- steps

    CallResult<Nothing> plan_steps(Transaction& transaction) {
        std::vector<StepRun> runs;
        if (auto done = make_puts(runs); !done) {
            return done;
        }
        for (std::size_t order = 0; order < operation_.writes.size(); ++order) {
            const auto& step = operation_.writes[order];
            if (step.verb == Verb::kPut && !step.as.empty()) {
                continue;
            }
            if (auto done = make_runs(step, order, runs); !done) {
                return done;
            }
        }
        std::stable_sort(runs.begin(), runs.end(), [](const StepRun& a, const StepRun& b) {
            return std::pair(a.order, a.turn) < std::pair(b.order, b.turn);
        });
        bool possible = true;
        for (auto& run : runs) {
            possible &= transaction.add_step(std::move(run));
        }
        if (!errors_.empty()) {
            auto error = errors_.to_error();
            errors_ = {};
            return error;
        }
        if (!possible) {
            return CallError{404, "NotFound", "Something this request names is not there."};
        }
        if (auto planned = transaction.plan(); !planned) {
            return planned;
        }
        for (std::size_t order = 0; order < operation_.writes.size(); ++order) {
            const auto& step = operation_.writes[order];
            if (step.as.empty() || step.verb == Verb::kPut) {
                continue;
            }
            const auto* after = transaction.find_after(order);
            environment_.variables[step.as] =
                after != nullptr ? Value(AttributeValue{*after}) : null_value();
        }
        return Nothing{};
    }

    // Items that other steps name by `as` come first, each after those it names itself.
    CallResult<Nothing> make_puts(std::vector<StepRun>& runs) {
        std::vector<std::size_t> waiting;
        for (std::size_t order = 0; order < operation_.writes.size(); ++order) {
            const auto& step = operation_.writes[order];
            if (step.verb == Verb::kPut && !step.as.empty()) {
                waiting.push_back(order);
            }
        }
        while (!waiting.empty()) {
            const auto ready = std::find_if(waiting.begin(), waiting.end(), [&](auto order) {
                const auto names = variables_of(operation_.writes[order]);
                return std::none_of(waiting.begin(), waiting.end(), [&](auto other) {
                    return other != order && names.contains(operation_.writes[other].as);
                });
            });
            const auto next = ready != waiting.end() ? ready : waiting.begin();
            const auto order = *next;
            waiting.erase(next);
            const auto& step = operation_.writes[order];
            // Two inputs may have the name of an `as`: `node` in, `$node` out.
            const auto from = runs.size();
            if (auto done = make_runs(step, order, runs); !done) {
                return done;
            }
            environment_.variables[step.as] =
                runs.size() > from ? Value(AttributeValue{runs.back().identity}) : null_value();
            kinds_[step.as] = step.target.entities.front();
        }
        return Nothing{};
    }

    CallResult<Nothing> make_runs(const Step& step, std::size_t order, std::vector<StepRun>& runs) {
        if (!step.loop) {
            return make_run(step, order, 0, environment_, runs);
        }
        GATELEG_CALL_TRY_ASSIGN(const auto list, evaluate(step.loop->list, environment_));
        const auto stored = to_stored(list, nullptr);
        const auto* turns = std::get_if<value::List>(&stored.data);
        if (turns == nullptr) {
            return Nothing{};
        }
        for (std::size_t turn = 0; turn < turns->size(); ++turn) {
            Environment environment = environment_;
            environment.variables[step.loop->variable] = (*turns)[turn];
            if (auto done = make_run(step, order, turn, environment, runs); !done) {
                return done;
            }
        }
        return Nothing{};
    }

    CallResult<Nothing> make_run(
        const Step& step,
        std::size_t order,
        std::size_t turn,
        const Environment& environment,
        std::vector<StepRun>& runs
    ) {
        if (skipped_.contains({order, turn})) {
            return Nothing{};
        }
        if (step.when) {
            GATELEG_CALL_TRY_ASSIGN(const auto wanted, holds(*step.when, environment));
            if (!wanted) {
                return Nothing{};
            }
        }
        StepRun run;
        run.step = &step;
        run.order = order;
        run.turn = turn;
        run.environment = environment;
        run.given_inputs = &given_;
        if (step.verb == Verb::kPut) {
            run.entity = step.target.entities.front();
            if (auto done = fill_put(run); !done) {
                return done;
            }
        } else {
            GATELEG_CALL_TRY_ASSIGN_CALL(auto named, resolve(step.target, environment));
            run.entity = named.entity;
            run.key = std::move(named.key);
            run.identity = std::move(named.identity);
            if (!step.as.empty()) {
                kinds_[step.as] = run.entity;
            }
        }
        runs.push_back(std::move(run));
        return Nothing{};
    }

    // The identity of a new item is all of it.
    CallResult<Nothing> fill_put(StepRun& run) {
        Changes changes;
        const Item nothing;
        GATELEG_CALL_TRY(add_changes(changes, run, nothing, model_, errors_));
        GATELEG_CALL_TRY_ASSIGN(
            run.identity, new_item(changes, *run.entity, {}, run.environment, errors_)
        );
        if (!errors_.empty()) {
            return Nothing{};
        }
        GATELEG_CALL_TRY_ASSIGN(
            const auto key, primary_key(model_, *run.entity, run.identity, run.environment)
        );
        if (!key) {
            return CallError{
                400, "ValidationFailed", "The key of " + run.entity->name + " lacks a value."};
        }
        run.key = *key;
        return Nothing{};
    }

    // --- the answer

    CallResult<OperationReply> make_reply() {
        OperationReply reply;
        if (!operation_.returns) {
            return reply;
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(reply.body, to_answer(*operation_.returns->root));
        const auto names = variables_of(operation_.returns->root);
        reply.created =
            std::any_of(operation_.writes.begin(), operation_.writes.end(), [&](const Step& step) {
                return step.verb == Verb::kPut && !step.as.empty() && names.contains(step.as);
            });
        return reply;
    }

    CallResult<AttributeValue> to_answer(const Expr& expr) {
        if (const auto* map = std::get_if<MapNode>(&expr.node)) {
            value::Map shown;
            for (const auto& [name, member] : map->members) {
                GATELEG_CALL_TRY_ASSIGN_CALL(shown[name], to_answer(*member));
            }
            return AttributeValue{std::move(shown)};
        }
        GATELEG_CALL_TRY_ASSIGN(const auto value, evaluate(expr, environment_));
        if (expr.type.kind == ValueKind::kItem) {
            return item_answer(expr, value);
        }
        const auto* attribute = expr.type.attribute;
        if (attribute != nullptr && attribute->hidden) {
            return AttributeValue{value::Null{}};
        }
        return value_to_api(attribute, to_stored(value, attribute));
    }

    CallResult<AttributeValue> item_answer(const Expr& expr, const Value& value) {
        const auto stored = to_stored(value, nullptr);
        const auto* item = std::get_if<value::Map>(&stored.data);
        if (item == nullptr) {
            return AttributeValue{value::Null{}};
        }
        const auto* variable = std::get_if<VariableNode>(&expr.node);
        const auto found = variable != nullptr ? kinds_.find(variable->name) : kinds_.end();
        const auto* entity = found != kinds_.end() ? found->second : expr.type.entities.front();
        // Derived attributes are part of the answer, also of an item that is not written yet.
        Item whole = *item;
        GATELEG_CALL_TRY_ASSIGN(const auto raw, to_raw(model_, *entity, *item, environment_));
        for (const auto& [name, one] : raw) {
            if (entity->find_attribute(name) != nullptr) {
                whole[name] = one;
            }
        }
        return show_item(model_, *entity, whole, caller_, environment_);
    }

    Shared& shared_;
    const Model& model_;
    const Operation& operation_;
    const OperationCall& call_;
    const Caller& caller_;
    Database database_;
    Environment base_;
    Names given_;
    std::optional<IdempotencyRecord> record_;

    // Of one attempt.
    Environment environment_;
    std::map<std::string, Named, std::less<>> named_;
    std::map<std::string, const Entity*, std::less<>> kinds_;
    std::vector<std::pair<Item, std::optional<Item>>> seen_;  // keys, and what was there
    FieldErrors errors_;

    // Over all attempts.
    std::set<std::pair<std::size_t, std::size_t>> skipped_;
    std::set<std::string> lost_rows_;
    std::vector<std::string> contended_;
};

}  // namespace

CallResult<OperationReply> run_operation(
    Shared& shared,
    const Operation& operation,
    const OperationCall& call,
    const Caller& caller,
    Explained* explained
) {
    if (operation.native) {
        return run_native(shared, operation, call, caller);
    }
    return OperationRun(shared, operation, call, caller, explained).run();
}

}  // namespace gateleg::model

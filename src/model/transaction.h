// The writes of one operation, from its steps: items merged, rows made to follow, keys recomputed,
// what was read pinned; and the meaning of a refusal.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/call.h"
#include "model/database.h"
#include "model/request_text.h"
#include "model/rows.h"
#include "model/runtime_shared.h"
#include "model/step_values.h"

namespace gateleg::model {

// What became of a transaction that DynamoDB refused.
struct Verdict {
    enum class Kind : std::uint8_t {
        kOutcome,  // a condition of a step or row did not hold
        kRetry,    // what was read has changed, or somebody else was writing
        kReplay,   // the idempotency record is there already
        kLoseRow,  // a guard belongs to another owner: leave its deletion out
        kError,
    };
    Kind kind = Kind::kRetry;
    Outcome outcome = {};
    std::size_t order = 0;  // of the step, for `skip`
    std::size_t turn = 0;
    std::string row = {};
    CallError error = {};
};

// One attempt. One thread at a time.
class Transaction {
public:
    Transaction(Shared& shared, Database& database, const Environment& environment)
        : shared_(shared), model_(shared.model), database_(database), environment_(environment) {}

    // An item read consistently before the steps; `use` is pinned if the transaction writes.
    void add_read(
        const Entity& entity,
        const value::Item& key,
        const std::optional<value::Item>& attributes,
        const ReadUse* use
    );
    // The version that the first versioned item must have.
    void require_version(std::int64_t version) { version_ = version; }
    void lose_rows(const std::set<std::string>& rows) { lost_rows_ = rows; }

    // Adds a step. False: it names an item that cannot exist, for a part of its key is null.
    bool add_step(StepRun run);
    // Computes everything; fails with ValidationFailed when a value breaks a rule.
    CallResult<Nothing> plan();
    // The item of a step with `as`, after the transaction; nothing if there is none.
    const value::Item* find_after(std::size_t order) const;

    const std::vector<Write>& writes() const { return writes_; }
    void add_record(Write write);
    Verdict judge(const std::vector<Refusal>& refusals) const;
    // The first step, in file order, whose conditions fail on an item that was read.
    std::optional<Verdict> judge_reads() const;

    // Keys of items that were read or changed: what a writer waits for.
    std::vector<std::string> contended_keys() const;

private:
    struct Target {
        const Entity* entity = nullptr;
        value::Item key = {};
        value::Item identity = {};
        std::vector<StepRun> steps = {};
        bool was_read = false;
        std::optional<value::Item> before = {};
        Names pins = {};
        bool pin_existence = false;
        bool check_version = false;
        std::optional<value::Item> after = {};
    };
    struct Origin {
        enum class Kind : std::uint8_t { kTarget, kRow, kGuardRelease, kRecord };
        Kind kind = Kind::kTarget;
        std::size_t target = 0;
        std::optional<Row> row = {};
    };

    Target& target_of(const Entity& entity, const value::Item& key);
    CallResult<Nothing> read(Target& target);
    CallResult<Nothing> plan_target(std::size_t at);
    CallResult<Nothing> plan_put(Target& target, Write& write, RequestText& text);
    CallResult<Nothing> plan_change(Target& target, Write& write, RequestText& text);
    CallResult<Nothing> plan_delete(Target& target, Write& write);
    CallResult<bool> needs_read(const Target& target, const Names& touched) const;
    CallResult<Nothing> make_update(
        Target& target, Changes& changes, const Names& touched, RequestText& text
    );
    CallResult<Nothing> add_conditions(Target& target, RequestText& text);
    void add_pins(const Target& target, RequestText& text) const;
    CallResult<Nothing> follow_rows(const Target& target);
    CallResult<Nothing> put_row(const Row& row);
    void change_row(const Row& before, const Row& after);
    void release_row(const Row& row);
    CallResult<Nothing> add_write(Write write, Origin origin);

    std::optional<Verdict> find_failure(
        const Target& target, const std::optional<value::Item>& item
    ) const;
    std::optional<Outcome> find_failure(
        const StepRun& run, const Entity& entity, const std::optional<value::Item>& item
    ) const;
    bool pins_hold(const Target& target, const std::optional<value::Item>& item) const;
    std::optional<value::Item> live_attributes(
        const Entity& entity, const std::optional<value::Item>& raw
    ) const;
    CallError outcome_error(const std::string& name, const std::string& entity) const;

    Shared& shared_;
    const Model& model_;
    Database& database_;
    const Environment& environment_;
    std::optional<std::int64_t> version_;
    std::set<std::string> lost_rows_;
    FieldErrors errors_;

    std::vector<std::string> order_;  // keys of targets as they were first named
    std::map<std::string, std::size_t> places_;
    std::vector<Target> targets_;
    std::vector<StepRun> impossible_;

    std::vector<Write> writes_;
    std::vector<Origin> origins_;
    std::map<std::string, std::size_t> written_;
    std::vector<Row> puts_;  // rows wait until all targets are known
};

// A message for an error that only has a name: "LastAdmin" -> "Last admin."
std::string error_sentence(std::string_view name);

}  // namespace gateleg::model

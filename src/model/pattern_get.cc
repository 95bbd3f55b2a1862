#include "model/pattern_get.h"

#include <algorithm>

#include "model/access.h"
#include "model/pattern_plan.h"
#include "model/pattern_within.h"
#include "model/recognise.h"
#include "model/step_values.h"
#include "model/taken_item.h"

namespace gateleg::model {
namespace {

using value::Item;

// An item that expressions are asked about, for as long as this lives: no copy of the environment.
class AtHand {
public:
    AtHand(Environment& environment, const Item& item) : environment_(environment) {
        environment.item = &item;
    }
    AtHand(const AtHand&) = delete;
    AtHand& operator=(const AtHand&) = delete;
    ~AtHand() { environment_.item = nullptr; }

private:
    Environment& environment_;
};

class GetRun {
public:
    GetRun(
        Shared& shared,
        Database& database,
        const Pattern& pattern,
        const PatternCall& call,
        const Caller& caller
    )
        : model_(shared.model),
          database_(database),
          pattern_(pattern),
          call_(call),
          caller_(caller),
          environment_(make_environment(shared.model, caller, shared.clock.now_millis())) {}

    CallResult<Found> run() {
        if (auto denied = find_denial(pattern_.allow, caller_)) {
            return *denied;
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto values, read_pattern_values(model_, pattern_, call_, environment_)
        );
        const auto& entity = *pattern_.entities.front();
        GATELEG_CALL_TRY_ASSIGN(
            const auto key, primary_key(model_, entity, values.known, environment_)
        );
        if (!key) {
            return pattern_not_found(pattern_);
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(auto found, read(*key, pattern_.entities));
        if (!found) {
            return pattern_.absent_defaults ? defaults(entity, values.known)
                                            : CallResult<Found>(pattern_not_found(pattern_));
        }
        if (pattern_.load && !pattern_.load->arguments.empty()) {
            GATELEG_CALL_TRY_ASSIGN_CALL(found, load(*found));
        }
        if (!found || !is_shown(*found)) {
            return pattern_not_found(pattern_);
        }
        if (pattern_.within) {
            GATELEG_CALL_TRY_ASSIGN_CALL(
                const auto seen,
                see_within(database_, model_, pattern_, {*found}, caller_, environment_)
            );
            if (!seen.front()) {
                return pattern_not_found(pattern_);
            }
        }
        return *std::move(found);
    }

private:
    using MaybeFound = std::optional<Found>;

    CallResult<MaybeFound> read(const Item& key, const std::vector<const Entity*>& wanted) {
        GATELEG_CALL_TRY_ASSIGN(auto raw, database_.get(key, pattern_.consistent));
        if (!raw || is_expired(model_.table, *raw, environment_.now_millis)) {
            return MaybeFound();
        }
        const auto* entity = recognise(model_, *raw);
        if (std::find(wanted.begin(), wanted.end(), entity) == wanted.end()) {
            return MaybeFound();
        }
        return MaybeFound(Found{to_attributes(model_, *entity, *std::move(raw)), entity});
    }

    CallResult<MaybeFound> load(const Found& from) {
        const auto& target = *pattern_.load->entities.front();
        const auto variables = key_variables(target, model_.table.key);
        Environment environment = environment_;
        for (const auto& [name, value] : from.item) {
            environment.variables[name] = from_stored(value, from.entity->find_attribute(name));
        }
        Item identity;
        for (std::size_t at = 0; at < variables.size(); ++at) {
            GATELEG_CALL_TRY_ASSIGN(
                const auto value, evaluate(*pattern_.load->arguments[at].value, environment)
            );
            identity[variables[at]] = to_stored(value, target.find_attribute(variables[at]));
        }
        GATELEG_CALL_TRY_ASSIGN(const auto key, primary_key(model_, target, identity, environment));
        if (!key) {
            return MaybeFound();
        }
        return read(*key, pattern_.load->entities);
    }

    bool is_shown(const Found& found) {
        return is_seen_by(pattern_, found, caller_, environment_) &&
               is_wanted_by(pattern_, environment_, found.item);
    }

    CallResult<Found> defaults(const Entity& entity, const Item& known) const {
        FieldErrors ignored;
        GATELEG_CALL_TRY_ASSIGN(
            auto item, new_item(Changes{}, entity, known, environment_, ignored)
        );
        return Found{std::move(item), &entity};
    }

    const Model& model_;
    Database& database_;
    const Pattern& pattern_;
    const PatternCall& call_;
    const Caller& caller_;
    Environment environment_;
};

}  // namespace

CallResult<Found> run_get_pattern(
    Shared& shared,
    Database& database,
    const Pattern& pattern,
    const PatternCall& call,
    const Caller& caller
) {
    return GetRun(shared, database, pattern, call, caller).run();
}

CallError pattern_not_found(const Pattern& pattern) {
    const auto& name = pattern.returned().front()->name;
    return {404, name + "NotFound", "There is no such " + name + "."};
}

bool is_wanted_by(const Pattern& pattern, Environment& environment, const Item& attributes) {
    if (!pattern.only) {
        return true;
    }
    const AtHand at_hand(environment, attributes);
    const auto wanted = holds(*pattern.only, environment);
    return wanted && *wanted;
}

bool is_seen_by(
    const Pattern& pattern, const Found& found, const Caller& caller, Environment& environment
) {
    const AtHand at_hand(environment, found.item);
    return pattern.unfiltered || is_visible(*found.entity, found.item, caller, environment);
}

}  // namespace gateleg::model

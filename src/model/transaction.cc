#include "model/transaction.h"

#include <algorithm>

namespace gateleg::model {
namespace {

using dynamo::TransactAction;
using value::AttributeValue;
using value::Item;

const AttributeValue* find(const Item& item, std::string_view name) {
    const auto found = item.find(name);
    return found != item.end() && !is_null(found->second) ? &found->second : nullptr;
}

bool meet(const Names& left, const Names& right) {
    return std::any_of(left.begin(), left.end(), [&](const auto& one) {
        return right.contains(one);
    });
}

bool is_word(const Expression& expression, Word word) {
    const auto* node = std::get_if<WordNode>(&expression.root->node);
    return node != nullptr && node->word == word;
}

// The step may make the item it changes.
bool may_create(const Step& step) {
    const auto says_absent = [](const OutcomeRule& rule) {
        bool found = false;
        walk(rule.condition.root, [&](const Expr& expr) {
            const auto* word = std::get_if<WordNode>(&expr.node);
            found |= word != nullptr && word->word == Word::kAbsent;
        });
        return found;
    };
    return step.verb == Verb::kUpsert ||
           (step.verb == Verb::kUpdate &&
            std::any_of(step.conditions.begin(), step.conditions.end(), says_absent));
}

bool same_value(const AttributeValue* left, const AttributeValue* right) {
    return left == nullptr || right == nullptr ? left == right : *left == *right;
}

CallError duplicate_target(const Entity& entity) {
    return {
        422,
        "DuplicateTarget",
        "Two parts of the request want different things of one " + entity.name + "."};
}

}  // namespace

void Transaction::add_read(
    const Entity& entity, const Item& key, const std::optional<Item>& attributes, const ReadUse* use
) {
    auto& target = target_of(entity, key);
    target.was_read = true;
    target.before = attributes;
    if (use != nullptr) {
        target.pins.insert(use->attributes.begin(), use->attributes.end());
        target.pin_existence |= use->existence;
    }
}

bool Transaction::add_step(StepRun run) {
    if (!run.key) {
        if (run.step->verb != Verb::kPut) {
            impossible_.push_back(std::move(run));
        }
        return false;
    }
    auto& target = target_of(*run.entity, *run.key);
    if (run.step->verb == Verb::kPut) {
        // What was read there may have been of another kind: the new item takes its place.
        target.entity = run.entity;
    }
    for (const auto& [name, value] : run.identity) {
        target.identity.try_emplace(name, value);
    }
    target.steps.push_back(std::move(run));
    return true;
}

Transaction::Target& Transaction::target_of(const Entity& entity, const Item& key) {
    auto bytes = value::encode_item(key).bytes();
    const auto [place, is_new] = places_.try_emplace(bytes, targets_.size());
    if (is_new) {
        order_.push_back(std::move(bytes));
        Target target;
        target.entity = &entity;
        target.key = key;
        target.identity = to_attributes(model_, entity, key);
        targets_.push_back(std::move(target));
    }
    return targets_[place->second];
}

CallResult<Nothing> Transaction::read(Target& target) {
    if (!target.was_read) {
        GATELEG_CALL_TRY_ASSIGN(const auto raw, database_.get(target.key, true));
        target.was_read = true;
        target.before = live_attributes(*target.entity, raw);
    }
    return Nothing{};
}

std::optional<Item> Transaction::live_attributes(
    const Entity& entity, const std::optional<Item>& raw
) const {
    if (!raw || raw->empty() || is_expired(model_.table, *raw, environment_.now_millis)) {
        return std::nullopt;
    }
    return to_attributes(model_, entity, *raw);
}

CallResult<Nothing> Transaction::plan() {
    if (version_) {
        // The precondition of a request is about the thing its first step changes.
        const StepRun* first = nullptr;
        for (const auto& target : targets_) {
            for (const auto& run : target.steps) {
                if (!target.entity->version.empty() && run.step->verb != Verb::kPut &&
                    (first == nullptr || run.order < first->order)) {
                    first = &run;
                }
            }
        }
        if (first == nullptr) {
            return validation_failed("If-Match", "does not apply: nothing here has a version");
        }
        targets_[places_[value::encode_item(*first->key).bytes()]].check_version = true;
    }
    for (std::size_t at = 0; at < targets_.size(); ++at) {
        if (auto planned = plan_target(at); !planned) {
            return planned;
        }
    }
    if (!errors_.empty()) {
        return errors_.to_error();
    }
    for (const auto& row : puts_) {
        if (auto put = put_row(row); !put) {
            return put;
        }
    }
    return Nothing{};
}

CallResult<Nothing> Transaction::plan_target(std::size_t at) {
    auto& target = targets_[at];
    bool puts = false;
    bool deletes = false;
    bool changes = false;
    for (const auto& run : target.steps) {
        puts |= run.step->verb == Verb::kPut;
        deletes |= run.step->verb == Verb::kDelete;
        changes |= run.step->verb == Verb::kUpdate || run.step->verb == Verb::kUpsert;
    }
    if (static_cast<int>(puts) + static_cast<int>(deletes) + static_cast<int>(changes) > 1) {
        return duplicate_target(*target.entity);
    }
    Write write;
    write.kind = TransactAction::kConditionCheck;
    write.item = target.key;
    RequestText text(model_.table, environment_.now_millis);
    auto planned = puts      ? plan_put(target, write, text)
                   : changes ? plan_change(target, write, text)
                   : deletes ? plan_delete(target, write)
                             : CallResult<Nothing>(Nothing{});
    if (!planned) {
        return planned;
    }
    if (auto added = add_conditions(target, text); !added) {
        return added;
    }
    std::move(text).finish(write);
    // A read that nobody relies on needs no action.
    if (write.kind == TransactAction::kConditionCheck && write.condition.empty()) {
        return Nothing{};
    }
    if (auto added = add_write(std::move(write), {Origin::Kind::kTarget, at}); !added) {
        return added;
    }
    return puts || changes || deletes ? follow_rows(target) : CallResult<Nothing>(Nothing{});
}

CallResult<Nothing> Transaction::plan_put(Target& target, Write& write, RequestText& /*text*/) {
    const auto& run = target.steps.front();
    if (target.steps.size() > 1 && run.step->verb == target.steps[1].step->verb) {
        return duplicate_target(*target.entity);
    }
    const auto put = std::find_if(target.steps.begin(), target.steps.end(), [](const auto& one) {
        return one.step->verb == Verb::kPut;
    });
    // A put that may replace an item has to take the rows of the old one away.
    const bool may_replace = std::any_of(
        put->step->conditions.begin(),
        put->step->conditions.end(),
        [](const OutcomeRule& rule) { return !is_word(rule.condition, Word::kAbsent); }
    );
    if (may_replace && !target.entity->rows.empty()) {
        if (auto done = read(target); !done) {
            return done;
        }
        target.pin_existence = true;
    }
    target.after = put->identity;
    GATELEG_CALL_TRY_ASSIGN(const auto placed, shared_.shards.place(*target.entity, *target.after));
    GATELEG_CALL_TRY_ASSIGN(write.item, to_raw(model_, *target.entity, placed, environment_));
    write.kind = TransactAction::kPut;
    return Nothing{};
}

CallResult<bool> Transaction::needs_read(const Target& target, const Names& touched) const {
    const auto& dependents = shared_.dependents.at(target.entity);
    if (meet(touched, dependents.rows)) {
        return true;
    }
    Names known;
    for (const auto& [name, value] : target.identity) {
        known.insert(name);
    }
    const auto unknown = [&](const Names& names) {
        return !std::includes(known.begin(), known.end(), names.begin(), names.end());
    };
    for (const auto& run : target.steps) {
        if (may_create(*run.step) || !run.step->as.empty() || unknown(names_used(run))) {
            return true;
        }
        for (const auto& one : run.step->append) {
            const auto* attribute = target.entity->find_attribute(one.attribute);
            if (attribute != nullptr && attribute->max) {
                return true;
            }
        }
    }
    // What is added to or appended is not known before; what is set is.
    for (const auto& run : target.steps) {
        for (const auto& name : touched) {
            known.insert(name);
        }
        for (const auto* assignments : {&run.step->add, &run.step->append}) {
            for (const auto& one : *assignments) {
                known.erase(one.attribute);
            }
        }
    }
    return std::any_of(
        dependents.computed.begin(),
        dependents.computed.end(),
        [&](const Dependents::One& one) { return meet(one.needs, touched) && unknown(one.needs); }
    );
}

CallResult<Nothing> Transaction::plan_change(Target& target, Write& write, RequestText& text) {
    Names touched;
    for (const auto& run : target.steps) {
        GATELEG_CALL_TRY_ASSIGN(auto names, touched_names(run, model_));
        touched.merge(names);
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto reads, needs_read(target, touched));
    if (reads) {
        if (auto done = read(target); !done) {
            return done;
        }
    }
    const bool creates = target.was_read && !target.before;
    const bool may = std::any_of(target.steps.begin(), target.steps.end(), [](const auto& run) {
        return may_create(*run.step);
    });
    if (creates && !may) {
        return Nothing{};  // its conditions will say that it is not there
    }
    // Neither half of an item where there was one, nor a second one over it.
    target.pin_existence |= may;
    const Item& at_hand = target.before ? *target.before : target.identity;
    Changes changes;
    for (const auto& run : target.steps) {
        const auto used = names_used(run);
        target.pins.insert(used.begin(), used.end());
        GATELEG_CALL_TRY_ASSIGN(
            const auto agree, add_changes(changes, run, at_hand, model_, errors_)
        );
        if (!agree) {
            return duplicate_target(*target.entity);
        }
    }
    if (creates) {
        GATELEG_CALL_TRY_ASSIGN(
            target.after, new_item(changes, *target.entity, target.identity, environment_, errors_)
        );
        if (!errors_.empty()) {
            return Nothing{};
        }
        GATELEG_CALL_TRY_ASSIGN(
            const auto placed, shared_.shards.place(*target.entity, *target.after)
        );
        GATELEG_CALL_TRY_ASSIGN(write.item, to_raw(model_, *target.entity, placed, environment_));
        target.pin_existence = true;
        write.kind = TransactAction::kPut;
        return Nothing{};
    }
    const auto& version = target.entity->version;
    if (!version.empty() && changes.edits && !touched.contains(version)) {
        changes.add[version] = value::Number::from_int(1);
    }
    for (const auto& [name, value] : changes.set) {
        const auto* attribute = target.entity->find_attribute(name);
        if (attribute != nullptr && attribute->required && is_null(value)) {
            errors_.invalid(name, "is required");
        }
    }
    write.kind = TransactAction::kUpdate;
    return make_update(target, changes, touched, text);
}

CallResult<Nothing> Transaction::make_update(
    Target& target, Changes& changes, const Names& touched, RequestText& text
) {
    const auto& entity = *target.entity;
    const auto& dependents = shared_.dependents.at(&entity);
    Names needed = meet(touched, dependents.rows) ? dependents.rows : Names();
    Names recomputed;
    for (const auto& one : dependents.computed) {
        if (meet(one.needs, touched)) {
            recomputed.insert(one.attribute);
            needed.insert(one.needs.begin(), one.needs.end());
        }
    }
    const Item& at_hand = target.before ? *target.before : target.identity;
    GATELEG_CALL_TRY_ASSIGN(auto after, changed_item(at_hand, changes, entity, errors_));
    // A counter that a key or a row shows: its new value has to be known, so the old one is pinned.
    for (auto one = changes.add.begin(); one != changes.add.end();) {
        if (needed.contains(one->first)) {
            changes.set[one->first] = after[one->first];
            target.pins.insert(one->first);
            one = changes.add.erase(one);
        } else {
            ++one;
        }
    }
    for (auto one = changes.append.begin(); one != changes.append.end();) {
        if (needed.contains(one->first)) {
            changes.set[one->first] = after[one->first];
            target.pins.insert(one->first);
            one = changes.append.erase(one);
        } else {
            ++one;
        }
    }
    if (target.before) {
        // Old rows follow from old values, also of what is now overwritten.
        for (const auto& name : needed) {
            if (dependents.rows.contains(name) || !touched.contains(name)) {
                target.pins.insert(name);
            }
        }
        target.after = after;
    }
    if (!errors_.empty()) {
        return Nothing{};
    }
    const auto keeps_null = [&](const std::string& name) {
        const auto* attribute = entity.find_attribute(name);
        return attribute == nullptr ? entity.open
                                    : attribute->keep_null && !model_.table.is_key_attribute(name);
    };
    for (const auto& [name, value] : changes.set) {
        const auto* attribute = entity.find_attribute(name);
        if (attribute != nullptr && !attribute->stored) {
            continue;  // exists only in the key, which cannot change
        }
        if (is_null(value) && !keeps_null(name)) {
            text.remove(name);
        } else {
            text.set(name, value);
        }
    }
    if (!recomputed.empty()) {
        GATELEG_CALL_TRY_ASSIGN(const auto placed, shared_.shards.place(entity, after));
        GATELEG_CALL_TRY_ASSIGN(
            const auto computed, dependent_attributes(model_, entity, placed, environment_)
        );
        for (const auto& name : recomputed) {
            const auto* value = find(computed, name);
            if (value != nullptr) {
                text.set(name, *value);
            } else {
                text.remove(name);
            }
            // Rows and answers have what is derived as it is now.
            if (target.after && entity.find_attribute(name) != nullptr) {
                if (value != nullptr) {
                    target.after->insert_or_assign(name, *value);
                } else {
                    target.after->erase(name);
                }
            }
        }
    }
    for (const auto& [name, number] : changes.add) {
        text.add(name, number);
    }
    for (const auto& [name, list] : changes.append) {
        text.append(name, list);
    }
    return Nothing{};
}

CallResult<Nothing> Transaction::plan_delete(Target& target, Write& write) {
    if (!target.entity->rows.empty()) {
        if (auto done = read(target); !done) {
            return done;
        }
        const auto& rows = shared_.dependents.at(target.entity).rows;
        if (target.before) {
            target.pins.insert(rows.begin(), rows.end());
        }
        target.pin_existence = true;
    }
    write.kind = TransactAction::kDelete;
    return Nothing{};
}

CallResult<Nothing> Transaction::add_conditions(Target& target, RequestText& text) {
    for (const auto& run : target.steps) {
        if (run.has_default_condition()) {
            text.require(text.existence(run.step->verb != Verb::kPut));
        }
        Environment environment = run.environment;
        environment.item = &target.identity;
        for (const auto& rule : run.step->conditions) {
            const auto* condition = shared_.conditions.find(rule.condition, *target.entity);
            if (condition != nullptr) {
                GATELEG_CALL_TRY_ASSIGN(
                    const auto bound, condition->bind(environment, text.next_placeholder())
                );
                text.require(bound);
                continue;
            }
            // It calculates: decided on what is read, which must then stay as it is.
            if (auto done = read(target); !done) {
                return done;
            }
            environment.item = target.before ? &*target.before : nullptr;
            GATELEG_CALL_TRY_ASSIGN(const auto good, holds(rule.condition, environment));
            BoundCondition known;
            known.constant = good;
            text.require(known);
            target.pins.merge(needs_of(rule.condition.root, *target.entity));
            target.pin_existence = true;
        }
    }
    if (target.check_version) {
        text.require(text.equals(target.entity->version, {value::Number::from_int(*version_)}));
    }
    add_pins(target, text);
    return Nothing{};
}

void Transaction::add_pins(const Target& target, RequestText& text) const {
    if (!target.was_read) {
        return;
    }
    if (!target.before) {
        if (target.pin_existence || !target.pins.empty()) {
            text.require(text.existence(false));
        }
        return;
    }
    bool pinned = false;
    for (const auto& name : target.pins) {
        const auto* attribute = target.entity->find_attribute(name);
        if (attribute != nullptr && (attribute->immutable || !attribute->stored)) {
            continue;
        }
        text.require(text.unchanged(name, find(*target.before, name)));
        pinned |= find(*target.before, name) != nullptr;
    }
    const bool said = std::any_of(target.steps.begin(), target.steps.end(), [](const auto& run) {
        return run.has_default_condition() && run.step->verb != Verb::kPut;
    });
    if (!pinned && !said && (target.pin_existence || !target.pins.empty())) {
        text.require(text.existence(true));
    }
}

CallResult<Nothing> Transaction::follow_rows(const Target& target) {
    const auto& entity = *target.entity;
    if (entity.rows.empty() || !errors_.empty()) {
        return Nothing{};
    }
    // Without a read nothing that rows are made from was touched.
    const bool deletes = target.steps.front().step->verb == Verb::kDelete;
    if (!target.after && !deletes) {
        return Nothing{};
    }
    std::vector<Row> before;
    std::vector<Row> after;
    if (target.before) {
        GATELEG_CALL_TRY_ASSIGN(before, rows_of(model_, entity, *target.before, environment_));
    }
    if (target.after) {
        GATELEG_CALL_TRY_ASSIGN(after, rows_of(model_, entity, *target.after, environment_));
    }
    const auto find_row = [](const std::vector<Row>& rows, const Row& row) {
        return std::find_if(rows.begin(), rows.end(), [&](const Row& other) {
            return other.key_bytes == row.key_bytes;
        });
    };
    for (const auto& row : before) {
        if (find_row(after, row) == after.end()) {
            release_row(row);
        }
    }
    for (const auto& row : after) {
        const auto old = find_row(before, row);
        if (old == before.end()) {
            puts_.push_back(row);
        } else {
            change_row(*old, row);
        }
    }
    return Nothing{};
}

CallResult<Nothing> Transaction::put_row(const Row& row) {
    Write write;
    write.kind = TransactAction::kPut;
    write.item = row.raw;
    RequestText text(model_.table, environment_.now_millis);
    Environment environment = row.environment;
    environment.item = &row.attributes;
    for (const auto& rule : row.step->conditions) {
        const auto* condition = shared_.conditions.find(rule.condition, *row.entity);
        if (condition == nullptr) {
            return CallError{500, "Internal", "A row's condition cannot be tested."};
        }
        GATELEG_CALL_TRY_ASSIGN(
            const auto bound, condition->bind(environment, text.next_placeholder())
        );
        text.require(bound);
    }
    std::move(text).finish(write);
    return add_write(std::move(write), {Origin::Kind::kRow, 0, row});
}

void Transaction::change_row(const Row& before, const Row& after) {
    const auto is_default = [&](const std::string& name) {
        const auto* attribute = after.entity->find_attribute(name);
        return attribute != nullptr && attribute->default_value && !after.given.contains(name);
    };
    bool differs = false;
    RequestText text(model_.table, environment_.now_millis);
    for (const auto& [name, value] : after.raw) {
        if (model_.table.is_primary_key(name)) {
            continue;
        }
        if (is_default(name)) {
            text.set_if_absent(name, value);
            continue;
        }
        text.set(name, value);
        differs |= !same_value(find(before.raw, name), &value);
    }
    for (const auto& [name, value] : before.raw) {
        if (!after.raw.contains(name)) {
            text.remove(name);
            differs = true;
        }
    }
    if (!differs) {
        return;
    }
    Write write;
    write.kind = TransactAction::kUpdate;
    write.item = after.key;
    std::move(text).finish(write);
    static_cast<void>(add_write(std::move(write), {Origin::Kind::kRow, 0, after}));
}

void Transaction::release_row(const Row& row) {
    if (lost_rows_.contains(row.key_bytes)) {
        return;
    }
    Write write;
    write.kind = TransactAction::kDelete;
    write.item = row.key;
    if (row.is_guard()) {
        RequestText text(model_.table, environment_.now_millis);
        std::string mine;
        for (const auto& name : row.given) {
            const auto* attribute = row.entity->find_attribute(name);
            const auto* value = find(row.raw, name);
            if (value != nullptr && (attribute == nullptr || attribute->stored)) {
                mine += (mine.empty() ? "" : " AND ") + text.equals(name, *value);
            }
        }
        if (!mine.empty()) {
            text.require("((" + mine + ") OR " + text.existence(false) + ")");
        }
        std::move(text).finish(write);
    }
    static_cast<void>(add_write(std::move(write), {Origin::Kind::kGuardRelease, 0, row}));
}

CallResult<Nothing> Transaction::add_write(Write write, Origin origin) {
    auto bytes = value::encode_item(key_of(model_.table, write.item)).bytes();
    const auto found = written_.find(bytes);
    if (found != written_.end()) {
        // One owner leaves a row and another takes it.
        if (writes_[found->second].kind == TransactAction::kDelete &&
            write.kind == TransactAction::kPut) {
            write.condition.clear();
            write.names.clear();
            write.values.clear();
            writes_[found->second] = std::move(write);
            origins_[found->second] = std::move(origin);
            return Nothing{};
        }
        return CallError{
            422, "DuplicateTarget", "Two parts of the request want different things of one item."};
    }
    written_[std::move(bytes)] = writes_.size();
    writes_.push_back(std::move(write));
    origins_.push_back(std::move(origin));
    return Nothing{};
}

void Transaction::add_record(Write write) {
    writes_.push_back(std::move(write));
    origins_.push_back({Origin::Kind::kRecord});
}

const Item* Transaction::find_after(std::size_t order) const {
    for (const auto& target : targets_) {
        for (const auto& run : target.steps) {
            if (run.order == order && target.after) {
                return &*target.after;
            }
        }
    }
    return nullptr;
}

std::vector<std::string> Transaction::contended_keys() const {
    std::vector<std::string> keys;
    for (std::size_t at = 0; at < targets_.size(); ++at) {
        const auto& target = targets_[at];
        const bool puts = !target.steps.empty() && target.steps.front().step->verb == Verb::kPut;
        if (!puts) {
            keys.push_back(order_[at]);
        }
    }
    return keys;
}

}  // namespace gateleg::model

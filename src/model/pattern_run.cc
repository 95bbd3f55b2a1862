#include "model/pattern_run.h"

#include <algorithm>
#include <deque>
#include <limits>

#include "model/access.h"
#include "model/cursor.h"
#include "model/item_codec.h"
#include "model/pattern_plan.h"
#include "model/pattern_within.h"
#include "model/step_values.h"
#include "model/taken_item.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Item;

constexpr int kDefaultLimit = 25;
constexpr int kMaxLimit = 100;
constexpr std::int64_t kWholeBudget = 10'000;  // of patterns that read everything
constexpr std::size_t kBatch = 100;

CallError read_error(const Error& error, const Pattern& pattern) {
    const bool no_index =
        error.code == ErrorCode::kValidation && error.message.find("index") != std::string::npos;
    if (no_index && pattern.table_index != nullptr && pattern.table_index->optional) {
        return {501, "IndexDisabled", "This list needs an index that is switched off."};
    }
    return to_call_error(error);
}

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

bool is_wanted_by(const Pattern& pattern, Environment& environment, const Item& attributes) {
    if (!pattern.only) {
        return true;
    }
    const AtHand at_hand(environment, attributes);
    const auto wanted = holds(*pattern.only, environment);
    return wanted && *wanted;
}

bool is_seen(
    const Pattern& pattern, const Found& found, const Caller& caller, Environment& environment
) {
    const AtHand at_hand(environment, found.item);
    return pattern.unfiltered || is_visible(*found.entity, found.item, caller, environment);
}

// One query, read page by page as its items are wanted.
class Stream {
public:
    Stream(Database& database, RangeQuery query, std::int64_t page)
        : database_(database), query_(std::move(query)) {
        query_.limit = page;
    }

    void start_after(const Item& key) { query_.start = key; }

    // The next item, or null at the end.
    Result<const Item*> peek(std::int64_t& budget) {
        while (buffer_.empty() && !ended_) {
            GATELEG_TRY_ASSIGN(auto page, database_.query(query_));
            budget -= static_cast<std::int64_t>(page.items.size());
            for (auto& item : page.items) {
                buffer_.push_back(std::move(item));
            }
            ended_ = !page.next;
            query_.start = std::move(page.next);
            if (budget <= 0) {
                break;
            }
        }
        return buffer_.empty() ? nullptr : &buffer_.front();
    }
    Item take() {
        auto item = std::move(buffer_.front());
        buffer_.pop_front();
        return item;
    }
    bool at_end() const { return ended_ && buffer_.empty(); }

private:
    Database& database_;
    RangeQuery query_;
    std::deque<Item> buffer_;
    bool ended_ = false;
};

class QueryRun {
public:
    QueryRun(
        Shared& shared,
        Database& database,
        const Pattern& pattern,
        const PatternCall& call,
        const Caller& caller
    )
        : shared_(shared),
          model_(shared.model),
          database_(database),
          pattern_(pattern),
          call_(call),
          caller_(caller),
          environment_(make_environment(shared.model, caller, shared.clock.now_millis())),
          forward_(pattern.order != Pattern::Order::kDescending) {}

    CallResult<Page> run() {
        if (auto denied = find_denial(pattern_.allow, caller_)) {
            return *denied;
        }
        if (call_.descending && pattern_.order == Pattern::Order::kEither) {
            forward_ = !*call_.descending;
        }
        const int limit = call_.limit.value_or(pattern_.limit.value_or(kDefaultLimit));
        if (limit < 1 || limit > kMaxLimit) {
            return validation_failed("limit", "must be 1 to 100");
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(
            values_, read_pattern_values(model_, pattern_, call_, environment_)
        );
        if (pattern_.within && is_named_by_call(pattern_)) {
            if (auto seen = require_within(
                    database_, model_, pattern_, values_.known, caller_, environment_
                );
                !seen) {
                return seen.error();
            }
        }
        GATELEG_CALL_TRY_ASSIGN(const auto shards, shared_.shards.current());
        GATELEG_CALL_TRY_ASSIGN_CALL(
            plan_,
            plan_query(model_, pattern_, values_, forward_, environment_.now_millis, shards.get())
        );
        const bool whole = pattern_.all_pages || pattern_.count;
        want_ = whole          ? std::numeric_limits<std::size_t>::max() - 1
                : pattern_.one ? 1
                               : static_cast<std::size_t>(limit);
        page_size_ = whole ? 0 : static_cast<std::int64_t>(want_) + 1;
        budget_ = whole ? std::max(kWholeBudget, shared_.options.read_budget)
                        : shared_.options.read_budget;
        if (call_.cursor) {
            const auto position = parse_cursor(shared_.key, binding(), *call_.cursor);
            if (!position || !resume(*position)) {
                return CallError{400, "InvalidCursor", "The cursor is not one of this list."};
            }
        }
        return fill();
    }

private:
    // A raw item that was taken from its query.
    struct Taken {
        std::size_t group;
        std::size_t stream;
        Item key;
    };
    struct Candidate {
        Item raw;
        Item key_parts;
        const Entity* entity;
        std::size_t taken;  // the place of its Taken
    };
    struct Shown {
        Found found;
        std::size_t taken;
    };

    std::string binding() const {
        std::string text = pattern_.name + "\n" + (forward_ ? "asc\n" : "desc\n");
        text += (caller_.user ? "user " + *caller_.user : "nobody") + "\n";
        value::Map all = values_.known;
        for (const auto& [name, value] : call_.arguments) {
            all["$" + name] = value;
        }
        return text + value::encode(AttributeValue{std::move(all)});
    }

    // Goes on where a cursor says. There may be more shards than when it was made; the queries of
    // those that were known are found by their partitions.
    bool resume(const CursorPosition& position) {
        if (position.group >= plan_.groups.size()) {
            return false;
        }
        const auto& group = plan_.groups[position.group];
        start_ = position;
        if (position.after.size() != group.size()) {
            const auto& partition = model_.key_of(pattern_).partition.name;
            start_.after.assign(group.size(), std::nullopt);
            for (const auto& after : position.after) {
                if (!after) {
                    continue;
                }
                const auto found =
                    std::find_if(group.begin(), group.end(), [&](const RangeQuery& query) {
                        return query.values.at(std::string(kPartitionValue)) ==
                               after->at(partition);
                    });
                if (found == group.end()) {
                    return false;
                }
                start_.after[static_cast<std::size_t>(found - group.begin())] = *after;
            }
        }
        for (const auto& after : start_.after) {
            if (after && (!last_ || is_earlier(*last_, *after))) {
                last_ = *after;
            }
        }
        return true;
    }

    // Came into a partition that had shown nothing yet, at a place the list has passed. By the sort
    // key only: items that share one lie in any order.
    bool is_late(std::size_t stream, const Item& raw) const {
        if (group_ != start_.group || !last_ || stream >= start_.after.size() ||
            start_.after[stream]) {
            return false;
        }
        const auto order = compare_sort(raw, *last_);
        return forward_ ? order < 0 : order > 0;
    }

    CallResult<Page> fill() {
        open(start_.group);
        // One more than wanted tells whether there is another page.
        const auto enough = pattern_.one ? want_ : want_ + 1;
        bool out_of_budget = false;
        while (shown_.size() < enough && !done_) {
            if (budget_ <= 0) {
                out_of_budget = true;
                break;
            }
            GATELEG_CALL_TRY_ASSIGN_CALL(
                auto candidates, take_some(std::min(enough - shown_.size(), kBatch))
            );
            if (auto added = show(std::move(candidates)); !added) {
                return added.error();
            }
        }
        Page page;
        if (pattern_.count) {
            page.count = static_cast<std::int64_t>(shown_.size());
            page.partial = out_of_budget;
            return page;
        }
        if (shown_.size() > want_ && !pattern_.one) {
            // Of a distinct list the next page begins with the next value.
            page.cursor =
                cursor_after(pattern_.distinct ? shown_[want_].taken : shown_[want_ - 1].taken + 1);
            shown_.resize(want_);
        } else if (out_of_budget) {
            page.partial = true;
            page.cursor = cursor_after(taken_.size());
        }
        if (pattern_.sort && pattern_.all_pages) {
            sort();
        }
        for (auto& one : shown_) {
            page.items.push_back(std::move(one.found.item));
            page.kinds.push_back(one.found.entity);
        }
        return page;
    }

    void open(std::size_t group) {
        group_ = group;
        streams_.clear();
        done_ = group >= plan_.groups.size();
        if (done_) {
            return;
        }
        for (std::size_t at = 0; at < plan_.groups[group].size(); ++at) {
            streams_.emplace_back(database_, plan_.groups[group][at], page_size_);
            if (group == start_.group && at < start_.after.size() && start_.after[at]) {
                streams_.back().start_after(*start_.after[at]);
            }
        }
    }

    // Up to `most` items in the order of the list, those of other entities left out.
    CallResult<std::vector<Candidate>> take_some(std::size_t most) {
        std::vector<Candidate> candidates;
        while (candidates.size() < most && !done_) {
            auto next = find_next();
            if (!next) {
                return read_error(next.error(), pattern_);
            }
            if (*next == streams_.size()) {
                if (budget_ <= 0) {
                    break;
                }
                open(group_ + 1);
                continue;
            }
            auto raw = streams_[*next].take();
            taken_.push_back({group_, *next, position_key(raw)});
            if (is_late(*next, raw)) {
                continue;
            }
            auto [entity, key_parts] = recognise_item(model_, raw);
            const auto& wanted = pattern_.entities;
            if (entity != nullptr &&
                std::find(wanted.begin(), wanted.end(), entity) != wanted.end()) {
                candidates.push_back(
                    {std::move(raw), std::move(key_parts), entity, taken_.size() - 1}
                );
            }
        }
        return candidates;
    }

    // The stream whose next item comes first; the number of streams if there is none.
    Result<std::size_t> find_next() {
        std::size_t best = streams_.size();
        const Item* first = nullptr;
        for (std::size_t at = 0; at < streams_.size(); ++at) {
            GATELEG_TRY_ASSIGN(const Item* item, streams_[at].peek(budget_));
            if (item == nullptr && !streams_[at].at_end()) {
                return streams_.size();  // out of budget: its place in the order is not known
            }
            if (item != nullptr && (first == nullptr || is_earlier(*item, *first))) {
                first = item;
                best = at;
            }
        }
        return best;
    }

    // In the order of the list.
    bool is_earlier(const Item& left, const Item& right) const {
        return forward_ ? comes_before(left, right) : comes_before(right, left);
    }

    static std::strong_ordering compare(
        const std::string& name, const Item& left, const Item& right
    ) {
        const auto a = left.find(name);
        const auto b = right.find(name);
        if (a == left.end() || b == right.end()) {
            return std::strong_ordering::equal;
        }
        return compare_values(a->second, b->second).value_or(std::strong_ordering::equal);
    }

    std::strong_ordering compare_sort(const Item& left, const Item& right) const {
        const auto& key = model_.key_of(pattern_);
        return key.sort ? compare(key.sort->name, left, right) : std::strong_ordering::equal;
    }

    bool comes_before(const Item& left, const Item& right) const {
        if (const auto order = compare_sort(left, right); order != 0) {
            return order < 0;
        }
        const auto& table = model_.table.key;
        if (const auto order = compare(table.partition.name, left, right); order != 0) {
            return order < 0;
        }
        return table.sort && compare(table.sort->name, left, right) < 0;
    }

    Item position_key(const Item& raw) const {
        auto key = key_of(model_.table, raw);
        if (pattern_.table_index != nullptr) {
            const auto& schema = pattern_.table_index->key;
            key[schema.partition.name] = raw.at(schema.partition.name);
            if (schema.sort) {
                key[schema.sort->name] = raw.at(schema.sort->name);
            }
        }
        return key;
    }

    std::string cursor_after(std::size_t count) const {
        auto position = start_;
        for (std::size_t at = 0; at < count; ++at) {
            const auto& taken = taken_[at];
            if (taken.group != position.group) {
                position = {taken.group, {}};
            }
            position.after.resize(plan_.groups[position.group].size());
            position.after[taken.stream] = taken.key;
        }
        position.after.resize(plan_.groups[position.group].size());
        return render_cursor(shared_.key, binding(), position);
    }

    // --- what the caller sees of it

    bool loads_itself() const { return pattern_.load && pattern_.load->arguments.empty(); }

    CallResult<Nothing> show(std::vector<Candidate> candidates) {
        std::vector<std::pair<Item, const Candidate*>> kept;
        for (auto& candidate : candidates) {
            const bool live = !is_expired(model_.table, candidate.raw, environment_.now_millis);
            // Only a load looks at the item itself again.
            auto attributes = to_attributes(
                model_,
                *candidate.entity,
                pattern_.load ? candidate.raw : std::move(candidate.raw),
                std::move(candidate.key_parts)
            );
            if (live && in_range(*candidate.entity, attributes) &&
                (loads_itself() || is_wanted(attributes))) {
                kept.emplace_back(std::move(attributes), &candidate);
            }
        }
        if (pattern_.within && !is_named_by_call(pattern_)) {
            if (auto left = leave_out_unseen(kept); !left) {
                return left;
            }
        }
        if (!pattern_.load) {
            for (auto& [attributes, candidate] : kept) {
                add_shown({std::move(attributes), candidate->entity}, candidate->taken);
            }
            return Nothing{};
        }
        std::vector<Item> keys;
        std::vector<std::optional<std::size_t>> places;  // in `keys`, of each that is kept
        for (const auto& [attributes, candidate] : kept) {
            places.emplace_back();
            if (!is_loaded(*candidate->entity)) {
                continue;
            }
            GATELEG_CALL_TRY_ASSIGN_CALL(
                auto key, loaded_key(candidate->raw, *candidate->entity, attributes)
            );
            if (key) {
                places.back() = keys.size();
                keys.push_back(std::move(*key));
            }
        }
        GATELEG_CALL_TRY_ASSIGN(auto items, database_.get_all(keys, pattern_.consistent));
        for (std::size_t at = 0; at < kept.size(); ++at) {
            auto& [attributes, candidate] = kept[at];
            if (!is_loaded(*candidate->entity)) {
                add_shown({std::move(attributes), candidate->entity}, candidate->taken);
            } else if (places[at] && items[*places[at]]) {
                add_loaded(*std::move(items[*places[at]]), candidate->taken);
            }
        }
        return Nothing{};
    }

    // `load` follows items of the first entity; the others of the list are shown themselves, such
    // as those of an older shape, which have everything in one item.
    bool is_loaded(const Entity& entity) const {
        return loads_itself() || &entity == pattern_.entities.front();
    }

    CallResult<Nothing> leave_out_unseen(std::vector<std::pair<Item, const Candidate*>>& kept) {
        std::vector<Found> results;
        for (const auto& [attributes, candidate] : kept) {
            results.push_back({attributes, candidate->entity});
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto seen, see_within(database_, model_, pattern_, results, caller_, environment_)
        );
        std::vector<std::pair<Item, const Candidate*>> left;
        for (std::size_t at = 0; at < kept.size(); ++at) {
            if (seen[at]) {
                left.push_back(std::move(kept[at]));
            }
        }
        kept = std::move(left);
        return Nothing{};
    }

    void add_loaded(Item raw, std::size_t taken) {
        const auto* entity = recognise(model_, raw);
        const auto& wanted = pattern_.load->entities;
        if (is_expired(model_.table, raw, environment_.now_millis) || entity == nullptr ||
            std::find(wanted.begin(), wanted.end(), entity) == wanted.end()) {
            return;
        }
        auto attributes = to_attributes(model_, *entity, std::move(raw));
        // The index may lag behind the item: what was asked for must still be true.
        if (loads_itself() && (!in_range(*entity, attributes) || !is_wanted(attributes) ||
                               !is_still(*entity, attributes))) {
            return;
        }
        add_shown({std::move(attributes), entity}, taken);
    }

    void add_shown(Found found, std::size_t taken) {
        if (is_seen(pattern_, found, caller_, environment_) && !is_repeated(found.item)) {
            shown_.push_back({std::move(found), taken});
        }
    }

    // The list is sorted by what must differ.
    bool is_repeated(const Item& item) const {
        if (!pattern_.distinct || shown_.empty()) {
            return false;
        }
        const auto& name = pattern_.distinct->name;
        const auto& last = shown_.back().found.item;
        const auto before = last.find(name);
        const auto now = item.find(name);
        return before != last.end() && now != item.end() && before->second == now->second;
    }

    CallResult<std::optional<Item>> loaded_key(
        const Item& raw, const Entity& entity, const Item& attributes
    ) const {
        using Key = std::optional<Item>;
        if (loads_itself()) {
            return Key(key_of(model_.table, raw));
        }
        const auto& target = *pattern_.load->entities.front();
        const auto variables = key_variables(target, model_.table.key);
        Environment environment = environment_;
        for (const auto& [name, value] : attributes) {
            environment.variables[name] = from_stored(value, entity.find_attribute(name));
        }
        Item identity;
        for (std::size_t at = 0; at < variables.size(); ++at) {
            GATELEG_CALL_TRY_ASSIGN(
                const auto value, evaluate(*pattern_.load->arguments[at].value, environment)
            );
            if (is_null(value)) {
                return Key();
            }
            identity[variables[at]] = to_stored(value, target.find_attribute(variables[at]));
        }
        GATELEG_CALL_TRY_ASSIGN(auto key, primary_key(model_, target, identity, environment));
        return key;
    }

    bool in_range(const Entity& entity, const Item& attributes) const {
        if (!pattern_.range || (!values_.from && !values_.to)) {
            return true;
        }
        const auto* attribute = entity.find_attribute(pattern_.range->name);
        const auto found = attributes.find(pattern_.range->name);
        if (attribute == nullptr || found == attributes.end()) {
            return true;  // the index does not show it; its key has been compared
        }
        const auto value = from_stored(found->second, attribute);
        const auto order = [&](const AttributeValue& bound) {
            return compare_values(value, from_stored(bound, attribute))
                .value_or(std::strong_ordering::equal);
        };
        return (!values_.from || order(*values_.from) >= 0) &&
               (!values_.to || order(*values_.to) <= 0);
    }

    bool is_still(const Entity& entity, const Item& attributes) const {
        const auto known = rename_values(model_, pattern_, entity, values_.known);
        return std::all_of(known.begin(), known.end(), [&](const auto& one) {
            const auto found = attributes.find(one.first);
            return found == attributes.end() || found->second == one.second;
        });
    }

    bool is_wanted(const Item& attributes) {
        return is_wanted_by(pattern_, environment_, attributes);
    }

    void sort() {
        const auto& name = pattern_.sort->name;
        const auto value_of = [&](const Shown& one) {
            const auto found = one.found.item.find(name);
            return found != one.found.item.end()
                       ? from_stored(found->second, one.found.entity->find_attribute(name))
                       : null_value();
        };
        std::stable_sort(shown_.begin(), shown_.end(), [&](const Shown& a, const Shown& b) {
            const auto left = value_of(a);
            const auto right = value_of(b);
            if (is_null(left) || is_null(right)) {
                return !is_null(left) && is_null(right);
            }
            const auto order = compare_values(left, right).value_or(std::strong_ordering::equal);
            return forward_ ? order < 0 : order > 0;
        });
    }

    Shared& shared_;
    const Model& model_;
    Database& database_;
    const Pattern& pattern_;
    const PatternCall& call_;
    const Caller& caller_;
    Environment environment_;
    bool forward_;
    PatternValues values_;
    QueryPlan plan_;
    CursorPosition start_;
    std::optional<Item> last_;  // what the list showed last, in the group of start_
    std::size_t want_ = 0;
    std::int64_t page_size_ = 0;
    std::int64_t budget_ = 0;

    std::size_t group_ = 0;
    std::deque<Stream> streams_;
    bool done_ = false;
    std::vector<Taken> taken_;
    std::vector<Shown> shown_;
};

CallError not_found(const Pattern& pattern) {
    const auto& name = pattern.returned().front()->name;
    return {404, name + "NotFound", "There is no such " + name + "."};
}

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
            return not_found(pattern_);
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(auto found, read(*key, pattern_.entities));
        if (!found) {
            return pattern_.absent_defaults ? defaults(entity, values.known)
                                            : CallResult<Found>(not_found(pattern_));
        }
        if (pattern_.load && !pattern_.load->arguments.empty()) {
            GATELEG_CALL_TRY_ASSIGN_CALL(found, load(*found));
        }
        if (!found || !is_shown(*found)) {
            return not_found(pattern_);
        }
        if (pattern_.within) {
            GATELEG_CALL_TRY_ASSIGN_CALL(
                const auto seen,
                see_within(database_, model_, pattern_, {*found}, caller_, environment_)
            );
            if (!seen.front()) {
                return not_found(pattern_);
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
        return is_seen(pattern_, found, caller_, environment_) &&
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

CallResult<Page> run_query(
    Shared& shared,
    Database& database,
    const Pattern& pattern,
    const PatternCall& call,
    const Caller& caller
) {
    if (pattern.get) {
        GATELEG_CALL_TRY_ASSIGN_CALL(
            auto found, GetRun(shared, database, pattern, call, caller).run()
        );
        Page page;
        page.items.push_back(std::move(found.item));
        page.kinds.push_back(found.entity);
        return page;
    }
    return QueryRun(shared, database, pattern, call, caller).run();
}

CallResult<Found> run_get(
    Shared& shared,
    Database& database,
    const Pattern& pattern,
    const PatternCall& call,
    const Caller& caller
) {
    GATELEG_CALL_TRY_ASSIGN_CALL(auto page, run_query(shared, database, pattern, call, caller));
    if (page.items.empty()) {
        return not_found(pattern);
    }
    return Found{std::move(page.items.front()), page.kinds.front()};
}

}  // namespace gateleg::model

#include "model/pattern_run.h"

#include <algorithm>
#include <limits>

#include "model/access.h"
#include "model/cursor.h"
#include "model/item_codec.h"
#include "model/item_form.h"
#include "model/list_reader.h"
#include "model/listing.h"
#include "model/outbox_table.h"
#include "model/pattern_get.h"
#include "model/pattern_plan.h"
#include "model/pattern_within.h"
#include "model/surface.h"
#include "model/taken_item.h"
#include "value/json_tree.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Item;

constexpr int kDefaultLimit = 25;
constexpr int kMaxLimit = 100;
constexpr std::int64_t kWholeBudget = 10'000;  // of patterns that read everything
constexpr std::size_t kBatch = 100;
constexpr std::size_t kExpectedBytes = std::size_t{64} << 10;  // at the most; it grows with a list

CallError read_error(const Error& error, const Pattern& pattern) {
    const bool no_index =
        error.code == ErrorCode::kValidation && error.message.find("index") != std::string::npos;
    if (no_index && pattern.table_index != nullptr && pattern.table_index->optional) {
        return {501, "IndexDisabled", "This list needs an index that is switched off."};
    }
    return to_call_error(error);
}

// Constants are whole trees in some models, and few lists ask for one.
Environment make_list_environment(
    const PatternForm& form, const Model& model, const Caller& caller, std::int64_t now_millis
) {
    static const Model kWithout;
    return make_environment(form.uses_constants() ? model : kWithout, caller, now_millis);
}

// Reads a list and decides what of it the caller sees. What is asked for as JSON stays in the bytes
// that were stored, unless the pattern needs trees.
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
          form_(shared.forms.of(pattern)),
          call_(call),
          caller_(caller),
          environment_(make_list_environment(form_, shared.model, caller, shared.clock.now_millis())
          ),
          now_seconds_(std::to_string(environment_.now_millis / 1000)),
          forward_(pattern.order != Pattern::Order::kDescending),
          memory_(form_.take_memory()) {}
    ~QueryRun() { form_.give_back(std::move(memory_)); }
    QueryRun(const QueryRun&) = delete;
    QueryRun& operator=(const QueryRun&) = delete;

    CallResult<Page> run() {
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto end, read());
        Page page;
        page.count = end.count;
        page.cursor = end.cursor;
        page.partial = end.partial;
        if (!end.count) {
            for (auto& one : shown_) {
                page.items.push_back(std::move(one.found.item));
                page.kinds.push_back(one.found.entity);
            }
        }
        return page;
    }

    CallResult<Listing> run_list() {
        as_bytes_ = form_.shows_bytes();
        GATELEG_CALL_TRY_ASSIGN_CALL(auto listing, read());
        if (as_bytes_) {
            listing.items = std::move(json_);
        } else if (!listing.count) {
            for (auto& one : shown_) {
                listing.items.append(listing.items.empty() ? "" : ",");
                value::append_plain_json(listing.items, to_api(std::move(one.found)));
            }
        }
        return listing;
    }

private:
    // An item of an entity that the list is of.
    struct Candidate {
        RawItem raw;
        const Entity* entity;
    };
    struct Shown {
        Found found = {};  // of a list in bytes it is in json_
        std::size_t place = 0;
    };

    // Everything but the items, which are in shown_.
    CallResult<Listing> read() {
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
            auto plan,
            plan_query(model_, pattern_, values_, forward_, environment_.now_millis, shards.get())
        );
        const bool whole = pattern_.all_pages || pattern_.count;
        want_ = whole          ? std::numeric_limits<std::size_t>::max() - 1
                : pattern_.one ? 1
                               : static_cast<std::size_t>(limit);
        ListReader reader(
            database_,
            form_.marks(),
            *memory_,
            model_.key_of(pattern_).partition.name,
            std::move(plan),
            {.forward = forward_,
             .page_size = whole ? 0 : static_cast<std::int64_t>(want_) + 1,
             .budget = whole ? std::max(kWholeBudget, shared_.options.read_budget)
                             : shared_.options.read_budget}
        );
        if (call_.cursor) {
            const auto position = parse_cursor(shared_.key, binding(), *call_.cursor);
            if (!position || !reader.resume(*position)) {
                return CallError{400, "InvalidCursor", "The cursor is not one of this list."};
            }
        }
        return fill(reader);
    }

    std::string binding() const {
        std::string text = pattern_.name + "\n" + (forward_ ? "asc\n" : "desc\n");
        text += (caller_.user ? "user " + *caller_.user : "nobody") + "\n";
        value::Map all = values_.known;
        for (const auto& [name, value] : call_.arguments) {
            all["$" + name] = value;
        }
        return text + value::encode(AttributeValue{std::move(all)});
    }

    CallResult<Listing> fill(ListReader& reader) {
        // One more than wanted tells whether there is another page.
        const auto enough = pattern_.one ? want_ : want_ + 1;
        bool out_of_budget = false;
        shown_.reserve(std::min(enough, kBatch));
        while (shown_.size() < enough && !reader.is_done()) {
            if (reader.is_out_of_budget()) {
                out_of_budget = true;
                break;
            }
            const auto most = std::min(enough - shown_.size(), kBatch);
            if (auto added = as_bytes_ ? show_bytes(reader, most) : show_trees(reader, most);
                !added) {
                return added.error();
            }
        }
        Listing listing;
        if (pattern_.count) {
            listing.count = static_cast<std::int64_t>(shown_.size());
            listing.partial = out_of_budget;
            return listing;
        }
        std::optional<std::size_t> end;
        if (shown_.size() > want_ && !pattern_.one) {
            // Of a distinct list the next page begins with the next value.
            end = pattern_.distinct ? shown_[want_].place : shown_[want_ - 1].place + 1;
            shown_.resize(want_);
        } else if (out_of_budget) {
            listing.partial = true;
            end = reader.count();
        }
        if (end) {
            listing.cursor = render_cursor(shared_.key, binding(), reader.position_after(*end));
        }
        if (pattern_.sort && pattern_.all_pages) {
            sort();
        }
        return listing;
    }

    // Gives up to `most` items to `take`, in the order of the list, those of other entities left
    // out.
    template <class Take>
    CallResult<Nothing> take_some(ListReader& reader, std::size_t most, const Take& take) {
        for (std::size_t taken = 0; taken < most;) {
            auto next = reader.next();
            if (!next) {
                return read_error(next.error(), pattern_);
            }
            if (!*next) {
                break;
            }
            const auto* entity = shared_.recogniser.find((*next)->item.look(), memory_->recognised);
            const auto& wanted = pattern_.entities;
            if (entity != nullptr &&
                std::find(wanted.begin(), wanted.end(), entity) != wanted.end()) {
                take(**std::move(next), *entity);
                ++taken;
            }
        }
        return Nothing{};
    }

    // --- what the caller sees of it, in bytes

    CallResult<Nothing> show_bytes(ListReader& reader, std::size_t most) {
        std::optional<value::JsonSink> sink;
        return take_some(reader, most, [&](const RawItem& raw, const Entity& entity) {
            const auto& form = *form_.find(entity);
            auto& memory = memory_->forms[&form];
            form.look(memory_->layout, memory);
            if (!is_shown(form, raw.item, memory)) {
                return;
            }
            // The last one only tells that there is another page.
            if (shown_.size() < want_ && !pattern_.count) {
                if (!sink) {
                    const auto each = raw.item.bytes().bytes().size();
                    sink.emplace(json_, std::min((each + each / 4) * most, kExpectedBytes));
                }
                if (!shown_.empty()) {
                    sink->put(',');
                }
                write(*sink, form, raw.item, memory);
            }
            shown_.push_back({.place = raw.place});
        });
    }

    bool is_shown(const ItemForm& form, const StoredItem& item, ItemForm::Memory& memory) {
        if (item.is_expired(now_seconds_)) {
            return false;
        }
        if ((values_.from || values_.to) && !in_range(form.entity(), form.range_value(item))) {
            return false;
        }
        if (form.only() && !form.holds(*form.only(), item, environment_, memory)) {
            return false;
        }
        return caller_.internal || !form.visible() ||
               form.holds(*form.visible(), item, environment_, memory);
    }

    void write(
        value::JsonSink& sink,
        const ItemForm& form,
        const StoredItem& item,
        ItemForm::Memory& memory
    ) {
        const bool limited = form.has_limit() && !caller_.internal &&
                             !(form.full() && form.holds(*form.full(), item, environment_, memory));
        form.write(sink, item, limited, memory);
    }

    // --- what the caller sees of it, as trees

    AttributeValue to_api(Found found) const {
        auto value = show_of_pattern(
            model_, pattern_, *found.entity, std::move(found.item), caller_, environment_.now_millis
        );
        const auto& kinds = pattern_.returned();
        if (kinds.size() > 1) {
            std::get<value::Map>(value.data)
                .insert_or_assign(
                    discriminator(model_), AttributeValue{discriminator_value(*found.entity, kinds)}
                );
        }
        return value;
    }

    bool loads_itself() const { return pattern_.load && pattern_.load->arguments.empty(); }

    CallResult<Nothing> show_trees(ListReader& reader, std::size_t most) {
        std::vector<Candidate> candidates;
        candidates.reserve(most);
        auto taken = take_some(reader, most, [&](RawItem raw, const Entity& entity) {
            candidates.push_back({std::move(raw), &entity});
        });
        if (!taken) {
            return taken;
        }
        std::vector<std::pair<Item, const Candidate*>> kept;
        for (const auto& candidate : candidates) {
            const auto& item = candidate.raw.item;
            if (item.is_expired(now_seconds_)) {
                continue;
            }
            auto attributes =
                to_attributes(model_, *candidate.entity, value::decode_item(item.bytes()));
            if (in_range(*candidate.entity, attributes) &&
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
                add_shown({std::move(attributes), candidate->entity}, candidate->raw.place);
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
                auto key, loaded_key(candidate->raw.item, *candidate->entity, attributes)
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
                add_shown({std::move(attributes), candidate->entity}, candidate->raw.place);
            } else if (places[at] && items[*places[at]]) {
                add_loaded(*std::move(items[*places[at]]), candidate->raw.place);
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

    void add_loaded(Item raw, std::size_t place) {
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
        add_shown({std::move(attributes), entity}, place);
    }

    void add_shown(Found found, std::size_t place) {
        if (is_seen_by(pattern_, found, caller_, environment_) && !is_repeated(found.item)) {
            shown_.push_back({.found = std::move(found), .place = place});
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
        const StoredItem& raw, const Entity& entity, const Item& attributes
    ) const {
        using Key = std::optional<Item>;
        if (loads_itself()) {
            return Key(key_of(model_.table, value::decode_item(raw.bytes())));
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
        const auto found = attributes.find(pattern_.range->name);
        return found == attributes.end() || in_range(entity, std::optional(found->second));
    }

    // Nothing: the index does not show it; its key has been compared.
    bool in_range(const Entity& entity, const std::optional<AttributeValue>& stored) const {
        const auto* attribute =
            pattern_.range ? entity.find_attribute(pattern_.range->name) : nullptr;
        if (attribute == nullptr || !stored) {
            return true;
        }
        const auto value = from_stored(*stored, attribute);
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
    const PatternForm& form_;
    const PatternCall& call_;
    const Caller& caller_;
    Environment environment_;
    std::string now_seconds_;
    bool forward_;
    bool as_bytes_ = false;
    std::unique_ptr<ListMemory> memory_;
    PatternValues values_;
    std::size_t want_ = 0;
    std::vector<Shown> shown_;
    std::string json_;  // of what is shown, with commas between
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
            auto found, run_get_pattern(shared, database, pattern, call, caller)
        );
        Page page;
        page.items.push_back(std::move(found.item));
        page.kinds.push_back(found.entity);
        return page;
    }
    return QueryRun(shared, database, pattern, call, caller).run();
}

CallResult<Listing> list_items(
    const Runtime& runtime,
    const Pattern& pattern,
    const PatternCall& call,
    const Caller& caller,
    Explained* explained
) {
    auto& shared = runtime.outbox().shared();
    Database database(shared.model.table, shared.dynamo, explained);
    return QueryRun(shared, database, pattern, call, caller).run_list();
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
        return pattern_not_found(pattern);
    }
    return Found{std::move(page.items.front()), page.kinds.front()};
}

}  // namespace gateleg::model

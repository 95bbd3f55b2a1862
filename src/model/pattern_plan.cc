#include "model/pattern_plan.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

#include "model/item_codec.h"
#include "model/shards.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Item;

constexpr std::int64_t kDay = 24LL * 60 * 60 * 1000;
constexpr std::int64_t kLongestMonths = 1000;
constexpr std::size_t kMaxQueries = 10'000;

// Part of the sort key of one query.
struct SortRange {
    KeyCondition condition;
    // Of a numeric sort key.
    std::optional<AttributeValue> low;
    std::optional<AttributeValue> high;
};

// The first string behind everything that begins with `prefix`.
std::string behind(std::string prefix) {
    if (!prefix.empty()) {
        prefix.back() = static_cast<char>(prefix.back() + 1);
    }
    return prefix;
}

std::string literal_start(const KeyTemplate& key) {
    if (key.segments().empty()) {
        return {};
    }
    const auto* literal = std::get_if<std::string>(&key.segments().front());
    return literal != nullptr ? *literal : "";
}

CallError range_invalid(std::string message) {
    return {400, "RangeInvalid", "from " + message, "from"};
}

class Planner {
public:
    Planner(
        const Model& model,
        const Pattern& pattern,
        const PatternValues& values,
        bool forward,
        std::int64_t now_millis,
        const ShardBook* shards
    )
        : model_(model),
          pattern_(pattern),
          key_(model.key_of(pattern)),
          values_(values),
          forward_(forward),
          now_millis_(now_millis),
          shards_(shards) {}

    CallResult<QueryPlan> run() {
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto domains, find_domains());
        QueryPlan plan;
        std::size_t queries_planned = 0;
        // Parts of a time come one after the other; values of an enum side by side.
        for (const auto& moment : domains.times) {
            std::vector<std::vector<RangeQuery>> segments;
            const auto choices = with_shards(domains.choices, moment);
            queries_planned += choices.size();
            if (queries_planned > kMaxQueries) {
                return range_invalid("is too far away");
            }
            for (const auto& choice : choices) {
                // Most lists read one place, which is known as it is.
                Item with_choice;
                const auto& known = choice.empty() ? values_.known : with_choice;
                if (!choice.empty()) {
                    with_choice = values_.known;
                    with_choice.insert(choice.begin(), choice.end());
                }
                Item with_moment;
                const auto& partition = moment.empty() ? known : with_moment;
                if (!moment.empty()) {
                    with_moment = known;
                    with_moment.insert(moment.begin(), moment.end());
                }
                GATELEG_CALL_TRY_ASSIGN_CALL(auto queries, plan_partition(partition, known));
                if (segments.size() < queries.size()) {
                    segments.resize(queries.size());
                }
                for (std::size_t at = 0; at < queries.size(); ++at) {
                    segments[at].push_back(std::move(queries[at]));
                }
            }
            if (!forward_) {
                std::reverse(segments.begin(), segments.end());
            }
            std::move(segments.begin(), segments.end(), std::back_inserter(plan.groups));
        }
        return plan;
    }

private:
    struct Domains {
        std::vector<Item> times = {Item()};
        std::vector<Item> choices = {Item()};
    };

    const Entity& first() const { return *pattern_.entities.front(); }

    CallResult<Domains> find_domains() {
        Domains domains;
        for (const auto& merged : pattern_.merge) {
            std::vector<AttributeValue> all;
            const auto* attribute = first().find_attribute(merged.name);
            bool is_moment = false;
            if (merged.name == "shard") {
                continue;  // depends on the time: with_shards()
            }
            if (attribute != nullptr && is_time(attribute->type)) {
                is_moment = true;
                GATELEG_CALL_TRY_ASSIGN_CALL(all, buckets(*attribute));
            } else if (attribute != nullptr && attribute->type == AttributeType::kBoolean) {
                all = {
                    to_stored(boolean_value(false), attribute),
                    to_stored(boolean_value(true), attribute)};
            } else if (attribute != nullptr) {
                for (const auto& one : attribute->values) {
                    all.push_back({one});
                }
            }
            // What the list is sorted by comes one after the other, in the order of the enum.
            is_moment |= pattern_.sort && !pattern_.all_pages && pattern_.sort->name == merged.name;
            auto& target = is_moment ? domains.times : domains.choices;
            std::vector<Item> product;
            for (const auto& one : all) {
                for (auto item : target) {
                    item[merged.name] = one;
                    product.push_back(std::move(item));
                }
            }
            target = std::move(product);
        }
        if (!forward_) {
            std::reverse(domains.times.begin(), domains.times.end());
        }
        return domains;
    }

    static std::optional<std::int64_t> millis_of(
        const std::optional<AttributeValue>& stored, const Attribute& attribute
    ) {
        const auto value = stored ? from_stored(*stored, &attribute) : null_value();
        const auto* time = std::get_if<Time>(&value);
        return time != nullptr ? std::optional(time->millis) : std::nullopt;
    }

    // Each choice with every shard that was in use around that moment. A day is asked for its own
    // shards, another part of a time for those of the months around it.
    std::vector<Item> with_shards(const std::vector<Item>& choices, const Item& moment) const {
        const auto& merge = pattern_.merge;
        const bool merged = std::any_of(merge.begin(), merge.end(), [](const Reference& one) {
            return one.name == "shard";
        });
        if (!merged || !first().shard) {
            return choices;
        }
        const auto* attribute = first().find_attribute(first().shard->at);
        const auto found = moment.find(first().shard->at);
        std::int64_t from = std::numeric_limits<std::int64_t>::min() / 2;
        std::int64_t to = std::numeric_limits<std::int64_t>::max() / 2;
        if (attribute != nullptr && found != moment.end()) {
            const auto at = millis_of(found->second, *attribute).value_or(now_millis_);
            const auto day = at - ((at % kDay) + kDay) % kDay;
            const auto* rule = first().find_key(key_.partition.name);
            const auto* variable = rule->key_template.find_variable(attribute->name);
            const auto* format = std::get_if<DateFormat>(&variable->format);
            const bool by_day = format != nullptr && format->text.find("%d") != std::string::npos;
            from = by_day ? day : day - 31 * kDay;
            to = by_day ? day + kDay - 1 : day + 32 * kDay;
        }
        const auto shards = shards_ != nullptr ? shards_->of(first()).shards_between(from, to)
                                               : std::vector<std::string>(1);
        std::vector<Item> all;
        for (const auto& shard : shards) {
            for (auto choice : choices) {
                choice["shard"] = AttributeValue{shard};
                all.push_back(std::move(choice));
            }
        }
        return all;
    }

    // One moment of each day or month that the range touches.
    CallResult<std::vector<AttributeValue>> buckets(const Attribute& attribute) {
        const auto to = millis_of(values_.to, attribute).value_or(now_millis_);
        auto from = millis_of(values_.from, attribute);
        if (!from && pattern_.max_range) {
            from = to - *pattern_.max_range;
        }
        if (!from) {
            return validation_failed("from", "is required");
        }
        if (pattern_.max_range && to - *from > *pattern_.max_range) {
            return range_invalid("is too far away");
        }
        if (to - *from > kDay * kLongestMonths * 31) {
            return range_invalid("is too far away");
        }
        const auto* rule = first().find_key(key_.partition.name);
        const auto* variable =
            rule != nullptr ? rule->key_template.find_variable(attribute.name) : nullptr;
        const auto* format =
            variable != nullptr ? std::get_if<DateFormat>(&variable->format) : nullptr;
        std::vector<AttributeValue> all;
        if (format == nullptr) {
            return all;
        }
        std::string last;
        const auto add = [&](std::int64_t millis) {
            if (auto text = render_date(millis, format->text); text != last) {
                last = std::move(text);
                all.push_back(to_stored(Value(Time{millis}), &attribute));
            }
        };
        for (auto at = *from; at <= to; at += kDay) {
            add(at);
        }
        add(std::max(*from, to));
        return all;
    }

    // The queries of one partition in ascending order of the sort key.
    CallResult<std::vector<RangeQuery>> plan_partition(const Item& partition, const Item& known) {
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto place, partition_value(partition));
        std::vector<std::pair<SortRange, const Entity*>> ranges;
        if (!key_.sort) {
            return std::vector{make_query(place, {})};
        }
        for (const auto* entity : pattern_.entities) {
            GATELEG_CALL_TRY_ASSIGN_CALL(auto range, sort_range(*entity, known));
            const bool known_already =
                std::any_of(ranges.begin(), ranges.end(), [&](const auto& other) {
                    return covers(other.first, range);
                });
            if (range.condition.form != KeyCondition::Form::kNone && !known_already) {
                std::erase_if(ranges, [&](const auto& other) {
                    return covers(range, other.first);
                });
                ranges.emplace_back(std::move(range), entity);
            }
        }
        std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) {
            return a.first.condition.low < b.first.condition.low;
        });
        std::vector<RangeQuery> queries;
        for (std::size_t at = 0; at < ranges.size();) {
            std::size_t end = at + 1;
            while (end < ranges.size() && are_neighbours(ranges[end - 1].first, ranges[end].first)
            ) {
                ++end;
            }
            queries.push_back(make_query(place, join(ranges, at, end)));
            at = end;
        }
        return queries;
    }

    // Entities that share a stretch of keys are read once.
    static bool covers(const SortRange& wide, const SortRange& narrow) {
        const auto& left = wide.condition;
        const auto& right = narrow.condition;
        const bool bounded = wide.low || wide.high || narrow.low || narrow.high;
        if (left.form == KeyCondition::Form::kAny && !bounded) {
            return true;
        }
        return left.form == right.form && left.low == right.low && left.high == right.high &&
               wide.low == narrow.low && wide.high == narrow.high;
    }

    static SortRange join(
        const std::vector<std::pair<SortRange, const Entity*>>& ranges,
        std::size_t at,
        std::size_t end
    ) {
        auto joined = ranges[at].first;
        if (end > at + 1) {
            const auto& last = ranges[end - 1].first.condition;
            joined.condition.form = KeyCondition::Form::kBetween;
            joined.condition.high =
                last.form == KeyCondition::Form::kEqual ? last.low : behind(last.low);
        }
        return joined;
    }

    // Nothing of an entity that was not asked for lies between the two.
    bool are_neighbours(const SortRange& left, const SortRange& right) const {
        using Form = KeyCondition::Form;
        const auto simple = [](const SortRange& range) {
            return range.condition.form == Form::kEqual ||
                   range.condition.form == Form::kBeginsWith;
        };
        if (!simple(left) || !simple(right)) {
            return false;
        }
        const auto* partition = first().find_key(key_.partition.name);
        return std::none_of(
            model_.entities.begin(),
            model_.entities.end(),
            [&](const Entity& entity) {
                const auto& wanted = pattern_.entities;
                if (std::find(wanted.begin(), wanted.end(), &entity) != wanted.end() ||
                    !entity.in_index(key_)) {
                    return false;
                }
                const auto* other = entity.find_key(key_.partition.name);
                if (!can_meet(partition->key_template, other->key_template)) {
                    return false;
                }
                const auto start = literal_start(entity.find_key(key_.sort->name)->key_template);
                return start.empty() ||
                       (start >= left.condition.low && start <= right.condition.low);
            }
        );
    }

    CallResult<AttributeValue> partition_value(const Item& known) const {
        const auto* rule = first().find_key(key_.partition.name);
        if (rule == nullptr) {
            return CallError{500, "Internal", "The pattern's entity is not in its index."};
        }
        if (rule->plain || key_.partition.type != value::Type::kString) {
            const auto variables = rule->key_template.variables();
            const auto found = known.find(variables.front()->name);
            if (found == known.end() || is_null(found->second)) {
                return validation_failed(variables.front()->name, "is required");
            }
            return found->second;
        }
        GATELEG_CALL_TRY_ASSIGN(auto text, rule->key_template.render(known));
        if (!text) {
            return validation_failed(pattern_.by.empty() ? "" : pattern_.by[0].name, "is required");
        }
        return AttributeValue{std::move(*text)};
    }

    CallResult<SortRange> sort_range(const Entity& entity, const Item& given) const {
        SortRange range;
        const auto* rule = entity.find_key(key_.sort->name);
        if (rule == nullptr) {
            range.condition.form = KeyCondition::Form::kNone;
            return range;
        }
        const bool is_renamed = &entity != &first();
        const auto renamed = is_renamed ? rename_values(model_, pattern_, entity, given) : Item();
        const auto& known = is_renamed ? renamed : given;
        if (key_.sort->type != value::Type::kString) {
            const auto* variable = rule->key_template.variables().front();
            if (const auto found = known.find(variable->name); found != known.end()) {
                range.low = range.high = found->second;
            } else if (pattern_.range && pattern_.range->name == variable->name) {
                range.low = values_.from;
                range.high = values_.to;
            }
            return range;
        }
        if (values_.prefix) {
            GATELEG_CALL_TRY_ASSIGN(
                range.condition, rule->key_template.condition_prefix(known, *values_.prefix)
            );
        } else if (pattern_.range && (values_.from || values_.to)) {
            GATELEG_CALL_TRY_ASSIGN(
                range.condition,
                rule->key_template.condition(
                    known, ValueRange{pattern_.range->name, values_.from, values_.to}
                )
            );
        } else {
            GATELEG_CALL_TRY_ASSIGN(range.condition, rule->key_template.condition(known));
        }
        return range;
    }

    RangeQuery make_query(const AttributeValue& partition, const SortRange& range) const {
        RangeQuery query;
        if (pattern_.table_index != nullptr) {
            query.index = pattern_.table_index->name;
        }
        query.forward = forward_;
        query.consistent = pattern_.consistent && pattern_.table_index == nullptr;
        query.names["#h"] = key_.partition.name;
        query.values[std::string(kPartitionValue)] = partition;
        query.key_condition = "#h = :h";
        if (!key_.sort) {
            return query;
        }
        auto low = range.low;
        auto high = range.high;
        const auto& condition = range.condition;
        std::string text;
        using Form = KeyCondition::Form;
        if (key_.sort->type == value::Type::kString) {
            if (condition.form == Form::kBeginsWith) {
                text = "begins_with(#r, :low)";
                low = AttributeValue{condition.low};
            } else if (condition.form != Form::kAny) {
                const bool equal = condition.form == Form::kEqual;
                if (condition.form != Form::kAtMost) {
                    low = AttributeValue{condition.low};
                }
                if (equal || condition.form == Form::kBetween || condition.form == Form::kAtMost) {
                    high = AttributeValue{equal ? condition.low : condition.high};
                }
            }
        }
        if (text.empty() && (low || high)) {
            text = low && high ? (*low == *high ? "#r = :low" : "#r BETWEEN :low AND :high")
                   : low       ? "#r >= :low"
                               : "#r <= :high";
        }
        if (text.empty()) {
            return query;
        }
        query.key_condition += " AND " + text;
        query.names["#r"] = key_.sort->name;
        if (low) {
            query.values[":low"] = *low;
        }
        if (high && text.find(":high") != std::string::npos) {
            query.values[":high"] = *high;
        }
        return query;
    }

    const Model& model_;
    const Pattern& pattern_;
    const KeySchema& key_;
    const PatternValues& values_;
    bool forward_;
    std::int64_t now_millis_;
    const ShardBook* shards_;
};

}  // namespace

CallResult<PatternValues> read_pattern_values(
    const Model& model,
    const Pattern& pattern,
    const PatternCall& call,
    const Environment& environment
) {
    PatternValues values;
    FieldErrors errors;
    const auto& entity = *pattern.entities.front();
    for (const auto& fixed : pattern.fixed) {
        GATELEG_CALL_TRY_ASSIGN(const auto value, evaluate(fixed.value, environment));
        if (std::holds_alternative<Nobody>(value)) {
            return CallError{401, "Unauthenticated", "Sign in first."};
        }
        values.known[fixed.attribute] = to_stored(value, entity.find_attribute(fixed.attribute));
    }
    std::set<std::string> names;
    if (pattern.get) {
        for (auto& name : key_variables(entity, model.table.key)) {
            if (!values.known.contains(name)) {
                names.insert(std::move(name));
            }
        }
    }
    for (const auto& one : pattern.by) {
        names.insert(one.name);
    }
    const auto read = [&](const std::string& name,
                          const std::string& field) -> std::optional<AttributeValue> {
        const auto given = call.arguments.find(field);
        const auto* attribute = entity.find_attribute(name);
        if (given == call.arguments.end() || is_null(given->second) || attribute == nullptr) {
            return std::nullopt;
        }
        // A value that breaks a rule of length finds nothing; it need not be refused.
        return read_value(*attribute, given->second, Spelling::kText, field, errors);
    };
    std::set<std::string> taken;
    for (const auto& name : names) {
        taken.insert(name);
        if (auto value = read(name, name)) {
            values.known[name] = std::move(*value);
        } else if (!call.arguments.contains(name) || is_null(call.arguments.find(name)->second)) {
            errors.invalid(name, "is required");
        }
    }
    const bool any_given = !call.arguments.empty();
    if (pattern.range && any_given) {
        for (const auto& prefix : {std::string(), pattern.range->name + "."}) {
            if (auto from = read(pattern.range->name, prefix + "from")) {
                values.from = std::move(from);
            }
            if (auto to = read(pattern.range->name, prefix + "to")) {
                values.to = std::move(to);
            }
            taken.insert({prefix + "from", prefix + "to"});
        }
    }
    if (pattern.prefix && any_given) {
        taken.insert(pattern.prefix->name);
        const auto given = call.arguments.find(pattern.prefix->name);
        if (given != call.arguments.end()) {
            if (const auto* text = std::get_if<std::string>(&given->second.data)) {
                values.prefix = *text;
            } else {
                errors.invalid(pattern.prefix->name, "must be a string");
            }
        }
    }
    for (const auto& [name, value] : call.arguments) {
        if (!taken.contains(name)) {
            errors.unknown(name);
        }
    }
    if (!errors.empty()) {
        return errors.to_error();
    }
    if (values.from && values.to) {
        const auto* attribute = entity.find_attribute(pattern.range->name);
        const auto order = compare_values(
            from_stored(*values.from, attribute), from_stored(*values.to, attribute)
        );
        if (order && *order > 0) {
            return range_invalid("is behind to");
        }
    }
    return values;
}

CallResult<QueryPlan> plan_query(
    const Model& model,
    const Pattern& pattern,
    const PatternValues& values,
    bool forward,
    std::int64_t now_millis,
    const ShardBook* shards
) {
    return Planner(model, pattern, values, forward, now_millis, shards).run();
}

Item rename_values(
    const Model& model, const Pattern& pattern, const Entity& entity, const Item& values
) {
    const auto& first = *pattern.entities.front();
    if (&first == &entity) {
        return values;
    }
    const auto& key = model.key_of(pattern).partition.name;
    const auto* from = first.find_key(key);
    const auto* to = entity.find_key(key);
    if (from == nullptr || to == nullptr) {
        return values;
    }
    const auto olds = from->key_template.variables();
    const auto news = to->key_template.variables();
    Item renamed = values;
    for (const auto* old : olds) {
        renamed.erase(old->name);
    }
    for (std::size_t at = 0; at < olds.size() && at < news.size(); ++at) {
        if (const auto found = values.find(olds[at]->name); found != values.end()) {
            renamed[news[at]->name] = found->second;
        }
    }
    return renamed;
}

}  // namespace gateleg::model

#include "model/shards.h"

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "model/database.h"
#include "model/entity_keys.h"
#include "model/evaluate.h"
#include "model/native.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Item;

constexpr std::int64_t kGraceMillis = 60'000;
constexpr std::chrono::seconds kMaxAge{5};

std::string shard_text(std::int64_t shard) {
    return "#" + std::to_string(shard);
}

}  // namespace

ShardSchedule::ShardSchedule(std::vector<Step> steps) : steps_(std::move(steps)) {
    std::stable_sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) {
        return a.from_millis < b.from_millis;
    });
}

std::int64_t ShardSchedule::count_at(std::int64_t millis) const {
    std::int64_t count = 1;
    for (const auto& step : steps_) {
        if (step.from_millis > millis) {
            break;
        }
        count = step.count;
    }
    return count;
}

std::string ShardSchedule::shard_of(std::string_view id, std::int64_t millis) const {
    const auto count = count_at(millis);
    if (count <= 1) {
        return {};
    }
    return shard_text(static_cast<std::int64_t>(hash64(id) % static_cast<std::uint64_t>(count)));
}

std::vector<std::string> ShardSchedule::shards_between(std::int64_t from, std::int64_t to) const {
    std::set<std::int64_t> counts = {count_at(from - kGraceMillis)};
    for (const auto& step : steps_) {
        if (step.from_millis > from - kGraceMillis && step.from_millis <= to) {
            counts.insert(step.count);
        }
    }
    std::vector<std::string> shards;
    if (*counts.begin() <= 1) {
        shards.emplace_back();
    }
    // The shards of a smaller count are among those of a larger one.
    for (std::int64_t shard = 0; *counts.rbegin() > 1 && shard < *counts.rbegin(); ++shard) {
        shards.push_back(shard_text(shard));
    }
    return shards;
}

const ShardSchedule& ShardBook::of(const Entity& entity) const {
    static const ShardSchedule kNone;
    const auto found = schedules_.find(&entity);
    return found == schedules_.end() ? kNone : found->second;
}

std::string ShardBook::shard_of(const Entity& entity, const Item& attributes) const {
    const auto id = attributes.find(entity.shard->by);
    const auto at = attributes.find(entity.shard->at);
    if (id == attributes.end() || at == attributes.end()) {
        return {};
    }
    const auto* text = std::get_if<std::string>(&id->second.data);
    const auto* number = std::get_if<value::Number>(&id->second.data);
    const auto moment = from_stored(at->second, entity.find_attribute(entity.shard->at));
    const auto* time = std::get_if<Time>(&moment);
    if (time == nullptr || (text == nullptr && number == nullptr)) {
        return {};
    }
    return of(entity).shard_of(text != nullptr ? *text : number->to_text(), time->millis);
}

ShardTable::ShardTable(const Model& model, dynamo::Dynamo& dynamo)
    : model_(model), dynamo_(dynamo) {
    for (const auto& entity : model.entities) {
        if (entity.shard) {
            sharded_.push_back(&entity);
        }
    }
}

Result<std::shared_ptr<const ShardBook>> ShardTable::current() {
    using Book = std::shared_ptr<const ShardBook>;
    if (sharded_.empty()) {
        return Book();
    }
    std::uint64_t changes = 0;
    {
        const std::lock_guard lock(mutex_);
        if (book_ && Clock::now() - read_at_ < kMaxAge) {
            return book_;
        }
        changes = changes_;
    }
    std::map<const Entity*, ShardSchedule> schedules;
    for (const auto* entity : sharded_) {
        GATELEG_TRY_ASSIGN(schedules[entity], read(*entity));
    }
    auto book = std::make_shared<const ShardBook>(std::move(schedules));
    const std::lock_guard lock(mutex_);
    // What was read before a change must not outlive it.
    if (changes == changes_) {
        book_ = book;
        read_at_ = Clock::now();
    }
    return Book(std::move(book));
}

Result<Item> ShardTable::place(const Entity& entity, Item attributes) {
    if (entity.shard) {
        GATELEG_TRY_ASSIGN(const auto book, current());
        attributes["shard"] = AttributeValue{book->shard_of(entity, attributes)};
    }
    return attributes;
}

void ShardTable::forget() {
    const std::lock_guard lock(mutex_);
    book_.reset();
    ++changes_;
}

Result<ShardSchedule> ShardTable::read(const Entity& entity) const {
    const auto* shards = model_.find_entity("Shards");
    if (shards == nullptr || !shards->built_in) {
        return ShardSchedule();
    }
    const Item identity = {{"entity", AttributeValue{entity.name}}};
    GATELEG_TRY_ASSIGN(const auto key, primary_key(model_, *shards, identity, Environment{}));
    Database database(model_.table, dynamo_, nullptr);
    GATELEG_TRY_ASSIGN(const auto raw, database.get(*key, true));
    std::vector<ShardSchedule::Step> steps;
    const auto found = raw ? raw->find("steps") : Item::const_iterator{};
    const auto* list =
        raw && found != raw->end() ? std::get_if<value::List>(&found->second.data) : nullptr;
    for (const auto& one : list != nullptr ? *list : value::List()) {
        if (const auto* step = std::get_if<value::Map>(&one.data)) {
            const auto from = integer_of(*step, "from");
            const auto count = integer_of(*step, "count");
            if (from && count) {
                steps.push_back({*from, *count});
            }
        }
    }
    return ShardSchedule(std::move(steps));
}

}  // namespace gateleg::model

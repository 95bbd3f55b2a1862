// What all calls of one Runtime share. Thread-safe.

#pragma once

#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/sha256.h"
#include "dynamo/dynamo.h"
#include "model/condition.h"
#include "model/entity_keys.h"
#include "model/id_source.h"
#include "model/item_form.h"
#include "model/read_uses.h"
#include "model/recognise.h"
#include "model/runtime.h"
#include "model/shards.h"

namespace gateleg::model {

// Writers of one item queue here once they have met, instead of failing each other for seconds.
class LockStripes {
public:
    class Held {
    public:
        Held() = default;
        Held(LockStripes& stripes, const std::vector<std::string>& keys);

    private:
        std::vector<std::unique_lock<std::mutex>> locks_;
    };

private:
    std::array<std::mutex, 256> stripes_;
};

// Conditions are compiled once, on their first use.
class ConditionCache {
public:
    explicit ConditionCache(const Table& table) : table_(table) {}
    // Null if DynamoDB cannot test it: it calculates with attributes.
    const Condition* find(const Expression& expression, const Entity& entity);

private:
    using Key = std::pair<const Expr*, const Entity*>;
    const Table& table_;
    std::shared_mutex mutex_;
    std::map<Key, std::unique_ptr<const Condition>> known_;
};

// Wakes whoever delivers what is in the outbox. Thread-safe.
class OutboxBell {
public:
    void on_ring(std::function<void()> listener);
    void ring();

private:
    std::mutex mutex_;
    std::function<void()> listener_;
};

struct Shared {
    Shared(
        const Model& the_model,
        dynamo::Dynamo& the_dynamo,
        const Clock& the_clock,
        RuntimeOptions the_options
    );

    const Model& model;
    dynamo::Dynamo& dynamo;
    const Clock& clock;
    const RuntimeOptions options;
    const HmacKey key;
    std::map<const Entity*, Dependents> dependents;
    std::map<const Operation*, ReadUses> read_uses;
    ConditionCache conditions;
    const Recogniser recogniser;
    PatternForms forms;
    UlidSource ulids;
    LockStripes locks;
    // Filled before the first call.
    std::map<const Operation*, NativeFunction> natives;
    OutboxBell outbox_bell;
    ShardTable shards;
};

}  // namespace gateleg::model

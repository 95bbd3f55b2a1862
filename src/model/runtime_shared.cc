#include "model/runtime_shared.h"

#include "base/hash.h"

namespace gateleg::model {

LockStripes::Held::Held(LockStripes& stripes, const std::vector<std::string>& keys) {
    // In the order of the stripes, so that no two holders wait for each other.
    std::set<std::size_t> wanted;
    for (const auto& key : keys) {
        wanted.insert(hash64(key) % stripes.stripes_.size());
    }
    for (const auto stripe : wanted) {
        locks_.emplace_back(stripes.stripes_[stripe]);
    }
}

void OutboxBell::on_ring(std::function<void()> listener) {
    const std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
}

void OutboxBell::ring() {
    const std::lock_guard lock(mutex_);
    if (listener_) {
        listener_();
    }
}

const Condition* ConditionCache::find(const Expression& expression, const Entity& entity) {
    const Key key{expression.root.get(), &entity};
    {
        const std::shared_lock lock(mutex_);
        if (const auto found = known_.find(key); found != known_.end()) {
            return found->second.get();
        }
    }
    auto compiled = Condition::compile(expression, entity, table_);
    const std::unique_lock lock(mutex_);
    auto& place = known_[key];
    if (compiled && !place) {
        place = std::make_unique<const Condition>(*compiled);
    }
    return place.get();
}

Shared::Shared(
    const Model& the_model,
    dynamo::Dynamo& the_dynamo,
    const Clock& the_clock,
    RuntimeOptions the_options
)
    : model(the_model),
      dynamo(the_dynamo),
      clock(the_clock),
      options(std::move(the_options)),
      key(options.secret),
      conditions(the_model.table),
      recogniser(the_model),
      forms(the_model),
      shards(the_model, the_dynamo) {
    for (const auto& entity : model.entities) {
        dependents[&entity] = find_dependents(model, entity);
    }
    for (const auto& operation : model.operations) {
        read_uses[&operation] = find_read_uses(operation);
    }
}

}  // namespace gateleg::model

#include "expr/cache.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "expr/parser.h"

namespace gateleg::expr {

Cache::Cache(std::size_t max_entries)
    : max_young_(std::max<std::size_t>(1, max_entries / kShards / 2)) {}

std::size_t Cache::Hash::operator()(const Key& key) const {
    return std::hash<std::string_view>()(key.text) + static_cast<std::size_t>(key.kind);
}

Result<std::shared_ptr<const Tree>> Cache::get(Kind kind, std::string_view text) {
    const Key key{kind, text};
    auto& shard = shards_.at(Hash()(key) % kShards);
    if (auto tree = find(shard, key)) {
        return tree;
    }
    GATELEG_TRY_ASSIGN(auto tree, parse(kind, text));
    const std::lock_guard lock(shard.mutex);
    keep(shard, tree);
    return tree;
}

std::shared_ptr<const Tree> Cache::find(Shard& shard, const Key& key) const {
    const std::lock_guard lock(shard.mutex);
    if (const auto found = shard.young.find(key); found != shard.young.end()) {
        return found->second;
    }
    const auto found = shard.old.find(key);
    if (found == shard.old.end()) {
        return nullptr;
    }
    auto tree = found->second;
    keep(shard, tree);
    return tree;
}

void Cache::keep(Shard& shard, const std::shared_ptr<const Tree>& tree) const {
    if (shard.young.size() >= max_young_) {
        shard.old = std::exchange(shard.young, {});
    }
    shard.young.emplace(Key{tree->kind, tree->text}, tree);
}

}  // namespace gateleg::expr

// Parsed expressions by their text, so that a client's repeated expression is parsed once.

#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "expr/ast.h"

namespace gateleg::expr {

// Thread-safe. Holds at most about `max_entries` trees of texts of up to 4096 bytes each; errors
// are not kept.
class Cache {
public:
    explicit Cache(std::size_t max_entries = 4096);

    // The tree of `text`, parsed now if need be.
    Result<std::shared_ptr<const Tree>> get(Kind kind, std::string_view text);

private:
    // Its text is a view into the tree that the entry holds.
    struct Key {
        Kind kind;
        std::string_view text;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };
    using Trees = std::unordered_map<Key, std::shared_ptr<const Tree>, Hash>;

    // Two generations instead of a list in order of use: what is not asked for while `young` fills
    // up is gone when it is full the next time.
    struct Shard {
        std::mutex mutex;
        Trees young;
        Trees old;
    };

    std::shared_ptr<const Tree> find(Shard& shard, const Key& key) const;
    void keep(Shard& shard, const std::shared_ptr<const Tree>& tree) const;

    static constexpr std::size_t kShards = 16;
    std::size_t max_young_;
    std::array<Shard, kShards> shards_;
};

}  // namespace gateleg::expr

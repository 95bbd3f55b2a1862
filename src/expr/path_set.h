// Document paths of one request that neither overlap nor contradict each other, in order.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expr/resolver.h"

namespace gateleg::expr {

// A step with its name resolved.
struct PathStep {
    std::string_view name;
    std::uint32_t index = 0;
    bool is_index = false;

    bool operator==(const PathStep&) const = default;
};

// Refers to the binding's tree and names. Immutable, move-only: its paths point into itself.
class PathSet {
public:
    struct Member {
        std::span<const PathStep> steps;
        std::size_t position;  // Among the paths the set was made of.
    };

    // Fails naming two paths of which one contains the other, or that use one attribute both as a
    // list and as a map. Names must be defined (check_path).
    static Result<PathSet> make(const Binding& binding, std::span<const PathId> paths);

    PathSet(PathSet&&) = default;
    PathSet& operator=(PathSet&&) = default;
    PathSet(const PathSet&) = delete;
    PathSet& operator=(const PathSet&) = delete;

    // Sorted so that paths with a common beginning are neighbours: names by bytes, as in a map, and
    // indexes by number.
    std::span<const Member> members() const { return members_; }

private:
    PathSet() = default;

    std::vector<PathStep> steps_;
    std::vector<Member> members_;
};

// How many of the `members` from the first on share its step number `depth`.
std::size_t common_step(std::span<const PathSet::Member> members, std::size_t depth);

}  // namespace gateleg::expr

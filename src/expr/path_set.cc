#include "expr/path_set.h"

#include <algorithm>
#include <compare>
#include <string>

#include "expr/errors.h"

namespace gateleg::expr {
namespace {

using Steps = std::span<const PathStep>;

enum class Clash : std::uint8_t { kNone, kOverlap, kConflict };

Clash find_clash(Steps left, Steps right) {
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
        if (left[i].is_index != right[i].is_index) {
            return Clash::kConflict;
        }
        if (!(left[i] == right[i])) {
            return Clash::kNone;
        }
    }
    return Clash::kOverlap;
}

std::strong_ordering order_steps(const PathStep& left, const PathStep& right) {
    if (left.is_index != right.is_index) {
        return left.is_index <=> right.is_index;
    }
    return left.is_index ? left.index <=> right.index : left.name <=> right.name;
}

bool sorts_before(const PathSet::Member& left, const PathSet::Member& right) {
    return std::is_lt(std::lexicographical_compare_three_way(
        left.steps.begin(), left.steps.end(), right.steps.begin(), right.steps.end(), order_steps
    ));
}

Error describe(Clash clash, const Binding& binding, PathId first, PathId second) {
    const auto kind = binding.tree->kind;
    const auto one = render_path(binding, first);
    const auto two = render_path(binding, second);
    return clash == Clash::kOverlap ? overlapping_paths(kind, one, two)
                                    : conflicting_paths(kind, one, two);
}

// DynamoDB names the clash of the path written last; `members` are in the order written.
Result<void> check_clashes(
    const Binding& binding, std::span<const PathId> paths, std::span<const PathSet::Member> members
) {
    for (std::size_t second = members.size(); second-- > 1;) {
        for (std::size_t first = second; first-- > 0;) {
            const auto clash = find_clash(members[first].steps, members[second].steps);
            if (clash != Clash::kNone) {
                return describe(clash, binding, paths[first], paths[second]);
            }
        }
    }
    return {};
}

PathStep resolve(const Binding& binding, const Step& step) {
    if (step.form == Step::Form::kIndex) {
        return {{}, step.number, true};
    }
    return {binding.name_of(step), 0, false};
}

}  // namespace

Result<PathSet> PathSet::make(const Binding& binding, std::span<const PathId> paths) {
    const auto& tree = *binding.tree;
    PathSet set;
    std::size_t count = 0;
    for (const auto path : paths) {
        count += tree.paths[path].count;
    }
    set.steps_.reserve(count);
    set.members_.reserve(paths.size());
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const auto first = set.steps_.size();
        for (const auto& step : tree.steps_of(paths[i])) {
            set.steps_.push_back(resolve(binding, step));
        }
        set.members_.push_back({Steps(set.steps_).subspan(first), i});
    }
    std::sort(set.members_.begin(), set.members_.end(), sorts_before);
    // Sorted, two paths that clash have two neighbours between them that clash.
    const auto neighbours = std::adjacent_find(
        set.members_.begin(),
        set.members_.end(),
        [](const Member& left, const Member& right) {
            return find_clash(left.steps, right.steps) != Clash::kNone;
        }
    );
    if (neighbours != set.members_.end()) {
        std::sort(set.members_.begin(), set.members_.end(), [](const Member& l, const Member& r) {
            return l.position < r.position;
        });
        GATELEG_TRY(check_clashes(binding, paths, set.members_));
    }
    return set;
}

std::size_t common_step(std::span<const PathSet::Member> members, std::size_t depth) {
    std::size_t count = 1;
    while (count < members.size() && members[count].steps[depth] == members[0].steps[depth]) {
        ++count;
    }
    return count;
}

}  // namespace gateleg::expr

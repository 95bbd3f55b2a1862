#include "expr/projection.h"

#include <cstddef>
#include <span>

#include "value/types.h"
#include "value/value_writer.h"

namespace gateleg::expr {
namespace {

using value::Type;
using value::ValueView;
using Members = std::span<const PathSet::Member>;

// One entry or element that is picked, and the paths that go on inside it.
struct Pick {
    std::string_view name;
    ValueView value;
    Members deeper;  // Empty: all of it is picked.
};

bool reaches_anything(ValueView value, Members paths, std::size_t depth);

void pick(
    std::vector<Pick>& picks,
    std::string_view name,
    ValueView value,
    Members paths,
    std::size_t depth
) {
    const bool whole = paths[0].steps.size() == depth + 1;
    if (whole || reaches_anything(value, paths, depth + 1)) {
        picks.push_back({name, value, whole ? Members() : paths});
    }
}

// Names in a map and `paths` are both in order: one walk over both.
std::vector<Pick> pick_entries(ValueView map, Members paths, std::size_t depth) {
    std::vector<Pick> picks;
    for (const auto entry : map.entries()) {
        while (!paths.empty() && paths[0].steps[depth].name < entry.name) {
            paths = paths.subspan(common_step(paths, depth));
        }
        if (paths.empty()) {
            break;
        }
        if (paths[0].steps[depth].name == entry.name) {
            const auto count = common_step(paths, depth);
            pick(picks, entry.name, entry.value, paths.first(count), depth);
            paths = paths.subspan(count);
        }
    }
    return picks;
}

std::vector<Pick> pick_elements(ValueView list, Members paths, std::size_t depth) {
    std::vector<Pick> picks;
    std::size_t index = 0;
    for (const auto element : list.elements()) {
        if (paths.empty()) {
            break;
        }
        if (paths[0].steps[depth].index == index) {
            const auto count = common_step(paths, depth);
            pick(picks, {}, element, paths.first(count), depth);
            paths = paths.subspan(count);
        }
        ++index;
    }
    return picks;
}

// Paths of one set agree on whether they go into a map or a list.
std::vector<Pick> pick_from(ValueView container, Members paths, std::size_t depth) {
    const bool by_index = !paths.empty() && paths[0].steps[depth].is_index;
    if (container.type() != (by_index ? Type::kList : Type::kMap)) {
        return {};
    }
    return by_index ? pick_elements(container, paths, depth)
                    : pick_entries(container, paths, depth);
}

bool reaches_anything(ValueView value, Members paths, std::size_t depth) {
    return !pick_from(value, paths, depth).empty();
}

void write_picked(std::string& out, ValueView container, Members paths, std::size_t depth) {
    const auto picks = pick_from(container, paths, depth);
    value::ValueWriter writer(out);
    const bool is_list = container.type() == Type::kList;
    const auto mark = is_list ? writer.begin_list(picks.size()) : writer.begin_map(picks.size());
    for (const auto& picked : picks) {
        if (!is_list) {
            writer.name(picked.name);
        }
        if (picked.deeper.empty()) {
            writer.copy(picked.value);
        } else {
            write_picked(out, picked.value, picked.deeper, depth + 1);
        }
    }
    writer.end(mark);
}

}  // namespace

Result<Projection> compile_projection(Cache& cache, std::string_view text, Scope& scope) {
    GATELEG_TRY_ASSIGN(auto binding, bind(cache, Kind::kProjection, text, scope));
    for (const auto path : binding.tree->projected) {
        GATELEG_TRY(check_path(binding, path));
    }
    GATELEG_TRY_ASSIGN(auto paths, PathSet::make(binding, binding.tree->projected));
    return Projection(std::move(binding), std::move(paths));
}

void append_projected(std::string& out, const Projection& projection, ValueView item) {
    append_projected(out, projection.paths(), item);
}

void append_projected(std::string& out, const PathSet& paths, ValueView item) {
    write_picked(out, item, paths.members(), 0);
}

std::vector<std::string_view> root_names(const Projection& projection) {
    return root_names(projection.binding());
}

std::vector<std::string_view> nested_root_names(const Projection& projection) {
    return nested_root_names(projection.binding());
}

}  // namespace gateleg::expr

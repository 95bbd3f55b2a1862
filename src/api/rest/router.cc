#include "api/rest/router.h"

#include <algorithm>

namespace gateleg::api::rest {
namespace {

std::string written(const std::set<std::string>& names) {
    std::string text;
    for (const auto& name : names) {
        text += (text.empty() ? "?" : "&") + name;
    }
    return text;
}

}  // namespace

struct Router::Search {
    std::string_view method;
    const std::vector<std::string>& segments;
    const QueryParameters& query;
    std::vector<std::string> variables = {};
    Match match = {};
};

Result<void> Router::add(
    std::string_view method,
    std::string_view path,
    const std::vector<std::string>& selecting,
    std::size_t target
) {
    auto* node = &root_;
    const auto segments = split_path(path);
    if (!segments) {
        return validation_error(std::string(path) + " is not a path");
    }
    for (const auto& segment : *segments) {
        const bool variable = segment.front() == '{' && segment.back() == '}';
        if (!variable && segment.find_first_of("{}") != std::string::npos) {
            return validation_error(
                std::string(path) + ": braces hold a whole segment of a path, '" + segment +
                "' mixes them with text"
            );
        }
        auto& next = variable ? node->variable : node->literals[segment];
        if (!next) {
            next = std::make_unique<Node>();
        }
        node = next.get();
    }
    auto& choices = node->methods[std::string(method)];
    Choice added{{selecting.begin(), selecting.end()}, target};
    for (const auto& choice : choices) {
        if (choice.selecting == added.selecting) {
            return validation_error(
                "two routes are " + std::string(method) + " " + std::string(path) +
                written(added.selecting)
            );
        }
    }
    choices.push_back(std::move(added));
    // The most particular first.
    std::stable_sort(choices.begin(), choices.end(), [](const auto& left, const auto& right) {
        return left.selecting.size() > right.selecting.size();
    });
    return {};
}

Router::Match Router::find(
    std::string_view method, const std::vector<std::string>& segments, const QueryParameters& query
) const {
    Search state{.method = method, .segments = segments, .query = query};
    search(root_, 0, state);
    if (state.match.target) {
        state.match.variables = std::move(state.variables);
    }
    return std::move(state.match);
}

// Depth first, so that the first node with that method is the most literal one.
void Router::search(const Node& node, std::size_t depth, Search& state) {
    if (depth == state.segments.size()) {
        for (const auto& [method, choices] : node.methods) {
            state.match.allowed.insert(method);
        }
        const auto found = node.methods.find(state.method);
        if (found == node.methods.end()) {
            return;
        }
        for (const auto& choice : found->second) {
            const auto& names = choice.selecting;
            if (std::all_of(names.begin(), names.end(), [&](const auto& name) {
                    return state.query.contains(name);
                })) {
                state.match.target = choice.target;
                return;
            }
            state.match.choices.push_back(written(names));
        }
        return;
    }
    const auto& segment = state.segments[depth];
    if (const auto literal = node.literals.find(segment); literal != node.literals.end()) {
        search(*literal->second, depth + 1, state);
    }
    if (!state.match.target && node.variable) {
        state.variables.push_back(segment);
        search(*node.variable, depth + 1, state);
        if (!state.match.target) {
            state.variables.pop_back();
        }
    }
}

}  // namespace gateleg::api::rest

// From method and path to the one endpoint that is meant.
//
// A literal segment wins over a variable one, and among routes of one path the one that more of
// the given query parameters select.

#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/rest/query_string.h"
#include "base/result.h"

namespace gateleg::api::rest {

// Filled at start; after that any thread may search it.
class Router {
public:
    struct Match {
        std::optional<std::size_t> target = {};
        std::vector<std::string> variables = {};  // of the path, in order
        // Without a target: the methods that the path has, none if there is no such path.
        std::set<std::string> allowed = {};
        // The path and method exist, but only with more query parameters: these.
        std::vector<std::string> choices = {};
    };

    // `path` has whole segments in braces: "/v1/stories/{id}". Fails if another route cannot be
    // told from this one.
    Result<void> add(
        std::string_view method,
        std::string_view path,
        const std::vector<std::string>& selecting,
        std::size_t target
    );

    Match find(
        std::string_view method,
        const std::vector<std::string>& segments,
        const QueryParameters& query
    ) const;

private:
    struct Choice {
        std::set<std::string> selecting;
        std::size_t target = 0;
    };
    struct Node {
        std::map<std::string, std::unique_ptr<Node>, std::less<>> literals;
        std::unique_ptr<Node> variable;
        std::map<std::string, std::vector<Choice>, std::less<>> methods;
    };
    struct Search;

    static void search(const Node& node, std::size_t depth, Search& search);

    Node root_;
};

}  // namespace gateleg::api::rest

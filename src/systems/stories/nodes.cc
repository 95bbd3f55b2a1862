// Nodes: where a new one goes, a new order, and deleting one that others lead to.

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <set>

#include "base/hash.h"
#include "systems/stories/story_book.h"

namespace gateleg::systems::stories {
namespace {

using model::Arguments;
using model::CallError;
using model::CallResult;
using model::NativeCall;
using model::Nothing;
using model::number;
using model::OperationReply;
using model::text;

constexpr std::size_t kMovesAtOnce = 90;
constexpr std::chrono::seconds kPatience{5};

// Those who change the order of one story wait for each other instead of starting over.
class OrderLocks {
public:
    std::unique_lock<std::mutex> hold(const std::string& story_id) {
        return std::unique_lock(locks_[std::hash<std::string>()(story_id) % locks_.size()]);
    }

private:
    std::array<std::mutex, 64> locks_;
};

struct Seen {
    std::int64_t moves = 0;
    std::int64_t last_order = 0;
    std::vector<value::Item> nodes;
};

std::string id_of(const value::Item& node) {
    return model::text_of(node, "id");
}
std::int64_t order_of(const value::Item& node) {
    return model::integer_of(node, "nodeOrder").value_or(0);
}

// The story's state first: nodes that move later make the moves differ.
CallResult<Seen> look(const StoryBook& book, const std::string& story_id) {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto story, book.story(story_id));
    Seen seen;
    seen.moves = model::integer_of(story, "moves").value_or(0);
    seen.last_order = model::integer_of(story, "lastOrder").value_or(0);
    GATELEG_CALL_TRY_ASSIGN_CALL(seen.nodes, book.nodes(story_id));
    return seen;
}

struct Move {
    std::string id;
    std::int64_t order = 0;
};

// Every node of `ids`, in that order, behind all orders in use: no two are ever equal.
std::vector<Move> all_behind(const std::vector<std::string>& ids, std::int64_t last) {
    std::vector<Move> moves;
    for (const auto& id : ids) {
        last += kOrderStep;
        moves.push_back({id, last});
    }
    return moves;
}

// The fewest nodes that must move: all but a longest run that is already ascending. Nothing if the
// gaps between those that stay are too small.
std::optional<std::vector<Move>> fewest_moves(const std::vector<value::Item>& wanted) {
    const auto count = wanted.size();
    std::vector<std::size_t> length(count, 1);
    std::vector<std::size_t> before(count, count);
    std::size_t best = 0;
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (order_of(wanted[j]) < order_of(wanted[i]) && length[j] + 1 > length[i]) {
                length[i] = length[j] + 1;
                before[i] = j;
            }
        }
        best = length[i] > length[best] ? i : best;
    }
    std::vector<bool> stays(count, false);
    for (auto at = best; at < count; at = before[at]) {
        stays[at] = true;
    }
    std::vector<Move> moves;
    std::int64_t left = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (stays[i]) {
            left = order_of(wanted[i]);
            continue;
        }
        auto end = i;
        while (end < count && !stays[end]) {
            ++end;
        }
        const auto run = static_cast<std::int64_t>(end - i);
        const auto right = end < count ? order_of(wanted[end]) : left + (run + 1) * kOrderStep;
        const auto step = (right - left) / (run + 1);
        if (step < 1) {
            return std::nullopt;
        }
        for (; i < end; ++i) {
            left += step;
            moves.push_back({id_of(wanted[i]), left});
        }
        --i;
    }
    return moves;
}

CallResult<Nothing> apply_moves(
    const StoryBook& book, const std::string& story_id, const Seen& seen, std::vector<Move> moves
) {
    std::int64_t last = seen.last_order;
    for (const auto& move : moves) {
        last = std::max(last, move.order);
    }
    auto expected = seen.moves;
    for (std::size_t at = 0; at < moves.size(); at += kMovesAtOnce) {
        value::List orders;
        for (auto i = at; i < std::min(moves.size(), at + kMovesAtOnce); ++i) {
            value::Map one;
            one["id"] = text(moves[i].id);
            one["nodeOrder"] = number(moves[i].order);
            orders.push_back({std::move(one)});
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto done,
            book.run(
                "reorder",
                {{"storyId", text(story_id)},
                 {"seen", number(expected)},
                 {"lastOrder", number(last)},
                 {"orders", value::AttributeValue{std::move(orders)}}}
            )
        );
        ++expected;
    }
    return Nothing{};
}

// Calls `attempt` until nobody else has moved nodes meanwhile.
template <class Attempt>
auto until_unmoved(const Attempt& attempt) -> decltype(attempt()) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
        auto result = attempt();
        if (result || result.error().code != "OrderMoved") {
            return result;
        }
        if (std::chrono::steady_clock::now() > deadline) {
            return CallError{503, "Unavailable", "Too many change this story at once; try again."};
        }
    }
}

// The order of a node behind `after` (empty: before all); nothing if there is no room.
CallResult<std::optional<std::int64_t>> place_after(
    const std::vector<value::Item>& nodes, const std::string& after
) {
    std::size_t next = 0;
    std::int64_t left = 0;
    if (!after.empty()) {
        const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const auto& node) {
            return id_of(node) == after;
        });
        if (found == nodes.end()) {
            return CallError{404, "NodeNotFound", "There is no node to put it after.", "after"};
        }
        left = order_of(*found);
        next = static_cast<std::size_t>(found - nodes.begin()) + 1;
    }
    if (next == nodes.size()) {
        return std::optional(left + kOrderStep);
    }
    const auto right = order_of(nodes[next]);
    return right - left < 2 ? std::nullopt : std::optional(left + (right - left) / 2);
}

CallResult<OperationReply> add_placed(
    const StoryBook& book, const NativeCall& call, const std::string& after
) {
    const auto story_id = call.text("storyId");
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto seen, look(book, story_id));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto order, place_after(seen.nodes, after));
    if (!order) {
        std::vector<std::string> ids;
        for (const auto& node : seen.nodes) {
            ids.push_back(id_of(node));
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto moved, apply_moves(book, story_id, seen, all_behind(ids, seen.last_order))
        );
        return CallError{409, "OrderMoved", "There is room now."};
    }
    return book.run(
        "addNode",
        {{"storyId", text(story_id)},
         {"nodeOrder", number(*order)},
         {"seen", number(seen.moves)},
         {"node", *call.find("node")}},
        &call.original
    );
}

CallResult<OperationReply> new_node(
    model::Runtime& runtime, OrderLocks& locks, const NativeCall& call
) {
    GATELEG_CALL_TRY_ASSIGN_CALL(auto replay, runtime.find_replay(call));
    if (replay) {
        return *std::move(replay);
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto fits, check_node_size(*call.find("node")));
    const StoryBook book(runtime, *call.caller.user);
    // Absent means last, null means first.
    if (!call.original.arguments.contains("after")) {
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto story, book.story(call.text("storyId")));
        return book.run(
            "addNode",
            {{"storyId", text(call.text("storyId"))}, {"node", *call.find("node")}},
            &call.original
        );
    }
    const auto lock = locks.hold(call.text("storyId"));
    return until_unmoved([&] { return add_placed(book, call, call.text("after")); });
}

// The nodes in the wanted order, or what is wrong with the list.
CallResult<std::vector<value::Item>> permuted(
    const std::vector<value::Item>& nodes, const std::vector<std::string>& ids
) {
    std::map<std::string, const value::Item*> by_id;
    for (const auto& node : nodes) {
        by_id[id_of(node)] = &node;
    }
    std::vector<value::Item> wanted;
    for (const auto& id : ids) {
        const auto found = by_id.find(id);
        if (found == by_id.end()) {
            return model::validation_failed("nodeIds", "must name every node once: '" + id + "'");
        }
        wanted.push_back(*found->second);
        by_id.erase(found);
    }
    if (!by_id.empty()) {
        return model::validation_failed(
            "nodeIds", "must name every node once: '" + by_id.begin()->first + "' is missing"
        );
    }
    return wanted;
}

CallResult<OperationReply> order_once(
    const StoryBook& book, const NativeCall& call, const std::vector<std::string>& ids
) {
    const auto story_id = call.text("storyId");
    if (call.original.if_match) {
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto story, book.story(story_id));
        if (model::integer_of(story, "version") != call.original.if_match) {
            return CallError{412, "VersionMismatch", "The story has changed; read it again."};
        }
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto seen, look(book, story_id));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto wanted, permuted(seen.nodes, ids));
    auto moves = fewest_moves(wanted);
    if (!moves || moves->size() > kMovesAtOnce) {
        moves = all_behind(ids, seen.last_order);
    }
    if (moves->empty()) {
        return changed_reply(false);
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto done, apply_moves(book, story_id, seen, *std::move(moves))
    );
    return changed_reply(true);
}

CallResult<OperationReply> order_nodes(
    model::Runtime& runtime, OrderLocks& locks, const NativeCall& call
) {
    std::vector<std::string> ids;
    for (const auto& id : std::get<value::List>(call.find("nodeIds")->data)) {
        ids.push_back(std::get<std::string>(id.data));
    }
    const StoryBook book(runtime, *call.caller.user);
    const auto lock = locks.hold(call.text("storyId"));
    return until_unmoved([&] { return order_once(book, call, ids); });
}

bool leads_to(const value::Item& node, const std::string& id) {
    const auto found = node.find("choices");
    const auto* choices =
        found != node.end() ? std::get_if<value::List>(&found->second.data) : nullptr;
    return choices != nullptr &&
           std::any_of(choices->begin(), choices->end(), [&](const auto& one) {
               const auto* choice = std::get_if<value::Map>(&one.data);
               return choice != nullptr && model::text_of(*choice, "target") == id;
           });
}

CallResult<OperationReply> drop_node(model::Runtime& runtime, const NativeCall& call) {
    const StoryBook book(runtime, *call.caller.user);
    const auto story_id = call.text("storyId");
    const auto id = call.text("id");
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto story, book.story(story_id));
    if (!call.flag("force")) {
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto nodes, book.nodes(story_id));
        for (const auto& node : nodes) {
            if (id_of(node) != id && leads_to(node, id)) {
                return CallError{
                    409,
                    "NodeReferenced",
                    "A choice of node " + id_of(node) + " leads to it; force=true deletes it."};
            }
        }
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto gone, book.run("deleteNode", {{"storyId", text(story_id)}, {"id", text(id)}})
    );
    return changed_reply(true);
}

}  // namespace

void install_nodes(model::Runtime& runtime) {
    const auto locks = std::make_shared<OrderLocks>();
    runtime.install("newNode", [&runtime, locks](const NativeCall& call) {
        return new_node(runtime, *locks, call);
    });
    runtime.install("orderNodes", [&runtime, locks](const NativeCall& call) {
        return order_nodes(runtime, *locks, call);
    });
    runtime.install("dropNode", [&runtime](const NativeCall& call) {
        return drop_node(runtime, call);
    });
}

}  // namespace gateleg::systems::stories

#include "systems/gallery/repair.h"

#include <array>
#include <chrono>

#include "model/cursor.h"
#include "systems/gallery/walk.h"

namespace gateleg::systems::gallery {

using model::Arguments;
using model::CallError;
using model::CallResult;
using model::Nothing;
using model::text;
using model::text_of;
using value::AttributeValue;
using value::Item;

namespace {

constexpr int kNotFound = 404;
constexpr int kPage = 50;
constexpr std::chrono::seconds kMostTime{10};

struct Phase {
    std::string_view name;
    std::string_view pattern;
    std::string_view type;  // of interactions
};
// Orphans go first: what is left is counted.
constexpr std::array<Phase, 6> kPhases = {{
    {"edges", "allEdges", ""},
    {"comments", "allComments", ""},
    {"likes", "interactionsByDate", "like"},
    {"bookmarks", "interactionsByDate", "bookmark"},
    {"content", "content", ""},
    {"users", "allUsers", ""},
}};

}  // namespace

Repair::Repair(model::Runtime& runtime, const Services& services)
    : runtime_(runtime), key_(services.secret) {}

CallResult<model::OperationReply> Repair::run(const model::NativeCall& call) {
    constexpr std::string_view kBinding = "gallery repair";
    std::size_t phase = 0;
    std::optional<std::string> list;
    if (call.has("cursor")) {
        const auto position = model::parse_cursor(key_, kBinding, call.text("cursor"));
        if (!position || position->group >= kPhases.size() || position->after.size() != 1) {
            return CallError{400, "InvalidCursor", "The cursor is not one of this work.", "cursor"};
        }
        phase = position->group;
        if (position->after.front()) {
            list = text_of(*position->after.front(), "list");
        }
    }
    Counts counts;
    const auto deadline = std::chrono::steady_clock::now() + kMostTime;
    while (phase < kPhases.size() && std::chrono::steady_clock::now() < deadline) {
        const auto& now = kPhases.at(phase);
        model::PatternCall page_call{.limit = kPage, .cursor = list};
        if (!now.type.empty()) {
            page_call.arguments["interactionType"] = text(std::string(now.type));
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(
            auto page, runtime_.query(now.pattern, page_call, model::internal_caller())
        );
        for (std::size_t at = 0; at < page.items.size(); ++at) {
            ++counts.scanned;
            if (auto done = visit(now.name, page.items[at], *page.kinds[at], counts); !done) {
                return done.error();
            }
        }
        list = std::move(page.cursor);
        phase += list ? 0 : 1;
    }
    value::Map body;
    body["scanned"] = model::number(counts.scanned);
    body["changed"] = model::number(counts.changed);
    body["removed"] = model::number(counts.removed);
    body["done"] = model::boolean(phase == kPhases.size());
    body["cursor"] = AttributeValue{value::Null{}};
    if (phase < kPhases.size()) {
        std::optional<Item> place;
        if (list) {
            place = Item{{"list", text(*list)}};
        }
        body["cursor"] = text(model::render_cursor(key_, kBinding, {phase, {std::move(place)}}));
    }
    model::OperationReply reply;
    reply.body = AttributeValue{std::move(body)};
    return reply;
}

Repair::Done Repair::visit(
    std::string_view phase, const Item& item, const model::Entity& kind, Counts& counts
) {
    if (phase == "edges") {
        return check_edge(item, counts);
    }
    if (phase == "comments") {
        return check_comment(item, counts);
    }
    if (phase == "content") {
        return recount_content(item, kind.name == "Album", counts);
    }
    if (phase == "users") {
        return recount_user(item, counts);
    }
    return check_interaction(item, counts);
}

// --- counters

Repair::Done Repair::recount(
    Arguments target,
    std::string_view operation,
    const char* counter,
    const Item& item,
    std::string_view pattern,
    Arguments edges,
    Counts& counts
) {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto counted, count(runtime_, pattern, std::move(edges)));
    const auto seen = model::integer_of(item, counter);
    if (seen.value_or(0) == counted) {
        return Nothing{};
    }
    target["counter"] = text(counter);
    target["counted"] = model::number(counted);
    if (seen) {
        target["seen"] = model::number(*seen);
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto fixed, gallery::run(runtime_, operation, std::move(target))
    );
    counts.changed += fixed.changed ? 1 : 0;
    return Nothing{};
}

Repair::Done Repair::recount_content(const Item& listed, bool album, Counts& counts) {
    // The index may be behind: counters are compared with those of the item itself.
    const auto id = text_of(listed, "id");
    const std::string kind = album ? "album" : "media";
    const auto found = runtime_.get(kind, {{"id", text(id)}}, model::internal_caller());
    if (!found) {
        return found.error().status == kNotFound ? Done(Nothing{}) : Done(found.error());
    }
    const Arguments target = {{"kind", text(kind)}, {"id", text(id)}};
    const auto& item = found->item;
    if (album) {
        auto done = recount(
            target, "fixCounter", "mediaCount", item, "albumEdges", {{"albumId", text(id)}}, counts
        );
        if (!done) {
            return done;
        }
    }
    for (const auto& [counter, type] :
         {std::pair("likeCount", "like"), std::pair("bookmarkCount", "bookmark")}) {
        auto done = recount(
            target,
            "fixCounter",
            counter,
            item,
            "interactionsOf",
            {{"interactionType", text(type)}, {"targetId", text(id)}},
            counts
        );
        if (!done) {
            return done;
        }
    }
    return recount(
        target,
        "fixCounter",
        "commentCount",
        item,
        "comments",
        {{"targetType", text(kind)}, {"targetId", text(id)}},
        counts
    );
}

Repair::Done Repair::recount_user(const Item& listed, Counts& counts) {
    const auto id = text_of(listed, "userId");
    const auto found = runtime_.get("user", {{"userId", text(id)}}, model::internal_caller());
    if (!found) {
        return found.error().status == kNotFound ? Done(Nothing{}) : Done(found.error());
    }
    const Arguments target = {{"userId", text(id)}};
    auto done = recount(
        target,
        "fixUserCounter",
        "followerCount",
        found->item,
        "followerEdges",
        {{"followedId", text(id)}},
        counts
    );
    return done ? recount(
                      target,
                      "fixUserCounter",
                      "followingCount",
                      found->item,
                      "followingEdges",
                      {{"followerId", text(id)}},
                      counts
                  )
                : done;
}

// --- orphans

CallResult<bool> Repair::exists(std::string_view kind, const std::string& id) {
    const auto found = runtime_.get(kind, {{"id", text(id)}}, model::internal_caller());
    if (!found && found.error().status != kNotFound) {
        return found.error();
    }
    return found.has_value();
}

Repair::Done Repair::remove(std::string_view operation, Arguments arguments, Counts& counts) {
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto removed, gallery::run(runtime_, operation, std::move(arguments))
    );
    counts.removed += removed.changed ? 1 : 0;
    return Nothing{};
}

Repair::Done Repair::check_edge(const Item& edge, Counts& counts) {
    const auto album = text_of(edge, "albumId");
    const auto media = text_of(edge, "mediaId");
    const Arguments both = {{"albumId", text(album)}, {"mediaId", text(media)}};
    GATELEG_CALL_TRY_ASSIGN_CALL(const bool has_album, exists("album", album));
    if (!has_album) {
        return remove("dropEdge", both, counts);
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(const bool has_media, exists("media", media));
    return has_media ? Done(Nothing{}) : remove("removeEdge", both, counts);
}

Repair::Done Repair::check_comment(const Item& comment, Counts& counts) {
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const bool has_target, exists(text_of(comment, "targetType"), text_of(comment, "targetId"))
    );
    return has_target ? Done(Nothing{})
                      : remove("dropComment", {{"id", text(text_of(comment, "id"))}}, counts);
}

Repair::Done Repair::check_interaction(const Item& interaction, Counts& counts) {
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const bool has_target,
        exists(text_of(interaction, "targetType"), text_of(interaction, "targetId"))
    );
    if (has_target) {
        return Nothing{};
    }
    return remove(
        "dropInteraction",
        {{"userId", text(text_of(interaction, "userId"))},
         {"interactionType", text(text_of(interaction, "interactionType"))},
         {"targetId", text(text_of(interaction, "targetId"))}},
        counts
    );
}

}  // namespace gateleg::systems::gallery

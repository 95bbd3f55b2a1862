#include "systems/gallery/lists.h"

#include <algorithm>
#include <set>

#include "model/cursor.h"
#include "systems/gallery/walk.h"

namespace gateleg::systems::gallery {

using model::Arguments;
using model::CallError;
using model::CallResult;
using model::text;
using model::text_of;
using value::AttributeValue;
using value::Item;

namespace {

constexpr int kNotFound = 404;
constexpr std::size_t kMaxIds = 100;

// Newest first; of one moment, the greater id first, as the index has them.
struct Place {
    std::string created_at;
    std::string id;
    auto operator<=>(const Place&) const = default;
};

struct Card {
    Place place;
    Item item;
    const model::Entity* entity = nullptr;
};

model::OperationReply list_reply(value::List items, std::optional<std::string> cursor) {
    value::Map body;
    body["items"] = AttributeValue{std::move(items)};
    body["cursor"] = cursor ? text(*std::move(cursor)) : AttributeValue{value::Null{}};
    model::OperationReply reply;
    reply.body = AttributeValue{std::move(body)};
    return reply;
}

std::int64_t limit_setting(const model::Runtime& runtime, std::string_view name) {
    const auto* limits = runtime.model().find_constant("limits");
    const auto* map = limits != nullptr ? std::get_if<value::Map>(&limits->value.data) : nullptr;
    return map != nullptr ? model::integer_of(*map, name).value_or(0) : 0;
}

// The public media of one user behind `after`, at most `most`.
CallResult<std::vector<Card>> newest_of(
    model::Runtime& runtime,
    const std::string& user,
    const std::optional<Place>& after,
    std::size_t most,
    const model::Caller& caller
) {
    model::PatternCall call;
    call.arguments = {{"isPublic", model::boolean(true)}, {"createdBy", text(user)}};
    if (after) {
        call.arguments["to"] = text(after->created_at);
    }
    call.limit = static_cast<int>(std::min<std::size_t>(most + 1, 100));
    std::vector<Card> cards;
    do {
        GATELEG_CALL_TRY_ASSIGN_CALL(auto page, runtime.query("mediaByUser", call, caller));
        for (std::size_t at = 0; at < page.items.size() && cards.size() < most; ++at) {
            Place place{text_of(page.items[at], "createdAt"), text_of(page.items[at], "id")};
            if (!after || place < *after) {
                cards.push_back({std::move(place), std::move(page.items[at]), page.kinds[at]});
            }
        }
        call.cursor = std::move(page.cursor);
    } while (call.cursor && cards.size() < most);
    return cards;
}

}  // namespace

Lists::Lists(model::Runtime& runtime, const Services& services)
    : runtime_(runtime), key_(services.secret) {}

Lists::Reply Lists::home_feed(const model::NativeCall& call) {
    const auto binding = "gallery feed\n" + *call.caller.user;
    std::optional<Place> after;
    if (call.has("cursor")) {
        const auto position = model::parse_cursor(key_, binding, call.text("cursor"));
        if (!position || position->after.size() != 1 || !position->after.front()) {
            return CallError{400, "InvalidCursor", "The cursor is not one of this list.", "cursor"};
        }
        const auto& item = *position->after.front();
        after = Place{text_of(item, "createdAt"), text_of(item, "id")};
    }
    const auto limit = static_cast<std::size_t>(call.integer("limit").value_or(25));
    const auto most =
        static_cast<std::size_t>(std::max<std::int64_t>(1, limit_setting(runtime_, "feedFollowees"))
        );
    std::vector<std::string> followed;
    model::PatternCall follows{
        .arguments = {{"followerId", text(*call.caller.user)}}, .limit = 100};
    do {
        GATELEG_CALL_TRY_ASSIGN_CALL(
            auto page, runtime_.query("followingEdges", follows, model::internal_caller())
        );
        for (const auto& edge : page.items) {
            if (followed.size() < most) {
                followed.push_back(text_of(edge, "followedId"));
            }
        }
        follows.cursor = std::move(page.cursor);
    } while (follows.cursor && followed.size() < most);

    std::vector<Card> cards;
    for (const auto& user : followed) {
        GATELEG_CALL_TRY_ASSIGN_CALL(
            auto newest, newest_of(runtime_, user, after, limit + 1, call.caller)
        );
        std::move(newest.begin(), newest.end(), std::back_inserter(cards));
    }
    std::sort(cards.begin(), cards.end(), [](const Card& a, const Card& b) {
        return a.place > b.place;
    });
    std::optional<std::string> cursor;
    if (cards.size() > limit) {
        cards.resize(limit);
        Item last;
        last["createdAt"] = text(cards.back().place.created_at);
        last["id"] = text(cards.back().place.id);
        cursor = model::render_cursor(key_, binding, {0, {std::move(last)}});
    }
    value::List items;
    for (const auto& card : cards) {
        items.push_back(runtime_.to_api(*card.entity, card.item, call.caller));
    }
    return list_reply(std::move(items), std::move(cursor));
}

Lists::Reply Lists::interactions_with(const model::NativeCall& call) {
    std::set<std::string> ids;
    const auto all = call.text("ids");
    for (std::size_t at = 0; at <= all.size();) {
        const auto end = std::min(all.find(',', at), all.size());
        if (end > at) {
            ids.insert(all.substr(at, end - at));
        }
        at = end + 1;
    }
    if (ids.empty() || ids.size() > kMaxIds) {
        return model::validation_failed("ids", "must be 1 to 100 ids");
    }
    value::List items;
    for (const auto& id : ids) {
        value::Map one;
        one["targetId"] = text(id);
        for (const auto* type : {"like", "bookmark"}) {
            const auto found = runtime_.get(
                "myInteraction",
                {{"interactionType", text(type)}, {"targetId", text(id)}},
                call.caller
            );
            if (!found && found.error().status != kNotFound) {
                return found.error();
            }
            one[type] = model::boolean(found.has_value());
        }
        items.push_back(AttributeValue{std::move(one)});
    }
    return list_reply(std::move(items), std::nullopt);
}

Lists::Reply Lists::search_users(const model::NativeCall& call) {
    if (auto counted = runtime_.run("countSearch", {}, call.caller); !counted) {
        return counted;
    }
    const model::PatternCall search{.arguments = {{"username", text(call.text("prefix"))}}};
    GATELEG_CALL_TRY_ASSIGN_CALL(
        auto page, runtime_.query("usersByPrefix", search, model::internal_caller())
    );
    value::List items;
    for (std::size_t at = 0; at < page.items.size(); ++at) {
        items.push_back(runtime_.to_api(*page.kinds[at], page.items[at], call.caller));
    }
    return list_reply(std::move(items), std::nullopt);
}

Lists::Reply Lists::video_job(const model::NativeCall& call) {
    auto id = call.text("jobId");
    const auto alias =
        runtime_.get("i2vAlias", {{"providerJobId", text(id)}}, model::internal_caller());
    if (alias) {
        id = text_of(alias->item, "jobId");
    } else if (alias.error().status != kNotFound) {
        return alias.error();
    }
    const auto found = runtime_.get("i2vJob", {{"jobId", text(id)}}, call.caller);
    if (!found) {
        return found.error();
    }
    model::OperationReply reply;
    reply.body = runtime_.to_api(*found->entity, found->item, call.caller);
    return reply;
}

Lists::Reply Lists::bulk_media(const model::NativeCall& call) {
    const auto action = call.text("action");
    const auto to = call.text("toAlbumId");
    if ((action == "move") != !to.empty()) {
        return model::validation_failed("toAlbumId", "is for moving, and needed then");
    }
    if (!to.empty() && to == call.text("albumId")) {
        return model::validation_failed("toAlbumId", "is the album itself");
    }
    // Refuses what is not the caller's, and the key of another request.
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto begun, runtime_.run("beginBulk", call.original, call.caller)
    );
    const auto operation = action == "add"      ? "addMediaToAlbum"
                           : action == "remove" ? "removeMediaFromAlbum"
                                                : "moveMedia";
    value::List results;
    for (const auto& one : std::get<value::List>(call.find("mediaIds")->data)) {
        const auto& id = std::get<std::string>(one.data);
        model::OperationCall inner;
        inner.arguments = {{"albumId", text(call.text("albumId"))}, {"mediaId", text(id)}};
        if (!to.empty()) {
            inner.arguments["toAlbumId"] = text(to);
        }
        if (call.original.idempotency_key) {
            // A repeated request finds what this one did for each media.
            inner.route = call.original.route;
            const auto place = std::to_string(results.size());
            inner.idempotency_key =
                to_hex(sha256(*call.original.idempotency_key + "\n" + place + "\n" + id));
        }
        const auto done = runtime_.run(operation, inner, call.caller);
        value::Map result;
        result["id"] = text(id);
        result["status"] = model::number(!done ? done.error().status : done->created ? 201 : 200);
        if (!done) {
            result["error"] = text(done.error().code);
        }
        results.push_back(AttributeValue{std::move(result)});
    }
    model::OperationReply reply;
    reply.status = 207;
    reply.replayed = begun.replayed;
    reply.body = AttributeValue{value::Map{{"results", AttributeValue{std::move(results)}}}};
    return reply;
}

}  // namespace gateleg::systems::gallery

// Reading a story whole, and by the link that its owner gave away.

#include <algorithm>

#include "base/ids.h"
#include "systems/stories/story_book.h"

namespace gateleg::systems::stories {
namespace {

using model::CallError;
using model::CallResult;
using model::NativeCall;
using model::OperationReply;
using model::text;

value::AttributeValue with_nodes(
    value::AttributeValue shown, const StoryBook& book, const std::vector<value::Item>& nodes
) {
    value::List list;
    for (const auto& node : nodes) {
        list.push_back(book.shown("Node", node));
    }
    std::get<value::Map>(shown.data)["nodes"] = value::AttributeValue{std::move(list)};
    return shown;
}

CallResult<OperationReply> get_story(model::Runtime& runtime, const NativeCall& call) {
    const StoryBook book(runtime, *call.caller.user);
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto story, book.story(call.text("id")));
    if (model::flag_of(story, "deleted") && call.text("include") != "deleted") {
        return CallError{
            410, "StoryInTrash", "The story is in the trash; ?include=deleted shows it."};
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto nodes, book.nodes(call.text("id")));
    auto reply = reply_with(with_nodes(book.shown("Story", story), book, nodes));
    if (const auto version = model::integer_of(story, "version")) {
        reply.headers.emplace_back("ETag", "\"" + std::to_string(*version) + "\"");
    }
    return reply;
}

CallResult<OperationReply> newest_stories(model::Runtime& runtime, const NativeCall& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(
        auto page, runtime.query("allOfUser", {}, model::internal_caller(*call.caller.user))
    );
    std::stable_sort(page.items.begin(), page.items.end(), [](const auto& a, const auto& b) {
        return model::text_of(a, "UpdatedAt") > model::text_of(b, "UpdatedAt");
    });
    const StoryBook book(runtime, *call.caller.user);
    value::List items;
    const auto limit = static_cast<std::size_t>(call.integer("limit").value_or(25));
    for (std::size_t i = 0; i < std::min(limit, page.items.size()); ++i) {
        items.push_back(book.shown("StoryIndex", page.items[i]));
    }
    value::Map body;
    body["items"] = value::AttributeValue{std::move(items)};
    body["cursor"] = value::AttributeValue{value::Null{}};
    return reply_with({std::move(body)});
}

CallResult<OperationReply> share(model::Runtime& runtime, const NativeCall& call) {
    const StoryBook book(runtime, *call.caller.user);
    const auto id = call.text("id");
    GATELEG_CALL_TRY_ASSIGN_CALL(auto story, book.story(id));
    if (model::flag_of(story, "deleted")) {
        return CallError{404, "StoryNotFound", "There is no such story."};
    }
    if (model::text_of(story, "shareToken").empty()) {
        auto made = book.run("makeShare", {{"id", text(id)}, {"token", text(random_uuid())}});
        if (made || made.error().code != "Shared") {
            return made;
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(story, book.story(id));  // somebody was faster
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto link,
        runtime.get(
            "shareLink",
            {{"token", text(model::text_of(story, "shareToken"))}},
            model::internal_caller()
        )
    );
    return reply_with(book.shown("Share", link.item), 200);
}

CallResult<OperationReply> revoke_share(model::Runtime& runtime, const NativeCall& call) {
    const StoryBook book(runtime, *call.caller.user);
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto story, book.story(call.text("id")));
    const auto token = model::text_of(story, "shareToken");
    if (token.empty()) {
        return changed_reply(false);
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto gone,
        book.run("dropShare", {{"id", text(call.text("id"))}, {"token", text(token)}})
    );
    return changed_reply(gone.changed);
}

CallResult<OperationReply> read_shared(model::Runtime& runtime, const NativeCall& call) {
    const CallError missing{404, "ShareNotFound", "There is no such link."};
    const auto link =
        runtime.get("shareLink", {{"token", text(call.text("token"))}}, model::internal_caller());
    if (!link) {
        return link.error().status == 404 ? missing : link.error();
    }
    const StoryBook book(runtime, model::text_of(link->item, "userId"));
    const auto id = model::text_of(link->item, "storyId");
    const auto story = book.story(id);
    if (!story) {
        return story.error().status == 404 ? missing : story.error();
    }
    if (model::flag_of(*story, "deleted")) {
        return missing;
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto nodes, book.nodes(id));
    auto body = with_nodes(book.shown("Story", *story), book, nodes);
    // Nothing that names the owner, and nothing only an owner needs.
    auto& members = std::get<value::Map>(body.data);
    for (const auto* name : {"userId", "shareToken", "version", "deleted", "lastOrder"}) {
        members.erase(name);
    }
    for (auto& node : std::get<value::List>(members["nodes"].data)) {
        std::get<value::Map>(node.data).erase("userId");
    }
    return reply_with(std::move(body));
}

}  // namespace

void install_shares(model::Runtime& runtime) {
    runtime.install("getStory", [&runtime](const NativeCall& call) {
        return get_story(runtime, call);
    });
    runtime.install("newestStories", [&runtime](const NativeCall& call) {
        return newest_stories(runtime, call);
    });
    runtime.install("share", [&runtime](const NativeCall& call) { return share(runtime, call); });
    runtime.install("revokeShare", [&runtime](const NativeCall& call) {
        return revoke_share(runtime, call);
    });
    runtime.install("readShared", [&runtime](const NativeCall& call) {
        return read_shared(runtime, call);
    });
}

}  // namespace gateleg::systems::stories

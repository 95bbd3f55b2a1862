#include "systems/stories/story_book.h"

namespace gateleg::systems::stories {

using model::Arguments;
using model::CallError;
using model::CallResult;
using model::Nothing;
using model::text;

CallResult<value::Item> StoryBook::story(const std::string& id) const {
    GATELEG_CALL_TRY_ASSIGN_CALL(auto found, runtime_.get("story", {{"id", text(id)}}, caller_));
    if (model::flag_of(found.item, "hidden")) {
        return CallError{404, "StoryNotFound", "There is no such story."};
    }
    return std::move(found.item);
}

CallResult<std::vector<value::Item>> StoryBook::nodes(const std::string& story_id) const {
    GATELEG_CALL_TRY_ASSIGN_CALL(
        auto page, runtime_.query("nodes", {.arguments = {{"storyId", text(story_id)}}}, caller_)
    );
    return std::move(page.items);
}

CallResult<model::OperationReply> StoryBook::run(
    std::string_view operation, Arguments arguments, const model::OperationCall* behind
) const {
    model::OperationCall call{.arguments = std::move(arguments)};
    if (behind != nullptr) {
        call.idempotency_key = behind->idempotency_key;
        call.route = behind->route;
        call.behind = behind;
    }
    return runtime_.run(operation, call, caller_);
}

value::AttributeValue StoryBook::shown(std::string_view entity, const value::Item& item) const {
    return runtime_.to_api(*runtime_.model().find_entity(entity), item, caller_);
}

CallResult<Nothing> StoryBook::purge(const std::string& id) const {
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto story, runtime_.get("story", {{"id", text(id)}}, caller_)
    );
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto begun, run("startPurge", {{"id", text(id)}}));
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto nodes,
        read_all(runtime_, "nodesOf", {{"userId", text(user_)}, {"storyId", text(id)}})
    );
    for (const auto& node : nodes) {
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto gone,
            run("purgeNode",
                {{"userId", text(user_)},
                 {"storyId", text(id)},
                 {"id", text(model::text_of(node, "id"))}})
        );
    }
    if (const auto token = model::text_of(story.item, "shareToken"); !token.empty()) {
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto gone, run("dropShare", {{"id", text(id)}, {"token", text(token)}})
        );
    }
    auto gone = run("finishPurge", {{"userId", text(user_)}, {"id", text(id)}});
    if (!gone && gone.error().code != "StoryNotFound") {  // another purge may be faster
        return gone.error();
    }
    return Nothing{};
}

CallResult<std::vector<value::Item>> read_all(
    model::Runtime& runtime, std::string_view pattern, const Arguments& arguments
) {
    constexpr int kPage = 100;
    std::vector<value::Item> all;
    model::PatternCall call{.arguments = arguments, .limit = kPage};
    do {
        GATELEG_CALL_TRY_ASSIGN_CALL(
            auto page, runtime.query(pattern, call, model::internal_caller())
        );
        for (auto& item : page.items) {
            all.push_back(std::move(item));
        }
        call.cursor = std::move(page.cursor);
    } while (call.cursor);
    return all;
}

CallResult<Nothing> check_node_size(const value::AttributeValue& node) {
    std::string bytes;
    value::append_encoded(bytes, node);
    if (bytes.size() > kMaxNodeBytes) {
        return CallError{
            413, "PayloadTooLarge", "A node may have 300 KB; split it, or keep media elsewhere."};
    }
    return Nothing{};
}

model::OperationReply reply_with(value::AttributeValue body, int status) {
    model::OperationReply reply;
    reply.body = std::move(body);
    reply.status = status;
    return reply;
}

model::OperationReply changed_reply(bool changed) {
    value::Map body;
    body["changed"] = model::boolean(changed);
    return reply_with({std::move(body)});
}

}  // namespace gateleg::systems::stories

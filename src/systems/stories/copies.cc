// Duplicates, exports and imports. A copy is hidden until all its nodes are there; made again with
// the same idempotency key it goes on where it was, because its ids follow from that key.

#include <algorithm>
#include <map>
#include <set>

#include "base/sha256.h"
#include "systems/stories/story_book.h"

namespace gateleg::systems::stories {
namespace {

using model::CallError;
using model::CallResult;
using model::NativeCall;
using model::Nothing;
using model::number;
using model::OperationReply;
using model::text;

constexpr std::size_t kNodesAtOnce = 90;
constexpr std::size_t kBytesAtOnce = 3 * 1024 * 1024;
// What the server gives a node; it is no part of a copy.
constexpr std::array kOwn = {
    "id", "storyId", "userId", "nodeOrder", "version", "CreatedAt", "UpdatedAt"};
// What no import may bring.
constexpr std::array kReserved = {"PK", "SK", "ItemType", "storyId", "userId"};

// A node on its way: `id` is the one it had.
struct Draft {
    std::string id;
    value::Map attributes;
};

// 26 characters of Crockford's base 32, the form of a ULID.
std::string derived_id(const HmacKey& key, const std::string& story, const std::string& node) {
    constexpr std::string_view kDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    const auto digest = key.sign(story + "\n" + node);
    std::string id(1, kDigits[digest[0] % 8]);
    for (std::size_t i = 1; i < 26; ++i) {
        id += kDigits[digest[i] % 32];
    }
    return id;
}

void lead_elsewhere(value::Map& attributes, const std::map<std::string, std::string>& new_ids) {
    const auto found = attributes.find("choices");
    auto* choices =
        found != attributes.end() ? std::get_if<value::List>(&found->second.data) : nullptr;
    if (choices == nullptr) {
        return;
    }
    for (auto& one : *choices) {
        auto* choice = std::get_if<value::Map>(&one.data);
        if (choice == nullptr) {
            continue;
        }
        const auto target = new_ids.find(model::text_of(*choice, "target"));
        if (target != new_ids.end()) {
            (*choice)["target"] = text(target->second);
        }
    }
}

class Copy {
public:
    Copy(model::Runtime& runtime, const HmacKey& key, const NativeCall& call)
        : key_(key), call_(call), book_(runtime, *call.caller.user), runtime_(runtime) {}

    CallResult<OperationReply> make(
        const std::string& title, std::vector<Draft> drafts, const std::string& start
    ) {
        GATELEG_CALL_TRY_ASSIGN_CALL(
            auto begun, book_.run("startCopy", {{"title", text(title)}}, &call_.original)
        );
        const auto story_id = model::text_of(std::get<value::Map>(begun.body->data), "id");
        std::map<std::string, std::string> new_ids;
        for (const auto& draft : drafts) {
            new_ids[draft.id] = derived_id(key_, story_id, draft.id);
        }
        if (auto copied = copy_nodes(story_id, drafts, new_ids); !copied) {
            return copied.error();
        }
        const auto count = static_cast<std::int64_t>(drafts.size());
        model::Arguments last = {
            {"id", text(story_id)},
            {"nodeCount", number(count)},
            {"lastOrder", number(count * kOrderStep)}};
        if (const auto found = new_ids.find(start); found != new_ids.end()) {
            last["startNodeId"] = text(found->second);
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto shown, book_.run("publishCopy", std::move(last)));
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto story, book_.story(story_id));
        auto reply = reply_with(book_.shown("Story", story));
        reply.replayed = begun.replayed;
        return reply;
    }

private:
    CallResult<Nothing> copy_nodes(
        const std::string& story_id,
        std::vector<Draft>& drafts,
        const std::map<std::string, std::string>& new_ids
    ) {
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto there, book_.nodes(story_id));
        std::set<std::string> done;
        for (const auto& node : there) {
            done.insert(model::text_of(node, "id"));
        }
        value::List chunk;
        std::size_t bytes = 0;
        std::int64_t order = 0;
        for (auto& draft : drafts) {
            order += kOrderStep;
            const auto& id = new_ids.at(draft.id);
            if (done.contains(id)) {
                continue;
            }
            lead_elsewhere(draft.attributes, new_ids);
            value::AttributeValue attributes{std::move(draft.attributes)};
            std::string encoded;
            value::append_encoded(encoded, attributes);
            if (chunk.size() == kNodesAtOnce || bytes + encoded.size() > kBytesAtOnce) {
                GATELEG_CALL_TRY_ASSIGN_CALL(const auto put, write(story_id, chunk));
                bytes = 0;
            }
            bytes += encoded.size();
            value::Map one;
            one["id"] = text(id);
            one["nodeOrder"] = number(order);
            one["attributes"] = std::move(attributes);
            chunk.push_back({std::move(one)});
        }
        return chunk.empty() ? Nothing{} : write(story_id, chunk);
    }

    CallResult<Nothing> write(const std::string& story_id, value::List& chunk) {
        const auto done = book_.run(
            "copyNodes",
            {{"storyId", text(story_id)}, {"nodes", value::AttributeValue{std::move(chunk)}}}
        );
        chunk.clear();
        // The same request, running twice at once, has written them.
        if (!done && done.error().code != "NodeExists") {
            return done.error();
        }
        return Nothing{};
    }

    const HmacKey& key_;
    const NativeCall& call_;
    StoryBook book_;
    model::Runtime& runtime_;
};

value::Map copied_attributes(const StoryBook& book, const value::Item& node) {
    auto attributes = std::get<value::Map>(book.shown("Node", node).data);
    for (const auto* name : kOwn) {
        attributes.erase(name);
    }
    return attributes;
}

CallResult<OperationReply> duplicate(
    model::Runtime& runtime, const HmacKey& key, const NativeCall& call
) {
    const StoryBook book(runtime, *call.caller.user);
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto story, book.story(call.text("id")));
    if (model::flag_of(story, "deleted")) {
        return CallError{409, "StoryDeleted", "The story is in the trash."};
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto nodes, book.nodes(call.text("id")));
    std::vector<Draft> drafts;
    for (const auto& node : nodes) {
        drafts.push_back({model::text_of(node, "id"), copied_attributes(book, node)});
    }
    const auto title = call.has("title") ? call.text("title") : model::text_of(story, "title");
    return Copy(runtime, key, call)
        .make(title, std::move(drafts), model::text_of(story, "startNodeId"));
}

CallResult<OperationReply> export_story(model::Runtime& runtime, const NativeCall& call) {
    const StoryBook book(runtime, *call.caller.user);
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto story, book.story(call.text("id")));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto nodes, book.nodes(call.text("id")));
    value::List list;
    for (const auto& node : nodes) {
        auto attributes = copied_attributes(book, node);
        attributes["id"] = text(model::text_of(node, "id"));
        list.push_back({std::move(attributes)});
    }
    value::Map body;
    body["title"] = text(model::text_of(story, "title"));
    if (const auto start = model::text_of(story, "startNodeId"); !start.empty()) {
        body["startNodeId"] = text(start);
    }
    body["nodes"] = value::AttributeValue{std::move(list)};
    return reply_with({std::move(body)});
}

CallError import_invalid(std::size_t at, const std::string& what) {
    const auto field = "nodes[" + std::to_string(at) + "]";
    return {400, "ImportInvalid", field + " " + what, field};
}

CallResult<std::vector<Draft>> read_drafts(const value::List& nodes) {
    std::vector<Draft> drafts;
    std::set<std::string> ids;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto& given = std::get<value::Map>(nodes[i].data);
        for (const auto* name : kReserved) {
            if (given.contains(name)) {
                return import_invalid(i, "has '" + std::string(name) + "', which is reserved.");
            }
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto fits, check_node_size(nodes[i]));
        Draft draft{model::text_of(given, "id"), given};
        if (draft.id.empty()) {
            draft.id = "#" + std::to_string(i);
        }
        if (!ids.insert(draft.id).second) {
            return CallError{409, "NodeExists", "Two nodes have the id " + draft.id + ".", "nodes"};
        }
        for (const auto* name : kOwn) {
            draft.attributes.erase(name);
        }
        drafts.push_back(std::move(draft));
    }
    return drafts;
}

CallResult<OperationReply> import_story(
    model::Runtime& runtime, const HmacKey& key, const NativeCall& call
) {
    GATELEG_CALL_TRY_ASSIGN_CALL(
        auto drafts, read_drafts(std::get<value::List>(call.find("nodes")->data))
    );
    return Copy(runtime, key, call)
        .make(call.text("title"), std::move(drafts), call.text("startNodeId"));
}

}  // namespace

void install_copies(model::Runtime& runtime, std::string secret) {
    const auto key = std::make_shared<const HmacKey>("copies of nodes\n" + std::move(secret));
    runtime.install("duplicate", [&runtime, key](const NativeCall& call) {
        return duplicate(runtime, *key, call);
    });
    runtime.install("exportStory", [&runtime](const NativeCall& call) {
        return export_story(runtime, call);
    });
    runtime.install("importStory", [&runtime, key](const NativeCall& call) {
        return import_story(runtime, *key, call);
    });
}

}  // namespace gateleg::systems::stories

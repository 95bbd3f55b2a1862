// Purging, deleting a user, counting again.

#include <algorithm>

#include "systems/stories/story_book.h"

namespace gateleg::systems::stories {
namespace {

using model::CallError;
using model::CallResult;
using model::NativeCall;
using model::number;
using model::OperationReply;
using model::text;

constexpr std::size_t kMostFindings = 100;

CallResult<OperationReply> purge_story(model::Runtime& runtime, const NativeCall& call) {
    const StoryBook book(runtime, *call.caller.user);
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto done, book.purge(call.text("id")));
    return changed_reply(true);
}

CallResult<OperationReply> empty_trash(model::Runtime& runtime, const NativeCall& call) {
    const StoryBook book(runtime, *call.caller.user);
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto trash, read_all(runtime, "deletedIndexOf", {{"userId", text(book.user())}})
    );
    std::int64_t purged = 0;
    for (const auto& entry : trash) {
        auto done = book.purge(model::text_of(entry, "id"));
        // Restored or purged by somebody else meanwhile.
        if (!done && done.error().code != "NotDeleted" && done.error().code != "StoryNotFound") {
            return done.error();
        }
        purged += done ? 1 : 0;
    }
    value::Map body;
    body["purged"] = number(purged);
    return reply_with({std::move(body)});
}

// Again and again until nothing is left: a story may be created while others are deleted.
CallResult<OperationReply> delete_user(model::Runtime& runtime, const NativeCall& call) {
    const StoryBook book(runtime, call.text("userId"));
    std::int64_t deleted = 0;
    for (;;) {
        const model::Arguments user = {{"userId", text(book.user())}};
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto live, read_all(runtime, "indexOf", user));
        for (const auto& entry : live) {
            GATELEG_CALL_TRY_ASSIGN_CALL(
                const auto trashed,
                book.run("trashForUser", {{"id", text(model::text_of(entry, "id"))}})
            );
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto trash, read_all(runtime, "deletedIndexOf", user));
        if (trash.empty()) {
            break;
        }
        for (const auto& entry : trash) {
            auto done = book.purge(model::text_of(entry, "id"));
            if (!done && done.error().code != "StoryNotFound") {
                return done.error();
            }
            deleted += done ? 1 : 0;
        }
    }
    value::Map after;
    after["deleted"] = number(deleted);
    model::OperationCall note{
        .arguments = {
            {"action", text("delete-user")},
            {"target", text(book.user())},
            {"after", value::AttributeValue{after}}}};
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto noted,
        runtime.run("note", note, model::internal_caller(call.caller.user.value_or("")))
    );
    value::Map body;
    body["deleted"] = number(deleted);
    body["done"] = model::boolean(true);
    return reply_with({std::move(body)});
}

// Whether the story's count is wrong; mended if that is wanted.
CallResult<OperationReply> recount(model::Runtime& runtime, const NativeCall& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto nodes,
        read_all(
            runtime,
            "nodesOf",
            {{"userId", text(call.text("userId"))}, {"storyId", text(call.text("id"))}}
        )
    );
    const auto count = static_cast<std::int64_t>(nodes.size());
    const auto seen = call.integer("seen").value_or(0);
    if (count == seen || !call.flag("repair")) {
        return OperationReply{.changed = count != seen};  // the job counts these
    }
    model::OperationCall set{
        .arguments = {
            {"userId", text(call.text("userId"))},
            {"id", text(call.text("id"))},
            {"seen", number(seen)},
            {"nodeCount", number(count)}}};
    return runtime.run("setNodeCount", set, model::internal_caller());
}

CallResult<OperationReply> check(model::Runtime& runtime, const NativeCall& call) {
    const bool repair = call.flag("repair");
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto report, runtime.fsck(kMostFindings));
    value::List findings;
    for (const auto& finding : report.findings) {
        value::Map one;
        one["kind"] = text(std::string(model::finding_name(finding.kind)));
        one["entity"] = text(finding.entity);
        one["message"] = text(finding.message);
        findings.push_back({std::move(one)});
    }
    const auto& jobs = runtime.model().jobs;
    const auto job = std::find_if(jobs.begin(), jobs.end(), [](const auto& one) {
        return one.name == "recountStories";
    });
    model::JobCall step{.arguments = {{"repair", model::boolean(repair)}}};
    std::int64_t miscounted = 0;
    for (bool done = false; !done;) {
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto part, runtime.run_job(*job, step, model::internal_caller())
        );
        miscounted += part.changed;
        done = part.done;
        step.cursor = part.cursor;
    }
    if (miscounted > 0) {
        value::Map one;
        one["kind"] = text("wrong node count");
        one["entity"] = text("Story");
        one["message"] = text(std::to_string(miscounted) + " stories");
        findings.push_back({std::move(one)});
    }
    value::Map body;
    body["scanned"] = number(report.scanned);
    body["found"] = number(report.found + miscounted);
    body["repaired"] = number(repair ? miscounted : 0);
    body["findings"] = value::AttributeValue{std::move(findings)};
    return reply_with({std::move(body)});
}

}  // namespace

void install_care(model::Runtime& runtime) {
    const auto with = [&runtime](auto function) {
        return [&runtime, function](const NativeCall& call) { return function(runtime, call); };
    };
    runtime.install("purgeStory", with(purge_story));
    runtime.install("emptyTrash", with(empty_trash));
    runtime.install("deleteUser", with(delete_user));
    runtime.install("recount", with(recount));
    runtime.install("check", with(check));
}

}  // namespace gateleg::systems::stories

// What comes in (MO-O1, MO-O2), and what is said of an item or a user (MO-O3, MO-O12).

#include <algorithm>
#include <array>

#include "systems/moderation/desk.h"

namespace gateleg::systems::moderation {
namespace {

using model::Arguments;
using model::CallError;
using model::CallResult;
using model::NativeCall;
using model::number;
using model::OperationReply;
using model::text;
using value::AttributeValue;

bool has_role(const model::Caller& caller, std::initializer_list<std::string_view> roles) {
    return std::any_of(roles.begin(), roles.end(), [&](std::string_view role) {
        return caller.roles.contains(role);
    });
}

bool is_caller(const model::Caller& caller, const std::string& user) {
    return caller.user && *caller.user == user;
}

// Now, or the millisecond behind the user's newest item: two items never share a key, and a user
// whose clock stands still need not try every millisecond again.
CallResult<std::int64_t> first_free_moment(const Desk& desk, const std::string& user) {
    const auto now = desk.now();
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto page,
        desk.runtime().query(
            "latest",
            {.arguments = {{"userId", text(user)}, {"from", number(now)}}, .limit = 1},
            model::internal_caller()
        )
    );
    if (page.items.empty()) {
        return now;
    }
    return std::max(now, model::integer_of(page.items.front(), "submittedAt").value_or(now) + 1);
}

// Adds the id of the open item that has the guard.
CallError with_open_item(
    const Desk& desk, CallError error, std::string_view pattern, const Arguments& guard
) {
    const auto found = desk.runtime().get(pattern, guard, model::internal_caller());
    if (found) {
        error.facts["moderationId"] = text(model::text_of(found->item, "moderationId"));
    }
    return error;
}

Reply add(
    const Desk& desk, std::string_view operation, Arguments arguments, const NativeCall& call
) {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto start, first_free_moment(desk, call.text("userId")));
    arguments["start"] = number(start);
    return desk.run(operation, std::move(arguments), call.caller, &call.original);
}

Reply submit(const Desk& desk, const NativeCall& call) {
    if (!is_caller(call.caller, call.text("userId")) &&
        !has_role(call.caller, {"service", "moderator", "admin"})) {
        return CallError{403, "Forbidden", "You may submit your own content only."};
    }
    const auto type = call.text("type");
    if (type == "report") {
        return model::validation_failed("type", "is made by reporting the content");
    }
    auto added = add(desk, "addItem", call.arguments, call);
    if (!added && added.error().code == "AlreadyPending") {
        const Arguments guard = {{"contentId", text(call.text("contentId"))}, {"type", text(type)}};
        return with_open_item(desk, added.error(), "contentGuard", guard);
    }
    return added;
}

Reply report(const Desk& desk, const NativeCall& call) {
    auto added = add(desk, "addReport", call.arguments, call);
    if (!added && added.error().code == "AlreadyReported") {
        const Arguments guard = {
            {"contentId", text(call.text("contentId"))}, {"reporterId", text(*call.caller.user)}};
        return with_open_item(desk, added.error(), "reportGuard", guard);
    }
    return added;
}

Reply show(const Desk& desk, const NativeCall& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto item, desk.find(call.text("moderationId")));
    if (!has_role(call.caller, {"service", "moderator", "admin"}) &&
        !is_caller(call.caller, model::text_of(item, "userId")) &&
        !is_caller(call.caller, model::text_of(item, "reporterId"))) {
        return CallError{404, "ModerationNotFound", "There is no such Moderation."};
    }
    OperationReply reply;
    reply.body = desk.shown(item, call.caller);
    if (const auto version = model::integer_of(item, "version")) {
        reply.headers.emplace_back("ETag", "\"" + std::to_string(*version) + "\"");
    }
    return reply;
}

// Counted on the index, a query for each status: never more than what is the user's own.
Reply summary(const Desk& desk, const NativeCall& call) {
    const auto user = call.text("userId");
    if (!is_caller(call.caller, user) &&
        !has_role(call.caller, {"service", "moderator", "admin"})) {
        return CallError{403, "Forbidden", "You may ask about yourself only."};
    }
    value::Map counts;
    for (const auto* status : {"pending", "approved", "unapproved"}) {
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto page,
            desk.runtime().query(
                "userStatusCount",
                {.arguments = {{"userId", text(user)}, {"status", text(status)}}},
                model::internal_caller()
            )
        );
        counts[status] = number(page.count.value_or(0));
    }
    value::Map body;
    body["userId"] = text(user);
    body["strikes"] = counts["unapproved"];
    body["counts"] = AttributeValue{std::move(counts)};
    OperationReply reply;
    reply.body = AttributeValue{std::move(body)};
    return reply;
}

}  // namespace

void install_intake(model::Runtime& runtime) {
    const Desk desk(runtime);
    runtime.install("submit", [desk](const NativeCall& call) { return submit(desk, call); });
    runtime.install("report", [desk](const NativeCall& call) { return report(desk, call); });
    runtime.install("show", [desk](const NativeCall& call) { return show(desk, call); });
    runtime.install("summary", [desk](const NativeCall& call) { return summary(desk, call); });
}

}  // namespace gateleg::systems::moderation

// Items taken from the queue and given back (MO-O10).

#include "systems/moderation/desk.h"

namespace gateleg::systems::moderation {
namespace {

using model::NativeCall;
using model::OperationReply;
using value::Item;

// Nobody else works on it, and it is not about the moderator.
bool may_take(const Item& item, const std::string& user, std::int64_t now) {
    const bool taken = !model::text_of(item, "assignee").empty() &&
                       model::integer_of(item, "assignedUntil").value_or(0) >= now;
    return !taken && model::text_of(item, "userId") != user &&
           model::text_of(item, "reporterId") != user;
}

OperationReply nothing_left() {
    constexpr int kNoContent = 204;
    OperationReply reply;
    reply.status = kNoContent;
    reply.content_type = "application/json";
    return reply;
}

// Whoever is slower than another at one item goes on to the next.
Reply claim_next(const Desk& desk, const NativeCall& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(auto replay, desk.runtime().find_replay(call));
    if (replay) {
        return *std::move(replay);
    }
    const auto user = call.caller.user.value_or("");
    model::PatternCall list{.limit = 50};
    do {
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto page, desk.runtime().query("queue", list, model::internal_caller())
        );
        for (const auto& item : page.items) {
            if (!may_take(item, user, desk.now())) {
                continue;
            }
            auto claimed = desk.change("claimItem", item, {}, call.caller, &call.original);
            const bool lost = !claimed && (claimed.error().code == "ClaimedByOther" ||
                                           claimed.error().code == "ModerationNotFound");
            if (!lost) {
                return claimed;
            }
        }
        list.cursor = page.cursor;
    } while (list.cursor);
    return nothing_left();
}

Reply release(const Desk& desk, const NativeCall& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto item, desk.find(call.text("moderationId")));
    return desk.change("releaseItem", item, {}, call.caller);
}

}  // namespace

void install_queue(model::Runtime& runtime) {
    const Desk desk(runtime);
    runtime.install("claimNext", [desk](const NativeCall& call) { return claim_next(desk, call); });
    runtime.install("release", [desk](const NativeCall& call) { return release(desk, call); });
}

}  // namespace gateleg::systems::moderation

// Decisions on items (MO-O5 to MO-O9), alone and many at once (MO-O11).

#include <set>

#include "systems/moderation/desk.h"

namespace gateleg::systems::moderation {
namespace {

using model::Arguments;
using model::CallError;
using model::NativeCall;
using model::number;
using model::OperationCall;
using model::OperationReply;
using model::text;
using value::AttributeValue;
using value::Item;

// What moderators do to an item that has been found.
enum class Action : std::uint8_t { kApprove, kUnapprove, kReverse, kReopen };

Reply act(
    const Desk& desk,
    Action action,
    const Item& item,
    const std::string& reason,
    const model::Caller& caller,
    const OperationCall* behind
) {
    Arguments more;
    if (!reason.empty()) {
        more["reason"] = text(reason);
    }
    switch (action) {
        case Action::kApprove:
        case Action::kUnapprove:
            more["status"] = text(action == Action::kApprove ? "approved" : "unapproved");
            return desk.change("decideItem", item, std::move(more), caller, behind);
        case Action::kReverse:
            more["from"] = text(model::text_of(item, "status"));
            if (const auto version = model::integer_of(item, "version")) {
                more["seen"] = number(*version);
            }
            return desk.change("reverseItem", item, std::move(more), caller, behind);
        case Action::kReopen:
            break;
    }
    return desk.change("reopenItem", item, std::move(more), caller, behind);
}

Reply act_on(const Desk& desk, Action action, const NativeCall& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto item, desk.find(call.text("moderationId")));
    return act(desk, action, item, call.text("reason"), call.caller, &call.original);
}

Reply set_priority(const Desk& desk, const NativeCall& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto item, desk.find(call.text("moderationId")));
    return desk.change(
        "prioritiseItem",
        item,
        {{"priority", text(call.text("priority"))}},
        call.caller,
        &call.original
    );
}

Action action_of(const std::string& name) {
    return name == "approve"     ? Action::kApprove
           : name == "unapprove" ? Action::kUnapprove
           : name == "reverse"   ? Action::kReverse
                                 : Action::kReopen;
}

// A transaction for each item: what one fails with does not stop the others. A request that is
// repeated before its answer was recorded finds its own decisions made, and answers the same.
Reply bulk(const Desk& desk, const NativeCall& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(auto replay, desk.runtime().find_replay(call));
    if (replay) {
        return *std::move(replay);
    }
    const auto action = action_of(call.text("action"));
    const auto reason = call.text("reason");
    if (reason.empty() && (action == Action::kUnapprove || action == Action::kReverse)) {
        return CallError{400, "ReasonRequired", "ReasonRequired", "reason"};
    }
    value::List results;
    std::set<std::string> seen;
    for (const auto& one : std::get<value::List>(call.find("ids")->data)) {
        const auto& id = std::get<std::string>(one.data);
        if (!seen.insert(id).second) {
            continue;
        }
        const auto item = desk.find(id);
        const auto done =
            item ? act(desk, action, *item, reason, call.caller, nullptr) : Reply(item.error());
        value::Map result;
        result["id"] = text(id);
        result["status"] = number(done ? 200 : done.error().status);
        if (!done) {
            result["error"] = text(done.error().code);
        }
        results.push_back(AttributeValue{std::move(result)});
    }
    return desk.run(
        "recordBulk",
        {{"action", text(call.text("action"))}, {"results", AttributeValue{std::move(results)}}},
        call.caller,
        &call.original
    );
}

}  // namespace

void install_decisions(model::Runtime& runtime) {
    const Desk desk(runtime);
    runtime.install("decide", [desk](const NativeCall& call) {
        const bool approves = call.text("status") == "approved";
        return act_on(desk, approves ? Action::kApprove : Action::kUnapprove, call);
    });
    runtime.install("reverse", [desk](const NativeCall& call) {
        return act_on(desk, Action::kReverse, call);
    });
    runtime.install("reopen", [desk](const NativeCall& call) {
        return act_on(desk, Action::kReopen, call);
    });
    runtime.install("setPriority", [desk](const NativeCall& call) {
        return set_priority(desk, call);
    });
    runtime.install("bulk", [desk](const NativeCall& call) { return bulk(desk, call); });
}

}  // namespace gateleg::systems::moderation

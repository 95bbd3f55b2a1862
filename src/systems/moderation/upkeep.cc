// Erasure (MO-O13) and shards (MO-O14).

#include "systems/moderation/desk.h"

namespace gateleg::systems::moderation {
namespace {

using model::NativeCall;
using model::number;
using model::OperationReply;
using model::text;
using value::AttributeValue;

// The history goes first: as long as the item is there, the job that calls this finds it again.
Reply erase_record(const Desk& desk, const NativeCall& call) {
    constexpr int kPage = 90;
    const auto id = call.text("moderationId");
    const model::PatternCall history{.arguments = {{"moderationId", text(id)}}, .limit = kPage};
    while (true) {
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto page, desk.runtime().query("events", history, model::internal_caller())
        );
        if (page.items.empty()) {
            break;
        }
        value::List events;
        for (const auto& event : page.items) {
            value::Map one;
            one["at"] = number(model::integer_of(event, "at").value_or(0));
            one["eventId"] = text(model::text_of(event, "eventId"));
            events.push_back(AttributeValue{std::move(one)});
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto erased,
            desk.run(
                "eraseEvents",
                {{"moderationId", text(id)}, {"events", AttributeValue{std::move(events)}}},
                call.caller
            )
        );
    }
    return desk.run("eraseItem", call.arguments, call.caller);
}

// From now on; what is there keeps its place, and readers look in both.
Reply set_shards(const Desk& desk, const NativeCall& call) {
    const auto count = call.integer("count").value_or(1);
    GATELEG_CALL_TRY_ASSIGN_CALL(
        auto changed,
        desk.run(
            "addShardStep", {{"count", number(count)}, {"from", number(desk.now())}}, call.caller
        )
    );
    if (!changed.body) {
        changed.body = AttributeValue{value::Map{{"count", number(count)}}};
    }
    return changed;
}

}  // namespace

void install_upkeep(model::Runtime& runtime) {
    const Desk desk(runtime);
    runtime.install("eraseRecord", [desk](const NativeCall& call) {
        return erase_record(desk, call);
    });
    runtime.install("setShards", [desk](const NativeCall& call) { return set_shards(desk, call); });
}

}  // namespace gateleg::systems::moderation

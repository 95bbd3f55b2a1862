#include "systems/gallery/digests.h"

#include "systems/gallery/walk.h"

namespace gateleg::systems::gallery {

using model::text;

namespace {

// Preferences are there by default.
bool wants(const value::Item& user, std::string_view mail) {
    const auto found = user.find("emailPreferences");
    const auto* preferences =
        found != user.end() ? std::get_if<value::Map>(&found->second.data) : nullptr;
    return preferences == nullptr || !preferences->contains(mail) ||
           model::flag_of(*preferences, mail);
}

}  // namespace

model::CallResult<model::OperationReply> send_digests(
    model::Runtime& runtime, const model::NativeCall& call
) {
    const auto id = call.text("userId");
    model::OperationReply reply;
    reply.changed = false;
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto user, runtime.get("user", {{"userId", text(id)}}, model::internal_caller())
    );
    if (!model::flag_of(user.item, "isActive")) {
        return reply;
    }
    if (wants(user.item, "unreadNotifications")) {
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto unread, runtime.query("unreadCount", {}, model::internal_caller(id))
        );
        if (unread.count.value_or(0) > 0) {
            GATELEG_CALL_TRY_ASSIGN_CALL(
                const auto sent,
                run(runtime,
                    "sendDigest",
                    {{"userId", text(id)}, {"unread", model::number(*unread.count)}})
            );
            reply.changed |= sent.changed;
        }
    }
    if (wants(user.item, "pscBalance")) {
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto sent, run(runtime, "sendCoinDigest", {{"userId", text(id)}})
        );
        reply.changed |= sent.changed;
    }
    return reply;
}

}  // namespace gateleg::systems::gallery

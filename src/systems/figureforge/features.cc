// Feature flags as one user has them.

#include "base/hash.h"
#include "systems/figureforge/parts.h"

namespace gateleg::systems::figureforge {
namespace {

using model::CallError;
using model::NativeCall;
using model::text;

// Always the same side for the same user and flag; a higher percentage only adds users.
bool is_on(const value::Item& flag, const std::string& name, const std::string& user) {
    constexpr std::uint64_t kPercent = 100;
    const auto share = model::integer_of(flag, "rollout_percent").value_or(kPercent);
    const auto place = static_cast<std::int64_t>(hash64(name + "#" + user) % kPercent);
    return model::flag_of(flag, "enabled") && place < share;
}

// Administrators see the flag as it was set; `on` is what it means for the user, and for everybody
// else `enabled` says so as well.
value::AttributeValue shown(
    const model::Runtime& runtime,
    const model::Entity& entity,
    const value::Item& flag,
    const NativeCall& call,
    const std::string& user
) {
    auto answer = runtime.to_api(entity, flag, call.caller);
    if (auto* members = std::get_if<value::Map>(&answer.data)) {
        const bool on = is_on(flag, model::text_of(flag, "flag_name"), user);
        members->insert_or_assign("on", model::boolean(on));
        if (!call.caller.roles.contains("admin")) {
            members->insert_or_assign("enabled", model::boolean(on));
        }
    }
    return answer;
}

Reply get_feature(model::Runtime& runtime, const NativeCall& call) {
    const auto& roles = call.caller.roles;
    auto user = call.caller.user.value_or("");
    if (call.has("user_id")) {
        if (!roles.contains("admin") && !roles.contains("service")) {
            return CallError{403, "Forbidden", "Only for administrators"};
        }
        user = call.text("user_id");
    }
    const auto name = call.text("flag_name");
    const auto flag = runtime.get("flag", {{"flag_name", text(name)}}, call.caller);
    if (flag) {
        model::OperationReply reply;
        reply.body = shown(runtime, *flag->entity, flag->item, call, user);
        return reply;
    }
    if (flag.error().status != 404) {
        return flag.error();
    }
    // A flag that nobody has set is off.
    return reply_with(
        {{"flag_name", text(name)},
         {"enabled", model::boolean(false)},
         {"on", model::boolean(false)}}
    );
}

Reply list_features(model::Runtime& runtime, const NativeCall& call) {
    value::List items;
    model::PatternCall page{.limit = 100};
    do {
        const auto flags = runtime.query("flags", page, call.caller);
        if (!flags) {
            return flags.error();
        }
        for (std::size_t i = 0; i < flags->items.size(); ++i) {
            items.push_back(shown(
                runtime, *flags->kinds[i], flags->items[i], call, call.caller.user.value_or("")
            ));
        }
        page.cursor = flags->cursor;
    } while (page.cursor);
    return reply_with({{"items", {std::move(items)}}, {"cursor", {value::Null{}}}});
}

}  // namespace

void install_features(model::Runtime& runtime) {
    runtime.install("getFeature", [&runtime](const auto& call) {
        return get_feature(runtime, call);
    });
    runtime.install("listFeatures", [&runtime](const auto& call) {
        return list_features(runtime, call);
    });
}

}  // namespace gateleg::systems::figureforge

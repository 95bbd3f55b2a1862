#include "systems/membership/administration.h"

#include <algorithm>

#include "base/time_text.h"
#include "systems/webhooks.h"

namespace gateleg::systems::membership {
namespace {

using model::number;
using model::text;
using value::AttributeValue;

std::string actor_of(const model::NativeCall& call) {
    return call.caller.user.value_or("system");
}

bool is_running(const Subscription& subscription) {
    return subscription.status == "active" || subscription.status == "trialing" ||
           subscription.status == "past_due";
}

void add_audit(Change& change, std::string action, const std::string& reason) {
    change.arguments["action"] = text(std::move(action));
    if (!reason.empty()) {
        change.arguments["reason"] = text(reason);
    }
}

OperationReply changed_reply(bool changed) {
    OperationReply reply;
    reply.changed = changed;
    return reply;
}

}  // namespace

// --- reading

CallResult<OperationReply> Administration::shown(
    const std::string& user, const model::Caller& caller
) const {
    OperationReply reply;
    GATELEG_CALL_TRY_ASSIGN_CALL(reply.body, members_.show(user, caller));
    return reply;
}

CallResult<Member> Administration::known(const std::string& user) const {
    GATELEG_CALL_TRY_ASSIGN_CALL(auto member, members_.load(user));
    if (!member.exists()) {
        return CallError{404, "UserNotFound", "Nothing is known of this user"};
    }
    return member;
}

CallResult<OperationReply> Administration::show(const model::NativeCall& call) const {
    if (auto bad = find_bad_caller(call.caller)) {
        return *bad;
    }
    return shown(*call.caller.user, call.caller);
}

CallResult<OperationReply> Administration::show_other(const model::NativeCall& call) const {
    if (const auto member = known(call.text("userId")); !member) {
        return member.error();
    }
    return shown(call.text("userId"), call.caller);
}

CallResult<OperationReply> Administration::check_access(const model::NativeCall& call) const {
    if (auto bad = find_bad_caller(call.caller)) {
        return *bad;
    }
    auto user = *call.caller.user;
    if (call.has("userId") && call.text("userId") != user) {
        if (!call.caller.roles.contains("service") && !call.caller.roles.contains("admin")) {
            return CallError{403, "Forbidden", "Only a service may ask about somebody else"};
        }
        user = call.text("userId");
    }
    if (call.has("feature") == call.has("tier")) {
        return model::validation_failed("feature", "or tier is needed, and not both");
    }
    auto least = find_tier(call.text("tier"));
    if (call.has("feature")) {
        const auto& features = members_.catalog().features;
        const auto feature = features.find(call.text("feature"));
        if (feature == features.end()) {
            return model::validation_failed("feature", "is not one of the catalogue");
        }
        least = feature->second.least;
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto member, members_.load(user));
    const auto access = find_access(member, members_.catalog(), members_.now_millis());
    OperationReply reply;
    reply.body = AttributeValue{value::Map{
        {"allowed", model::boolean(access.tier >= least.value_or(Tier::kFree))},
        {"tier", text(std::string(tier_name(access.tier)))},
        {"source", text(access.source)},
        {"until", time_value(access.until)}}};
    return reply;
}

// --- by hand

CallResult<OperationReply> Administration::set_founder(const model::NativeCall& call) const {
    const auto user = call.text("userId");
    const auto type = call.text("passType");
    const bool revokes = call.text("action") == "revoke";
    const auto& catalog = members_.catalog();
    const auto now = members_.now_seconds();
    const auto changed = members_.change(
        user,
        [&](Member& member) -> CallResult<std::optional<Change>> {
            auto* pass = member.find_pass(type);
            const bool owned = pass != nullptr && !pass->revoked;
            if (revokes && pass == nullptr) {
                return CallError{404, "FounderPassNotFound", "There is no such FounderPass."};
            }
            if (revokes != owned) {
                return std::optional<Change>();
            }
            if (pass == nullptr) {
                member.passes.push_back({.type = type});
                pass = &member.passes.back();
            }
            Change change;
            pass->revoked = revokes;
            change.arguments["passType"] = text(type);
            if (revokes) {
                change.arguments["pass"] = {value::Map{{"revokedAt", time_value(now)}}};
            } else {
                change.arguments["pass"] = {value::Map{
                    {"stripePaymentIntentId", text("admin:" + actor_of(call))},
                    {"purchasedAt", time_value(now)},
                    {"revokedAt", {value::Null{}}}}};
                const auto credits = catalog.founder_credits.find(type);
                const auto period = type + "#" + render_rfc3339(now * 1000).substr(0, 7);
                GATELEG_CALL_TRY_ASSIGN_CALL(
                    const auto granted,
                    members_.find(
                        "grant",
                        {{"userId", text(user)},
                         {"source", text("founder")},
                         {"periodKey", text(period)}}
                    )
                );
                if (!granted && credits != catalog.founder_credits.end() && credits->second > 0) {
                    change.arguments["source"] = text("founder");
                    change.arguments["periodKey"] = text(period);
                    change.arguments["amount"] = number(credits->second);
                    change.arguments["kind"] = text("founder_grant");
                    change.arguments["lotSource"] = text("founder");
                    if (const auto expiry = catalog.lot_expiry("founder", now)) {
                        change.arguments["lotExpiresAt"] = number(*expiry);
                    }
                }
            }
            add_audit(change, revokes ? "founder.revoke" : "founder.grant", call.text("reason"));
            change.arguments["after"] = {value::Map{{"passType", text(type)}}};
            change.after = member;
            return std::optional(std::move(change));
        },
        actor_of(call)
    );
    if (!changed) {
        return changed.error();
    }
    return shown(user, call.caller);
}

CallResult<OperationReply> Administration::set_tier(const model::NativeCall& call) const {
    const auto user = call.text("userId");
    const auto tier = call.text("tier");
    const auto changed = members_.change(
        user,
        [&](Member& member) -> CallResult<std::optional<Change>> {
            Change change;
            add_audit(change, "tier.set", call.text("reason"));
            change.arguments["before"] = {value::Map{{"tier", text(member.profile.tier)}}};
            change.arguments["after"] = {value::Map{{"tier", text(tier)}}};
            change.drop_manual = tier == "free";
            member.profile.manual_tier = tier;
            change.after = member;
            return std::optional(std::move(change));
        },
        actor_of(call)
    );
    if (!changed) {
        return changed.error();
    }
    return shown(user, call.caller);
}

// --- the end of a user

CallResult<bool> Administration::forfeit_lots(const std::string& user) const {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto lots, members_.lots(user));
    bool changed = false;
    for (const auto& lot : lots) {
        if (lot.remaining <= 0) {
            continue;
        }
        model::OperationCall call;
        call.arguments = {
            {"userId", text(user)}, {"expiry", number(lot.expiry)}, {"lotId", text(lot.id)}};
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto reply, members_.runtime().run("forfeitLot", call, model::internal_caller())
        );
        changed |= reply.changed;
    }
    return changed;
}

// Subscriptions and passes, one at a time, each a change that can be repeated.
CallResult<bool> Administration::end_everything(const std::string& user, const std::string& actor)
    const {
    const auto now = members_.now_seconds();
    bool changed = false;
    while (true) {
        const auto step = members_.change(
            user,
            [&](Member& member) -> CallResult<std::optional<Change>> {
                Change change;
                for (auto& one : member.subscriptions) {
                    if (!is_running(one)) {
                        continue;
                    }
                    one.object_status = "canceled";
                    one.status = "canceled";
                    one.object_end = std::min(one.end.value_or(now), now);
                    one.end = one.object_end;
                    one.event_created = std::max(one.event_created, now);
                    change.arguments["subscriptionId"] = text(one.id);
                    change.arguments["subscription"] = {write_subscription(one)};
                    change.outbox.push_back(outbox_row(
                        "stripe-call",
                        {{"userId", text(user)},
                         {"path", text("/v1/subscriptions/" + one.id)},
                         {"params", {value::Map{{"cancel_at_period_end", model::boolean(true)}}}}}
                    ));
                    change.after = member;
                    return std::optional(std::move(change));
                }
                for (auto& one : member.passes) {
                    if (one.revoked) {
                        continue;
                    }
                    one.revoked = true;
                    change.arguments["passType"] = text(one.type);
                    change.arguments["pass"] = {value::Map{{"revokedAt", time_value(now)}}};
                    change.after = member;
                    return std::optional(std::move(change));
                }
                return std::optional<Change>();
            },
            actor
        );
        if (!step) {
            return step;
        }
        if (!*step) {
            return changed;
        }
        changed = true;
    }
}

CallResult<OperationReply> Administration::remove(const model::NativeCall& call) const {
    const auto user = call.text("userId");
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto member, known(user));
    const auto now = members_.now_millis();
    const bool running =
        std::any_of(member.subscriptions.begin(), member.subscriptions.end(), [&](const auto& one) {
            return is_running(one) && one.end && *one.end * 1000 > now;
        });
    if (running && !call.flag("force") && !member.profile.deleted) {
        return CallError{409, "SubscriptionActive", "Cancel the subscription first, or use force"};
    }
    // First the mark: from here on no event brings anything back.
    const auto marked = members_.change(
        user,
        [&](Member& current) -> CallResult<std::optional<Change>> {
            if (current.profile.deleted) {
                return std::optional<Change>();
            }
            Change change;
            value::List customers;
            const auto add = [&](const std::string& customer) {
                const auto value = text(customer);
                if (!customer.empty() && customers.size() < 20 &&
                    std::find(customers.begin(), customers.end(), value) == customers.end()) {
                    customers.push_back(value);
                }
            };
            add(current.profile.customer);
            for (const auto& one : current.subscriptions) {
                add(one.customer);
            }
            if (!customers.empty()) {
                change.arguments["forget"] = {std::move(customers)};
            }
            change.profile = {
                {"deletedAt", time_value(now / 1000)},
                {"email", {value::Null{}}},
                {"stripeCustomerId", {value::Null{}}}};
            change.drop_manual = true;
            current.profile.deleted = true;
            add_audit(change, "user.delete", call.text("reason"));
            change.after = current;
            return std::optional(std::move(change));
        },
        actor_of(call)
    );
    if (!marked) {
        return marked.error();
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto ended, end_everything(user, actor_of(call)));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto held, spending_.expire_reservations(user));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto forfeited, forfeit_lots(user));
    return changed_reply(*marked || ended || held || forfeited);
}

}  // namespace gateleg::systems::membership

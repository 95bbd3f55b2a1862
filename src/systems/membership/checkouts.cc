#include "systems/membership/checkouts.h"

#include "base/ids.h"

namespace gateleg::systems::membership {
namespace {

using model::number;
using model::text;
using value::AttributeValue;

// 202 {"checkoutId", "status"} of a checkout, new or stored.
OperationReply to_reply(OperationReply reply, const std::string& warning) {
    value::Map shown;
    const auto* stored = reply.body ? std::get_if<value::Map>(&reply.body->data) : nullptr;
    if (stored != nullptr) {
        for (const auto* name : {"checkoutId", "status", "url", "credits"}) {
            if (const auto found = stored->find(name); found != stored->end()) {
                shown[name] = found->second;
            }
        }
    }
    if (!warning.empty()) {
        shown["warning"] = text(warning);
    }
    reply.body = AttributeValue{std::move(shown)};
    reply.status = 202;
    return reply;
}

}  // namespace

CallResult<Member> Checkouts::buyer(const model::NativeCall& call) const {
    if (auto bad = find_bad_caller(call.caller)) {
        return *bad;
    }
    auto member = members_.load(*call.caller.user);
    if (member && member->profile.deleted) {
        return CallError{404, "UserNotFound", "This user was deleted"};
    }
    return member;
}

CallResult<OperationReply> Checkouts::subscription(const model::NativeCall& call) const {
    GATELEG_CALL_TRY_ASSIGN_CALL(auto member, buyer(call));
    const auto& catalog = members_.catalog();
    const auto name = call.text("planTier");
    const auto price = catalog.prices.find(find_tier(name).value_or(Tier::kFree));
    if (price == catalog.prices.end()) {
        return CallError{409, "ContactSales", "This tier is not sold here; talk to us"};
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(auto replay, members_.runtime().find_replay(call));
    if (replay) {
        return to_reply(*std::move(replay), "");
    }
    const auto* current = find_granting(member, catalog, members_.now_millis());
    // One that was canceled only runs out: who has it may subscribe again.
    if (current != nullptr && current->status != "canceled") {
        return CallError{409, "AlreadySubscribed", "There is a subscription; change its plan"};
    }
    Order order{
        .kind = "subscription",
        .plan_tier = name,
        .usd = price->second,
        .what = "subscription",
        .item = name,
        .name = name};
    if (const auto found = catalog.stripe_prices.find(name); found != catalog.stripe_prices.end()) {
        order.price = found->second;
    }
    const auto access = find_access(member, catalog, members_.now_millis());
    if (access.source == "founder" && !catalog.highest_wins) {
        order.warning = "A founder pass decides your tier; a subscription will not change it";
    }
    return open(call, member, order);
}

CallResult<OperationReply> Checkouts::founder(const model::NativeCall& call) const {
    GATELEG_CALL_TRY_ASSIGN_CALL(auto member, buyer(call));
    const auto type = call.text("passType");
    GATELEG_CALL_TRY_ASSIGN_CALL(auto replay, members_.runtime().find_replay(call));
    if (replay) {
        return to_reply(*std::move(replay), "");
    }
    const auto* pass = member.find_pass(type);
    if (pass != nullptr && !pass->revoked) {
        return CallError{409, "PassAlreadyOwned", "This pass is yours already"};
    }
    const auto& catalog = members_.catalog();
    Order order{
        .kind = "founder",
        .pass_type = type,
        .what = "founder_" + type,
        .item = type,
        .name = type};
    if (const auto price = catalog.founder_prices.find(type);
        price != catalog.founder_prices.end()) {
        order.usd = price->second;
    }
    if (const auto found = catalog.stripe_prices.find(type); found != catalog.stripe_prices.end()) {
        order.price = found->second;
    }
    const auto* current = find_granting(member, catalog, members_.now_millis());
    if (current != nullptr && !catalog.highest_wins &&
        find_tier(current->plan_tier).value_or(Tier::kFree) > tier_of_pass(type)) {
        order.warning = "The pass will decide your tier, which is lower than your subscription's";
    }
    return open(call, member, order);
}

CallResult<OperationReply> Checkouts::top_up(const model::NativeCall& call) const {
    const auto& catalog = members_.catalog();
    const auto usd = call.integer("amountUsd");
    if (!usd || *usd <= 0 || *usd % catalog.top_up_usd != 0 || *usd > catalog.top_up_max_usd) {
        CallError error{
            400,
            "InvalidTopUpAmount",
            "Top-ups are multiples of " + std::to_string(catalog.top_up_usd) + " dollars, up to " +
                std::to_string(catalog.top_up_max_usd)};
        error.field = "amountUsd";
        return error;
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(auto member, buyer(call));
    GATELEG_CALL_TRY_ASSIGN_CALL(auto replay, members_.runtime().find_replay(call));
    if (replay) {
        return to_reply(*std::move(replay), "");
    }
    const auto credits = *usd / catalog.top_up_usd * catalog.top_up_credits;
    return open(
        call,
        member,
        {.kind = "topup",
         .usd = usd,
         .credits = credits,
         .name = std::to_string(credits) + " credits"}
    );
}

CallResult<OperationReply> Checkouts::open(
    const model::NativeCall& call, const Member& member, const Order& order
) const {
    auto& runtime = members_.runtime();
    const auto id = random_uuid();
    // The delivery sends all of it to Stripe as metadata: it comes back with the events.
    value::Map request{
        {"userId", text(member.user)},
        {"checkoutId", text(id)},
        {"kind", text(order.kind)},
        {"mode", text(order.kind == "subscription" ? "subscription" : "payment")},
        {"currency", text("usd")},
        {"name", text(order.name)}};
    model::OperationCall inner;
    inner.behind = &call.original;
    auto& arguments = inner.arguments;
    arguments["userId"] = text(member.user);
    arguments["checkoutId"] = text(id);
    arguments["kind"] = text(order.kind);
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) {
            arguments[name] = text(value);
            request[name] = text(value);
        }
    };
    add("planTier", order.plan_tier);
    add("passType", order.pass_type);
    if (order.usd) {
        arguments["amountUsd"] = number(*order.usd);
        request["amount"] = number(*order.usd * 100);
    }
    if (order.credits) {
        arguments["credits"] = number(*order.credits);
    }
    if (!order.price.empty()) {
        request["price"] = text(order.price);
    }
    if (!member.profile.customer.empty()) {
        request["customer"] = text(member.profile.customer);
    }
    if (!member.profile.provider.empty()) {
        request["provider"] = text(member.profile.provider);
    }
    if (!order.what.empty()) {
        arguments["what"] = text(order.what);
        arguments["item"] = text(order.item);
        arguments["millis"] = number(members_.catalog().checkout_minutes * 60 * 1000);
    }
    arguments["request"] = {std::move(request)};
    auto reply = runtime.run("openCheckout", inner, model::internal_caller(member.user));
    if (reply) {
        return to_reply(*std::move(reply), order.warning);
    }
    if (reply.error().code != "CheckoutOpen") {
        return reply;
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto guard,
        members_.find("openCheckoutOf", {{"userId", text(member.user)}, {"what", text(order.what)}})
    );
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto checkout,
        members_.find(
            "checkoutOf",
            {{"userId", text(member.user)},
             {"checkoutId", text(guard ? model::text_of(*guard, "checkoutId") : id)}}
        )
    );
    if (!checkout) {
        return too_busy();  // it ran out at this very moment
    }
    OperationReply first;
    first.body = runtime.to_api(
        *runtime.model().find_entity("Checkout"), *checkout, model::internal_caller(member.user)
    );
    return to_reply(std::move(first), order.warning);
}

}  // namespace gateleg::systems::membership

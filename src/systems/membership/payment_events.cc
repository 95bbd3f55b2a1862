// Events of payments that happen once: top-ups and founder passes.

#include <algorithm>

#include "base/time_text.h"
#include "systems/membership/billing.h"
#include "systems/webhooks.h"

namespace gateleg::systems::membership {
namespace {

using model::number;
using model::text;

std::int64_t time_of(const StripeEvent& event, std::int64_t now_seconds) {
    return event.created > 0 ? std::min(event.created, now_seconds) : now_seconds;
}

}  // namespace

CallResult<Billing::Outcome> Billing::apply_payment(
    const StripeEvent& event, const std::string& payment
) const {
    const StripeObject object(event.object);
    const auto kind = object.metadata("kind");
    if (kind != "topup" && kind != "founder") {
        return Outcome{.state = "ignored", .note = "neither a top-up nor a founder pass"};
    }
    if (!is_outside_id(payment)) {
        return Outcome{.state = "review", .note = "a payment without an id"};
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto user, find_user(object));
    if (user.empty()) {
        return Outcome{
            .state = "parked", .note = "unknown customer", .waits_for = object.customer()};
    }
    auto done =
        kind == "topup" ? apply_top_up(event, user, payment) : apply_founder(event, user, payment);
    if (done && done->state != "review") {
        done->learned = {object.customer(), payment};
    }
    return done;
}

CallResult<Billing::Outcome> Billing::apply_top_up(
    const StripeEvent& event, const std::string& user, const std::string& payment
) const {
    const StripeObject object(event.object);
    const auto& catalog = members_.catalog();
    std::int64_t cents = 0;
    for (const auto* name : {"amount_received", "amount_total", "amount"}) {
        cents = cents > 0 ? cents : object.integer(name).value_or(0);
    }
    const auto unit = catalog.top_up_usd * 100;
    const auto currency = object.text("currency");
    if (cents <= 0 || cents % unit != 0 || (!currency.empty() && currency != "usd")) {
        return Outcome{.state = "review", .note = "a top-up of an amount that is not sold"};
    }
    return change(event, user, [&](Member& member) -> CallResult<std::optional<Change>> {
        Change change;
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto granted, is_granted(user, "topup", payment));
        if (!granted) {
            const auto credits = cents / unit * catalog.top_up_credits;
            add_grant(change, "topup", payment, credits, "top_up", "top_up");
            change.arguments["cents"] = number(cents);
            change.arguments["paymentId"] = text(payment);
            change.arguments["paymentKind"] = text("topup");
        }
        if (const auto id = object.metadata("checkoutId"); !id.empty()) {
            change.arguments["checkoutId"] = text(id);
        }
        if (const auto customer = object.customer(); !customer.empty()) {
            change.arguments["customer"] = text(customer);
        }
        change.after = member;
        return std::optional(std::move(change));
    });
}

CallResult<Billing::Outcome> Billing::apply_founder(
    const StripeEvent& event, const std::string& user, const std::string& payment
) const {
    const StripeObject object(event.object);
    const auto& catalog = members_.catalog();
    const auto type = object.metadata("passType");
    if (type != "FOUNDING_MEMBER" && type != "GUILD_BUILDER") {
        return Outcome{.state = "review", .note = "a founder pass of an unknown type"};
    }
    return change(event, user, [&](Member& member) -> CallResult<std::optional<Change>> {
        Change change;
        if (const auto id = object.metadata("checkoutId"); !id.empty()) {
            change.arguments["checkoutId"] = text(id);
        }
        if (const auto customer = object.customer(); !customer.empty()) {
            change.arguments["customer"] = text(customer);
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto known, members_.find("payment", {{"paymentId", text(payment)}})
        );
        if (known) {
            change.after = member;  // what this payment bought is there, or was refunded
            return std::optional(std::move(change));
        }
        change.arguments["paymentId"] = text(payment);
        auto* pass = member.find_pass(type);
        if (pass != nullptr && !pass->revoked) {
            change.arguments["paymentKind"] = text("refused");
            change.outbox.push_back(outbox_row(
                "stripe-refund",
                {{"payment_intent", text(payment)},
                 {"userId", text(user)},
                 {"reason", text("a second " + type + " pass")}}
            ));
            change.after = member;
            return std::optional(std::move(change));
        }
        const auto bought = time_of(event, members_.now_seconds());
        if (pass == nullptr) {
            member.passes.push_back({type});
            pass = &member.passes.back();
        }
        pass->payment = payment;
        pass->revoked = false;
        pass->purchased_millis = bought * 1000;
        change.arguments["paymentKind"] = text("founder");
        change.arguments["passType"] = text(type);
        change.arguments["pass"] = {value::Map{
            {"stripePaymentIntentId", text(payment)},
            {"purchasedAt", time_value(bought)},
            {"revokedAt", {value::Null{}}}}};
        const auto credits = catalog.founder_credits.find(type);
        const auto period = type + "#" + render_rfc3339(bought * 1000).substr(0, 7);
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto granted, is_granted(user, "founder", period));
        if (!granted && credits != catalog.founder_credits.end() && credits->second > 0) {
            add_grant(change, "founder", period, credits->second, "founder_grant", "founder");
        }
        change.after = member;
        return std::optional(std::move(change));
    });
}

}  // namespace gateleg::systems::membership

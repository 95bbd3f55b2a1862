// Events of subscriptions: checkouts that begin them, what they say of themselves, their invoices.

#include <algorithm>

#include "systems/membership/billing.h"
#include "systems/webhooks.h"

namespace gateleg::systems::membership {

using model::text;

CallResult<Billing::Outcome> Billing::apply_checkout(const StripeEvent& event) const {
    const StripeObject object(event.object);
    if (object.text("mode") == "payment") {
        if (object.text("payment_status") == "unpaid") {
            return Outcome{.state = "ignored", .note = "not paid yet"};
        }
        return apply_payment(event, object.id("payment_intent"));
    }
    const auto subscription = object.id("subscription");
    if (object.text("mode") != "subscription" || !is_outside_id(subscription)) {
        return Outcome{.state = "ignored"};
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto user, find_user(object));
    const auto customer = object.customer();
    if (user.empty()) {
        return Outcome{.state = "parked", .note = "unknown customer", .waits_for = customer};
    }
    auto done = change(event, user, [&](Member& member) -> CallResult<std::optional<Change>> {
        Change change;
        if (!customer.empty()) {
            change.arguments["customer"] = text(customer);
            change.profile["stripeCustomerId"] = text(customer);
            member.profile.customer = customer;
        }
        if (const auto id = object.metadata("checkoutId"); !id.empty()) {
            change.arguments["checkoutId"] = text(id);
        }
        if (member.find_subscription(subscription) == nullptr && !customer.empty()) {
            // Its own events say the rest; until then it is only known to be coming.
            Subscription fresh;
            fresh.id = subscription;
            fresh.customer = customer;
            fresh.object_status = "incomplete";
            fresh.status = "incomplete";
            if (const auto tier = members_.catalog().tier_of(object.metadata("planTier"))) {
                fresh.plan_tier = tier_name(*tier);
            }
            change.arguments["subscriptionId"] = text(subscription);
            change.arguments["subscription"] = {write_subscription(fresh)};
            member.subscriptions.push_back(fresh);
        }
        change.after = member;
        return std::optional(std::move(change));
    });
    if (done) {
        done->learned = {customer};
    }
    return done;
}

CallResult<Billing::Outcome> Billing::apply_subscription(const StripeEvent& event) const {
    const StripeObject object(event.object);
    const auto& catalog = members_.catalog();
    const auto id = object.text("id");
    const auto customer = object.customer();
    if (!is_outside_id(id)) {
        return Outcome{.state = "review", .note = "a subscription without an id"};
    }
    const bool deleted = event.type == "customer.subscription.deleted";
    auto said = object.to_object_event(catalog, deleted);
    said.id = event.id;
    said.created = event.created > 0 ? event.created : members_.now_seconds();
    if (said.plan_tier.empty() && !deleted) {
        return Outcome{.state = "review", .note = "unknown price"};
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto user, find_user(object));
    if (user.empty()) {
        return Outcome{.state = "parked", .note = "unknown customer", .waits_for = customer};
    }
    auto done = change(event, user, [&](Member& member) -> CallResult<std::optional<Change>> {
        auto* known = member.find_subscription(id);
        if (known != nullptr && !customer.empty() && !known->customer.empty() &&
            known->customer != customer) {
            return CallError{409, "CustomerConflict", "the subscription is another customer's"};
        }
        if (known == nullptr) {
            member.subscriptions.emplace_back();
            known = &member.subscriptions.back();
            known->id = id;
            known->provider = member.profile.provider;
        }
        Change change;
        const auto merged = merge_object(*known, said);
        const auto tier = find_tier(known->plan_tier);
        const auto quota = tier ? catalog.quota(*tier) : 0;
        // ME-R24: once paid for, a period is worth the best plan it has had.
        const bool paid = known->quota_period && known->covers(*known->quota_period);
        if (merged != Merged::kOlder && paid && known->status == "active" && quota > known->quota) {
            const auto period =
                id + "#" + std::to_string(*known->quota_period) + "#" + known->plan_tier;
            GATELEG_CALL_TRY_ASSIGN_CALL(
                const auto granted, is_granted(member.user, "upgrade", period)
            );
            if (!granted) {
                add_grant(
                    change, "upgrade", period, quota - known->quota, "monthly_grant", "monthly"
                );
            }
            known->quota = quota;
        }
        if (merged == Merged::kTie) {
            change.outbox.push_back(outbox_row(
                "stripe-call",
                {{"userId", text(member.user)},
                 {"path", text("/v1/subscriptions/" + id)},
                 {"params", {value::Map{}}}}
            ));
        }
        auto attributes = write_subscription(*known);
        if (merged != Merged::kOlder) {
            attributes["pendingCancel"] = {value::Null{}};
            attributes["pendingPlan"] = {value::Null{}};
        }
        change.arguments["subscriptionId"] = text(id);
        change.arguments["subscription"] = {std::move(attributes)};
        if (!known->customer.empty()) {
            change.arguments["customer"] = text(known->customer);
            change.profile["stripeCustomerId"] = text(known->customer);
        }
        if (!known->provider.empty() && member.profile.provider.empty()) {
            change.profile["provider"] = text(known->provider);
            member.profile.provider = known->provider;
        }
        change.after = member;
        return std::optional(std::move(change));
    });
    if (done) {
        done->learned = {customer, id};
    }
    return done;
}

CallResult<Billing::Outcome> Billing::apply_invoice(const StripeEvent& event, bool paid) const {
    const StripeObject object(event.object);
    const auto& catalog = members_.catalog();
    const auto invoice = object.text("id");
    const auto id = object.subscription_of_invoice();
    const auto customer = object.customer();
    if (id.empty() || !is_outside_id(invoice)) {
        return Outcome{.state = "ignored", .note = "no subscription is behind it"};
    }
    const auto reason = object.text("billing_reason");
    const bool regular = reason == "subscription_create" || reason == "subscription_cycle";
    const bool money = object.integer("amount_paid").value_or(0) > 0;
    if (paid && !money) {
        return Outcome{.state = "ignored", .note = "nothing was paid"};
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto user, find_user(object));
    if (user.empty()) {
        return Outcome{.state = "parked", .note = "unknown customer", .waits_for = customer};
    }
    auto said = object.to_invoice_event(catalog, paid);
    said.created = event.created > 0 ? event.created : members_.now_seconds();
    Outcome stays;
    auto done = change(event, user, [&](Member& member) -> CallResult<std::optional<Change>> {
        auto* known = member.find_subscription(id);
        stays = {};
        const bool unknown_plan =
            said.plan_tier.empty() && (known == nullptr || known->plan_tier.empty());
        if ((known == nullptr && (!paid || customer.empty())) ||
            (paid && regular && unknown_plan)) {
            stays = {.state = "parked", .note = "unknown subscription", .waits_for = id};
            return std::optional<Change>();
        }
        if (known != nullptr && !customer.empty() && !known->customer.empty() &&
            known->customer != customer) {
            return CallError{409, "CustomerConflict", "the subscription is another customer's"};
        }
        if (known == nullptr) {
            member.subscriptions.emplace_back();
            known = &member.subscriptions.back();
            known->id = id;
            known->provider = member.profile.provider;
        }
        merge_invoice(*known, said);
        Change change;
        if (paid && regular) {
            const auto plan = find_tier(said.plan_tier.empty() ? known->plan_tier : said.plan_tier);
            auto quota = plan ? catalog.quota(*plan) : 0;
            const auto start = said.start ? said.start : known->start;
            const auto now_on = find_tier(known->plan_tier);
            // An upgrade that was heard of before the invoice of its period.
            if (now_on && start && known->covers(*start) && known->event_created > said.created) {
                quota = std::max(quota, catalog.quota(*now_on));
            }
            GATELEG_CALL_TRY_ASSIGN_CALL(
                const auto granted, is_granted(member.user, "invoice", invoice)
            );
            if (!granted && quota > 0) {
                add_grant(change, "invoice", invoice, quota, "monthly_grant", "monthly");
            }
            if (start && (!known->quota_period || *start > *known->quota_period)) {
                known->quota_period = start;
                known->quota = quota;
            }
        }
        if (!paid) {
            change.outbox.push_back(outbox_row(
                "mail",
                {{"userId", text(member.user)},
                 {"subject", text("Your payment has failed")},
                 {"text",
                  text("A payment for your subscription has failed. Please look at your "
                       "payment method.")}}
            ));
        }
        change.arguments["subscriptionId"] = text(id);
        change.arguments["subscription"] = {write_subscription(*known)};
        if (!known->customer.empty()) {
            change.arguments["customer"] = text(known->customer);
        }
        change.after = member;
        return std::optional(std::move(change));
    });
    if (done && !stays.waits_for.empty() && done->state == "duplicate") {
        return stays;
    }
    if (done) {
        done->learned = {customer, id};
    }
    return done;
}

}  // namespace gateleg::systems::membership

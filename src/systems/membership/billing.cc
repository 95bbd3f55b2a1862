#include "systems/membership/billing.h"

#include <algorithm>

#include "base/log.h"
#include "base/time_text.h"
#include "systems/membership/reversals.h"
#include "systems/webhooks.h"
#include "value/json_tree.h"

namespace gateleg::systems::membership {
namespace {

using model::number;
using model::text;
using value::AttributeValue;

// Larger ones are applied as well, but cannot be replayed.
constexpr std::size_t kMaxPayload = 300'000;

OperationReply to_reply(const std::string& state) {
    OperationReply reply;
    reply.body = AttributeValue{
        value::Map{{"received", model::boolean(true)}, {"state", text(state)}}};
    reply.status = 200;
    return reply;
}

AttributeValue alert(const StripeEvent& event, const std::string& reason) {
    return outbox_row(
        "alert",
        {{"reason", text(reason)}, {"eventId", text(event.id)}, {"eventType", text(event.type)}}
    );
}

std::int64_t time_of(const StripeEvent& event, std::int64_t now_seconds) {
    return event.created > 0 ? std::min(event.created, now_seconds) : now_seconds;
}

}  // namespace

AttributeValue event_record(const StripeEvent& event) {
    value::Map record{{"eventType", text(event.type)}, {"created", number(event.created)}};
    if (event.payload.size() <= kMaxPayload && !event.payload.empty()) {
        record["payload"] = text(event.payload);
    }
    return {std::move(record)};
}

// --- what came in

CallResult<OperationReply> Billing::webhook(const model::NativeCall& call) const {
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto body, read_webhook(members_.services(), "STRIPE", "Stripe-Signature", call)
    );
    const auto event = read_event(body.tree, std::string(call.raw_body()));
    if (!event) {
        return model::validation_failed("id", "and type are needed in an event");
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto outcome, process(*event));
    return to_reply(outcome.state);
}

CallResult<Billing::Outcome> Billing::process(const StripeEvent& event) const {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto applied, is_applied(event.id));
    if (applied) {
        return Outcome{.state = "duplicate"};
    }
    auto outcome = apply(event);
    if (!outcome && outcome.error().code == "CustomerConflict") {
        const std::string note = "the customer belongs to another user";
        outcome = Outcome{.state = "review", .note = note};
    }
    if (!outcome) {
        return outcome;
    }
    if (outcome->state == "review") {
        outcome->outbox.push_back(alert(event, outcome->note));
    }
    if (outcome->state != "applied" && outcome->state != "duplicate") {
        if (auto stored = store(event, *outcome); !stored) {
            return stored.error();
        }
    }
    replay_parked(outcome->learned);
    return outcome;
}

CallResult<bool> Billing::store(const StripeEvent& event, const Outcome& outcome) const {
    auto record = event_record(event);
    auto& map = std::get<value::Map>(record.data);
    const auto or_null = [](const std::string& value) {
        return value.empty() ? AttributeValue{value::Null{}} : text(value);
    };
    map["note"] = or_null(outcome.note);
    map["waitsFor"] = or_null(outcome.waits_for);
    model::OperationCall call;
    call.arguments = {
        {"eventId", text(event.id)},
        {"event", std::move(record)},
        {"state", text(outcome.state)},
        {"done", model::boolean(outcome.state == "ignored")}};
    if (!outcome.outbox.empty()) {
        call.arguments["outbox"] = {outcome.outbox};
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto reply, members_.runtime().run("storeEvent", call, model::internal_caller())
    );
    return reply.changed;
}

void Billing::replay_parked(const std::vector<std::string>& learned) const {
    for (const auto& what : learned) {
        if (what.empty()) {
            continue;
        }
        model::PatternCall list;
        list.arguments["waitsFor"] = text(what);
        const auto page =
            members_.runtime().query("parkedEvents", list, model::internal_caller());
        if (!page) {
            continue;  // the job for parked events finds them as well
        }
        for (const auto& item : page->items) {
            bool moved = false;
            const auto id = model::text_of(item, "eventId");
            if (const auto done = process_stored(id, moved); !done) {
                log_warn("a parked event cannot be applied yet", {{"eventId", id}});
            }
        }
    }
}

CallResult<OperationReply> Billing::process_stored(const std::string& id, bool& moved) const {
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto stored, members_.find("stripeEvent", {{"eventId", text(id)}})
    );
    if (!stored) {
        return CallError{404, "StripeEventNotFound", "There is no such StripeEvent."};
    }
    const auto payload = model::text_of(*stored, "payload");
    const auto tree = value::parse_json(payload);
    const auto event = tree ? read_event(*tree, payload) : std::nullopt;
    if (!event) {
        return to_reply(model::text_of(*stored, "state"));  // too large to have been kept
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto outcome, process(*event));
    moved = outcome.state != "duplicate" && outcome.state != model::text_of(*stored, "state");
    return to_reply(outcome.state);
}

CallResult<OperationReply> Billing::replay(const model::NativeCall& call) const {
    bool moved = false;
    return process_stored(call.text("eventId"), moved);
}

CallResult<OperationReply> Billing::retry(const model::NativeCall& call) const {
    bool moved = false;
    GATELEG_CALL_TRY_ASSIGN_CALL(auto reply, process_stored(call.text("eventId"), moved));
    reply.changed = moved;
    return reply;
}

CallResult<OperationReply> Billing::call_delivered(const model::NativeCall& call) const {
    const auto* answer = call.find("answer");
    OperationReply reply;
    reply.changed = false;
    if (answer == nullptr || StripeObject(*answer).text("object") != "subscription") {
        return reply;
    }
    // It has no id: an answer is no event, and the newest word.
    StripeEvent event;
    event.type = "customer.subscription.updated";
    event.created = members_.now_seconds();
    event.object = *answer;
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto outcome, apply_subscription(event));
    reply.changed = outcome.state == "applied";
    return reply;
}

// --- who, and whether already

CallResult<std::string> Billing::find_user(const StripeObject& object) const {
    if (auto user = object.user(); !user.empty()) {
        return user;
    }
    const auto customer = object.customer();
    if (customer.empty()) {
        return std::string();
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto found, members_.find("userByCustomer", {{"stripeCustomerId", text(customer)}})
    );
    return found ? model::text_of(*found, "userId") : std::string();
}

CallResult<bool> Billing::is_applied(const std::string& event) const {
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto found,
        members_.find("event", {{"provider", text("stripe")}, {"eventId", text(event)}})
    );
    return found.has_value();
}

CallResult<bool> Billing::is_granted(
    const std::string& user, const std::string& source, const std::string& period
) const {
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto found,
        members_.find(
            "grant",
            {{"userId", text(user)}, {"source", text(source)}, {"periodKey", text(period)}}
        )
    );
    return found.has_value();
}

void Billing::add_grant(
    Change& change,
    const std::string& source,
    const std::string& period,
    std::int64_t amount,
    const std::string& kind,
    const std::string& lot_source
) const {
    auto& arguments = change.arguments;
    arguments["source"] = text(source);
    arguments["periodKey"] = text(period);
    arguments["amount"] = number(amount);
    arguments["kind"] = text(kind);
    arguments["lotSource"] = text(lot_source);
    if (const auto expiry = members_.catalog().lot_expiry(lot_source, members_.now_seconds())) {
        arguments["lotExpiresAt"] = number(*expiry);
    }
}

CallResult<Billing::Outcome> Billing::change(
    const StripeEvent& event, const std::string& user, const MakeChange& make
) const {
    bool deleted = false;
    auto changed = members_.change(user, [&](Member& member) -> CallResult<std::optional<Change>> {
        deleted = member.profile.deleted;
        if (deleted) {
            return std::optional<Change>();
        }
        auto change = make(member);
        if (change && *change && !event.id.empty()) {
            (*change)->arguments["eventId"] = text(event.id);
            (*change)->arguments["event"] = event_record(event);
        }
        return change;
    });
    if (!changed) {
        return changed.error();
    }
    if (deleted) {
        return Outcome{.state = "parked", .note = "the user was deleted"};
    }
    return Outcome{.state = *changed ? "applied" : "duplicate"};
}

// --- by type

CallResult<Billing::Outcome> Billing::apply(const StripeEvent& event) const {
    const auto& type = event.type;
    const StripeObject object(event.object);
    if (type == "checkout.session.completed" || type == "checkout.session.async_payment_succeeded") {
        return apply_checkout(event);
    }
    if (type == "customer.subscription.created" || type == "customer.subscription.updated" ||
        type == "customer.subscription.deleted" || type == "customer.subscription.paused" ||
        type == "customer.subscription.resumed") {
        return apply_subscription(event);
    }
    if (type == "invoice.payment_succeeded" || type == "invoice.paid") {
        return apply_invoice(event, true);
    }
    if (type == "invoice.payment_failed") {
        return apply_invoice(event, false);
    }
    if (type == "payment_intent.succeeded") {
        return apply_payment(event, object.text("id"));
    }
    if (type == "charge.refunded" || type == "charge.dispute.created" ||
        type == "charge.dispute.closed") {
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto reversal, apply_reversal(members_, event));
        return Outcome{
            .state = reversal.state, .note = reversal.note, .waits_for = reversal.waits_for};
    }
    if (type == "customer.subscription.trial_will_end") {
        return tell(event, "Your trial ends soon", "Your trial ends in a few days.");
    }
    if (type == "invoice.payment_action_required") {
        return tell(event, "Your payment needs you", "Your bank asks you to confirm a payment.");
    }
    return Outcome{.state = "ignored"};
}

Billing::Outcome Billing::tell(
    const StripeEvent& event, const std::string& subject, const std::string& words
) const {
    Outcome outcome{.state = "ignored"};
    const auto user = find_user(StripeObject(event.object));
    if (user && !user->empty()) {
        outcome.outbox.push_back(outbox_row(
            "mail",
            {{"userId", text(*user)}, {"subject", text(subject)}, {"text", text(words)}}
        ));
    }
    return outcome;
}

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
        if (merged != Merged::kOlder && paid && known->status == "active" &&
            quota > known->quota) {
            const auto period = id + "#" + std::to_string(*known->quota_period) + "#" +
                                known->plan_tier;
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
        const bool unknown_plan = said.plan_tier.empty() &&
                                  (known == nullptr || known->plan_tier.empty());
        if ((known == nullptr && (!paid || customer.empty())) || (paid && regular && unknown_plan)) {
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
                 {"text", text("A payment for your subscription has failed. Please look at your "
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

// --- payments that happen once

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
    auto done = kind == "topup" ? apply_top_up(event, user, payment)
                                : apply_founder(event, user, payment);
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

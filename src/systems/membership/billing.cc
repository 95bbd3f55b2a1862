#include "systems/membership/billing.h"

#include "base/log.h"
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
    reply.body =
        AttributeValue{value::Map{{"received", model::boolean(true)}, {"state", text(state)}}};
    reply.status = 200;
    return reply;
}

AttributeValue alert(const StripeEvent& event, const std::string& reason) {
    return outbox_row(
        "alert",
        {{"reason", text(reason)}, {"eventId", text(event.id)}, {"eventType", text(event.type)}}
    );
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
        const auto page = members_.runtime().query("parkedEvents", list, model::internal_caller());
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
            "grant", {{"userId", text(user)}, {"source", text(source)}, {"periodKey", text(period)}}
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
    if (type == "checkout.session.completed" ||
        type == "checkout.session.async_payment_succeeded") {
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
            "mail", {{"userId", text(*user)}, {"subject", text(subject)}, {"text", text(words)}}
        ));
    }
    return outcome;
}

}  // namespace gateleg::systems::membership

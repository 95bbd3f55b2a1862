// Plans, checkout, and what Stripe reports.

#include <array>
#include <initializer_list>

#include "systems/figureforge/parts.h"
#include "systems/webhooks.h"
#include "value/json_tree.h"

namespace gateleg::systems::figureforge {
namespace {

using model::Arguments;
using model::CallError;
using model::CallResult;
using model::NativeCall;
using model::text;

constexpr std::size_t kMaxParkedBytes = 300'000;
constexpr std::string_view kSubscription = "customer.subscription.";
constexpr std::array<std::string_view, 8> kStatuses = {
    "active",
    "canceled",
    "past_due",
    "trialing",
    "incomplete",
    "incomplete_expired",
    "unpaid",
    "paused"};

// What became of an event.
enum class Outcome : std::uint8_t { kApplied, kIgnored, kParked };

struct Event {
    const WebhookBody& body;
    std::string id;
    std::string type;
    std::string customer;
};

std::string first_text(const WebhookBody& body, std::initializer_list<std::string_view> paths) {
    for (const auto path : paths) {
        auto found = body.text(path);
        if (is_outside_id(found)) {
            return found;
        }
    }
    return {};
}

// Thread-safe.
class StripeEvents {
public:
    explicit StripeEvents(model::Runtime& runtime) : runtime_(runtime) {}

    CallResult<Outcome> apply(const WebhookBody& body) {
        Event event{
            body, body.text("id"), body.text("type"), first_text(body, {"data.object.customer"})};
        if (!is_outside_id(event.id)) {
            return model::validation_failed("id", "is required: the id of the event");
        }
        if (event.type.starts_with(kSubscription)) {
            const auto what = event.type.substr(kSubscription.size());
            const int rank = what == "created" ? 0 : what == "updated" ? 1 : 2;
            if (what == "created" || what == "updated" || what == "deleted") {
                return apply_subscription(event, rank);
            }
        }
        if (event.type == "invoice.payment_succeeded" || event.type == "invoice.paid") {
            return apply_invoice(event, true);
        }
        if (event.type == "invoice.payment_failed") {
            return apply_invoice(event, false);
        }
        auto noted = run("noteEvent", {{"provider", text("stripe")}, {"event_id", text(event.id)}});
        return noted ? CallResult<Outcome>(Outcome::kIgnored) : noted.error();
    }

    // Events that waited for somebody who is known now.
    CallResult<model::Nothing> replay_parked(const std::string& customer) {
        model::PatternCall page{.arguments = {{"provider", text("stripe")}}, .limit = 100};
        do {
            const auto parked = runtime_.query("parkedEvents", page, model::internal_caller());
            if (!parked) {
                return parked.error();
            }
            for (const auto& item : parked->items) {
                if (model::text_of(item, "customer_id") == customer) {
                    if (auto done = replay(item); !done) {
                        return done.error();
                    }
                }
            }
            page.cursor = parked->cursor;
        } while (page.cursor);
        return model::Nothing{};
    }

    CallResult<Outcome> replay(const value::Item& parked) {
        auto tree = value::parse_json(model::text_of(parked, "body"));
        if (!tree) {
            return Outcome::kParked;
        }
        const WebhookBody body{*std::move(tree)};
        auto outcome = apply(body);
        if (!outcome || *outcome == Outcome::kParked) {
            return outcome;
        }
        auto gone = run(
            "unparkEvent",
            {{"provider", text("stripe")}, {"event_id", text(model::text_of(parked, "event_id"))}}
        );
        return gone ? outcome : CallResult<Outcome>(gone.error());
    }

private:
    Reply run(std::string_view operation, Arguments arguments) {
        return runtime_.run(
            operation, {.arguments = std::move(arguments)}, model::internal_caller()
        );
    }

    std::optional<value::Item> find(
        std::string_view pattern, std::string_view key, const std::string& id
    ) {
        if (id.empty()) {
            return std::nullopt;
        }
        auto found =
            runtime_.get(pattern, {{std::string(key), text(id)}}, model::internal_caller());
        return found ? std::optional(std::move(found->item)) : std::nullopt;
    }

    CallResult<Outcome> park(const Event& event, std::string reason) {
        std::string body;
        value::append_plain_json(body, event.body.tree);
        if (body.size() > kMaxParkedBytes) {
            return CallError{413, "PayloadTooLarge", "This event is too large to be kept"};
        }
        Arguments arguments{
            {"provider", text("stripe")},
            {"event_id", text(event.id)},
            {"type", text(event.type)},
            {"reason", text(std::move(reason))},
            {"body", text(std::move(body))}};
        if (!event.customer.empty()) {
            arguments["customer_id"] = text(event.customer);
        }
        auto parked = run("parkEvent", std::move(arguments));
        return parked ? CallResult<Outcome>(Outcome::kParked) : parked.error();
    }

    // An effect that found its user, or an event that has to wait.
    CallResult<Outcome> settle(const Event& event, const Reply& done) {
        if (done) {
            return done->changed ? Outcome::kApplied : Outcome::kIgnored;
        }
        const auto& code = done.error().code;
        if (code == "UserNotFound" || code == "PlanNotFound") {
            return park(event, code);
        }
        return done.error();
    }

    std::string find_user(const Event& event, const std::string& subscription) {
        auto user = first_text(
            event.body,
            {"data.object.metadata.userId",
             "data.object.metadata.user_id",
             "data.object.subscription_details.metadata.userId",
             "data.object.subscription_details.metadata.user_id",
             "data.object.parent.subscription_details.metadata.userId",
             "data.object.lines.data.0.metadata.userId",
             "data.object.lines.data.0.metadata.user_id"}
        );
        if (!user.empty()) {
            return user;
        }
        if (const auto known = find("userByCustomer", "customer_id", event.customer)) {
            return model::text_of(*known, "user_id");
        }
        const auto owned = find("subscriptionByStripeId", "stripe_sub_id", subscription);
        return owned ? model::text_of(*owned, "user_id") : std::string();
    }

    std::string find_plan(const Event& event, const std::string& subscription) {
        auto plan = first_text(
            event.body,
            {"data.object.items.data.0.price.lookup_key",
             "data.object.lines.data.0.price.lookup_key",
             "data.object.metadata.plan_id",
             "data.object.metadata.planId",
             "data.object.metadata.planTier",
             "data.object.subscription_details.metadata.plan_id",
             "data.object.lines.data.0.metadata.plan_id",
             "data.object.items.data.0.price.metadata.plan_id"}
        );
        if (!plan.empty()) {
            return plan;
        }
        const auto owned = find("subscriptionByStripeId", "stripe_sub_id", subscription);
        return owned ? model::text_of(*owned, "plan_id") : std::string();
    }

    CallResult<Outcome> apply_subscription(const Event& event, int rank) {
        const auto& body = event.body;
        const auto id = first_text(body, {"data.object.id"});
        const auto user = find_user(event, id);
        const auto plan = find_plan(event, id);
        const auto status = rank == 2 ? std::string("canceled") : body.text("data.object.status");
        const bool known = std::find(kStatuses.begin(), kStatuses.end(), status) != kStatuses.end();
        if (id.empty() || user.empty() || plan.empty() || !known) {
            return park(
                event, user.empty() ? "UserNotFound" : "it lacks an id, a plan or a status"
            );
        }
        Arguments arguments{
            {"event_id", text(event.id)},
            {"created", model::number(body.integer("created").value_or(0))},
            {"rank", model::number(rank)},
            {"user_id", text(user)},
            {"stripe_sub_id", text(id)},
            {"plan_id", text(plan)},
            {"status", text(status)},
            {"cancel_at_period_end",
             model::boolean(body.flag("data.object.cancel_at_period_end"))}};
        for (const auto* name : {"current_period_start", "current_period_end"}) {
            auto at = body.integer(std::string("data.object.") + name);
            if (!at) {
                at = body.integer(std::string("data.object.items.data.0.") + name);
            }
            if (at) {
                arguments[name] = model::number(*at);
            }
        }
        if (!event.customer.empty()) {
            arguments["stripe_customer_id"] = text(event.customer);
        }
        auto outcome = settle(event, run("subscriptionEvent", std::move(arguments)));
        if (outcome && *outcome == Outcome::kApplied && !event.customer.empty()) {
            if (auto done = replay_parked(event.customer); !done) {
                return done.error();
            }
        }
        return outcome;
    }

    CallResult<Outcome> apply_invoice(const Event& event, bool paid) {
        const auto& body = event.body;
        const auto subscription = first_text(
            body,
            {"data.object.subscription",
             "data.object.parent.subscription_details.subscription",
             "data.object.lines.data.0.subscription"}
        );
        const auto user = find_user(event, subscription);
        if (user.empty()) {
            return park(event, "UserNotFound");
        }
        Arguments arguments{{"event_id", text(event.id)}, {"user_id", text(user)}};
        if (!paid) {
            return settle(event, run("invoiceFailed", std::move(arguments)));
        }
        const auto plan = find_plan(event, subscription);
        const auto invoice = first_text(body, {"data.object.id"});
        if (plan.empty() || invoice.empty()) {
            return park(event, "PlanNotFound");
        }
        arguments["invoice_id"] = text(invoice);
        arguments["plan_id"] = text(plan);
        if (!event.customer.empty()) {
            arguments["stripe_customer_id"] = text(event.customer);
        }
        return settle(event, run("invoicePaid", std::move(arguments)));
    }

    model::Runtime& runtime_;
};

Reply put_plan(model::Runtime& runtime, const NativeCall& call) {
    auto arguments = call.original.arguments;
    arguments["create_only"] = model::boolean(call.header("If-None-Match") == "*");
    const bool there =
        runtime.get("plan", {{"plan_id", text(call.text("plan_id"))}}, model::internal_caller())
            .has_value();
    auto reply = run_for(runtime, "writePlan", std::move(arguments), call);
    if (reply) {
        reply->status = there ? 200 : 201;
    }
    return reply;
}

Reply start_checkout(model::Runtime& runtime, const NativeCall& call) {
    auto reply = run_for(runtime, "addCheckout", call.arguments, call);
    if (!reply || reply->changed) {
        return reply;
    }
    // One for this plan is under way already: this is the same one.
    const auto found =
        runtime.get("checkout", {}, model::internal_caller(call.caller.user.value_or("")));
    if (!found) {
        return found.error();
    }
    reply->changed = true;
    reply->body = runtime.to_api(*found->entity, found->item, acting(call));
    return reply;
}

}  // namespace

void install_billing(model::Runtime& runtime, const Services& services) {
    const auto events = std::make_shared<StripeEvents>(runtime);
    runtime.install("putPlan", [&runtime](const auto& call) { return put_plan(runtime, call); });
    runtime.install("startCheckout", [&runtime](const auto& call) {
        return start_checkout(runtime, call);
    });
    runtime.install("stripeWebhook", [&services, events](const auto& call) -> Reply {
        const auto body = read_webhook(services, "STRIPE", "Stripe-Signature", call);
        if (!body) {
            return body.error();
        }
        const auto outcome = events->apply(*body);
        if (!outcome) {
            return outcome.error();
        }
        return reply_with(
            {{"received", model::boolean(true)},
             {"applied", model::boolean(*outcome == Outcome::kApplied)}},
            200
        );
    });
    runtime.install("replayParked", [&runtime, events](const auto& call) -> Reply {
        const auto parked = runtime.get(
            "parkedEvent",
            {{"provider", text("stripe")}, {"event_id", text(call.text("event_id"))}},
            model::internal_caller()
        );
        if (!parked) {
            return parked.error();
        }
        const auto outcome = events->replay(parked->item);
        if (!outcome) {
            return outcome.error();
        }
        return reply_with({{"applied", model::boolean(*outcome == Outcome::kApplied)}}, 200);
    });
}

}  // namespace gateleg::systems::figureforge

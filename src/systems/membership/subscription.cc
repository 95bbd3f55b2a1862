#include "systems/membership/subscription.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/time_text.h"
#include "model/native.h"

namespace gateleg::systems::membership {
namespace {

using value::AttributeValue;

// In one second the stronger word counts: an end above all, then what gives access.
int rank_of(const std::string& status) {
    constexpr std::array<std::string_view, 7> kAscending = {
        "incomplete", "paused", "unpaid", "past_due", "trialing", "active", "canceled"};
    const auto name = status == "incomplete_expired" ? std::string_view("canceled") : status;
    const auto* found = std::find(kAscending.begin(), kAscending.end(), name);
    return found != kAscending.end() ? static_cast<int>(found - kAscending.begin()) : -1;
}

template <class T>
void fill(T& known, const T& said) {
    if (known == T()) {
        known = said;
    }
}

template <class T>
void replace(T& known, const T& said) {
    if (said != T()) {
        known = said;
    }
}

void settle(Subscription& s) {
    s.status = s.object_status.empty() ? "incomplete" : s.object_status;
    s.start = s.object_start;
    s.end = s.object_end;
    if (is_final(s.status)) {
        return;
    }
    const bool can_change = s.status != "paused";
    if (!s.invoice_status.empty() && s.invoice_at > s.event_created && can_change) {
        s.status = s.invoice_status;
    }
    const bool later = s.invoice_end && (!s.end || *s.invoice_end > *s.end);
    if (later && (s.paid_at > s.event_created || !s.end)) {
        s.start = s.invoice_start;
        s.end = s.invoice_end;
    }
}

std::optional<std::int64_t> seconds_of(const value::Item& item, std::string_view name) {
    const auto millis = parse_rfc3339_millis(model::text_of(item, name));
    return millis ? std::optional(*millis / 1000) : std::nullopt;
}

AttributeValue text_or_null(const std::string& text) {
    return text.empty() ? AttributeValue{value::Null{}} : model::text(text);
}

AttributeValue number_or_null(const std::optional<std::int64_t>& number) {
    return number ? model::number(*number) : AttributeValue{value::Null{}};
}

AttributeValue time_or_null(const std::optional<std::int64_t>& seconds) {
    return seconds ? model::text(render_rfc3339(*seconds * 1000)) : AttributeValue{value::Null{}};
}

}  // namespace

bool is_final(const std::string& status) {
    return status == "canceled" || status == "incomplete_expired";
}

Subscription read_subscription(const value::Item& stored) {
    const auto text = [&](std::string_view name) { return model::text_of(stored, name); };
    const auto number = [&](std::string_view name) { return model::integer_of(stored, name); };
    Subscription s;
    s.id = text("subscriptionId");
    s.plan_tier = text("planTier");
    s.customer = text("stripeCustomerId");
    s.provider = text("provider");
    s.item = text("stripeItemId");
    s.cancel_at_period_end = model::flag_of(stored, "cancelAtPeriodEnd");
    s.event_created = number("lastEventCreated").value_or(0);
    s.event_id = text("lastEventId");
    s.object_status = text("objectStatus");
    s.object_start = number("objectStart");
    s.object_end = number("objectEnd");
    s.invoice_status = text("invoiceStatus");
    s.invoice_at = number("invoiceAt").value_or(0);
    s.paid_at = number("paidAt").value_or(0);
    s.invoice_start = number("invoiceStart");
    s.invoice_end = number("invoiceEnd");
    s.quota_period = number("quotaPeriod");
    s.quota = number("quota").value_or(0);
    s.status = text("status");
    s.start = seconds_of(stored, "currentPeriodStart");
    s.end = seconds_of(stored, "currentPeriodEnd");
    // One that was written before events were: what it shows is what its last event said.
    if (s.object_status.empty() && s.invoice_status.empty()) {
        s.object_status = s.status;
        s.object_start = s.start;
        s.object_end = s.end;
    }
    return s;
}

value::Map write_subscription(const Subscription& s) {
    value::Map map;
    map["planTier"] = text_or_null(s.plan_tier);
    map["status"] = text_or_null(s.status);
    map["stripeCustomerId"] = model::text(s.customer);
    map["currentPeriodStart"] = time_or_null(s.start);
    map["currentPeriodEnd"] = time_or_null(s.end);
    map["cancelAtPeriodEnd"] = model::boolean(s.cancel_at_period_end);
    map["provider"] = model::text(s.provider.empty() ? "local" : s.provider);
    map["stripeItemId"] = text_or_null(s.item);
    map["lastEventCreated"] = model::number(s.event_created);
    map["lastEventId"] = text_or_null(s.event_id);
    map["objectStatus"] = text_or_null(s.object_status);
    map["objectStart"] = number_or_null(s.object_start);
    map["objectEnd"] = number_or_null(s.object_end);
    map["invoiceStatus"] = text_or_null(s.invoice_status);
    const auto seen = [](std::int64_t at) { return at > 0 ? std::optional(at) : std::nullopt; };
    map["invoiceAt"] = number_or_null(seen(s.invoice_at));
    map["paidAt"] = number_or_null(seen(s.paid_at));
    map["invoiceStart"] = number_or_null(s.invoice_start);
    map["invoiceEnd"] = number_or_null(s.invoice_end);
    map["quotaPeriod"] = number_or_null(s.quota_period);
    map["quota"] = number_or_null(s.quota_period ? std::optional(s.quota) : std::nullopt);
    return map;
}

Merged merge_object(Subscription& s, const ObjectEvent& event) {
    const auto place = std::tuple(event.created, rank_of(event.status), event.id);
    const auto known = std::tuple(s.event_created, rank_of(s.object_status), s.event_id);
    const bool first = s.event_created == 0;
    const bool newer = first || place >= known;
    fill(s.customer, event.customer);
    if (newer) {
        replace(s.plan_tier, event.plan_tier);
        replace(s.provider, event.provider);
        replace(s.item, event.item);
        replace(s.object_start, event.start);
        replace(s.object_end, event.end);
        if (event.ended && (!s.object_end || *event.ended < *s.object_end)) {
            s.object_end = event.ended;
        }
        s.object_status = event.status;
        s.cancel_at_period_end = event.cancel_at_period_end.value_or(s.cancel_at_period_end);
        s.event_created = event.created;
        s.event_id = event.id;
    } else {
        fill(s.plan_tier, event.plan_tier);
        fill(s.provider, event.provider);
        fill(s.item, event.item);
        fill(s.object_start, event.start);
        fill(s.object_end, event.end);
    }
    settle(s);
    const bool tie =
        !first && std::get<0>(place) == std::get<0>(known) && event.id != std::get<2>(known);
    return tie ? Merged::kTie : newer ? Merged::kNewer : Merged::kOlder;
}

void merge_invoice(Subscription& s, const InvoiceEvent& event) {
    fill(s.customer, event.customer);
    if (s.event_created == 0) {
        replace(s.plan_tier, event.plan_tier);
    } else {
        fill(s.plan_tier, event.plan_tier);
    }
    const bool newer =
        event.created > s.invoice_at || (event.created == s.invoice_at && event.paid);
    if (newer) {
        s.invoice_at = event.created;
        s.invoice_status = event.paid ? "active" : "past_due";
    }
    if (event.paid && event.end && event.created >= s.paid_at) {
        s.paid_at = event.created;
        s.invoice_start = event.start;
        s.invoice_end = event.end;
    }
    settle(s);
}

}  // namespace gateleg::systems::membership

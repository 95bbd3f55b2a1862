#include "systems/membership/stripe_object.h"

#include <algorithm>
#include <charconv>

#include "systems/webhooks.h"

namespace gateleg::systems::membership {
namespace {

using value::AttributeValue;

const AttributeValue* step(const AttributeValue& from, std::string_view name) {
    if (const auto* map = std::get_if<value::Map>(&from.data)) {
        const auto found = map->find(name);
        return found != map->end() ? &found->second : nullptr;
    }
    const auto* list = std::get_if<value::List>(&from.data);
    std::size_t place = 0;
    const auto* end = name.data() + name.size();
    if (list == nullptr || std::from_chars(name.data(), end, place).ptr != end) {
        return nullptr;
    }
    return place < list->size() ? &(*list)[place] : nullptr;
}

std::size_t size_of(const AttributeValue* value) {
    const auto* list = value != nullptr ? std::get_if<value::List>(&value->data) : nullptr;
    return list != nullptr ? list->size() : 0;
}

// Of what has a price: a line of a subscription or of an invoice.
std::optional<Tier> plan_of_line(const StripeObject& line, const Catalog& catalog) {
    for (const auto* path :
         {"price.lookup_key",
          "plan.lookup_key",
          "price.metadata.planTier",
          "plan.metadata.planTier",
          "pricing.price_details.lookup_key",
          "metadata.planTier"}) {
        if (const auto key = line.text(path); !key.empty()) {
            if (const auto tier = catalog.tier_of(key)) {
                return tier;
            }
        }
    }
    return std::nullopt;
}

std::optional<Tier> plan_in(
    const StripeObject& object, std::string_view lines, const Catalog& catalog, bool paid_only
) {
    const auto* all = object.find(lines);
    for (std::size_t at = 0; at < size_of(all); ++at) {
        const StripeObject line(std::get<value::List>(all->data)[at]);
        if (paid_only && line.integer("amount").value_or(0) < 0) {
            continue;  // what a proration gives back is for the plan that was left
        }
        if (const auto tier = plan_of_line(line, catalog)) {
            return tier;
        }
    }
    return std::nullopt;
}

std::string status_in_model(const std::string& status) {
    static const auto kKnown = {
        "active",
        "canceled",
        "past_due",
        "trialing",
        "incomplete",
        "incomplete_expired",
        "unpaid",
        "paused"};
    const bool known = std::find(kKnown.begin(), kKnown.end(), status) != kKnown.end();
    return known ? status : "incomplete";  // a status of the future gives no access
}

}  // namespace

const AttributeValue* StripeObject::find(std::string_view path) const {
    const auto* at = &tree_;
    while (at != nullptr && !path.empty()) {
        const auto end = std::min(path.find('.'), path.size());
        at = step(*at, path.substr(0, end));
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return at != nullptr && !std::holds_alternative<value::Null>(at->data) ? at : nullptr;
}

std::string StripeObject::text(std::string_view path) const {
    const auto* found = find(path);
    const auto* text = found != nullptr ? std::get_if<std::string>(&found->data) : nullptr;
    return text != nullptr ? *text : std::string();
}

std::optional<std::int64_t> StripeObject::integer(std::string_view path) const {
    const auto* found = find(path);
    return found != nullptr ? model::integer_of({{"value", *found}}, "value") : std::nullopt;
}

std::optional<bool> StripeObject::flag(std::string_view path) const {
    const auto* found = find(path);
    const auto* flag = found != nullptr ? std::get_if<bool>(&found->data) : nullptr;
    return flag != nullptr ? std::optional(*flag) : std::nullopt;
}

std::string StripeObject::id(std::string_view path) const {
    auto plain = text(path);
    return plain.empty() ? text(std::string(path) + ".id") : plain;
}

std::string StripeObject::metadata(std::string_view name) const {
    for (const auto* where :
         {"metadata",
          "parent.subscription_details.metadata",
          "subscription_details.metadata",
          "payment_intent.metadata",
          "charge.metadata"}) {
        if (auto found = text(std::string(where) + "." + std::string(name)); !found.empty()) {
            return found;
        }
    }
    return {};
}

std::string StripeObject::user() const {
    auto user = metadata("userId");
    if (user.empty() && text("object") == "checkout.session") {
        // Only where nothing better is said: a checkout may have its own id there.
        user = text("client_reference_id") == metadata("checkoutId") ? std::string()
                                                                     : text("client_reference_id");
    }
    return is_outside_id(user) ? user : std::string();
}

std::string StripeObject::customer() const {
    auto customer = text("object") == "customer" ? text("id") : id("customer");
    return is_outside_id(customer) ? customer : std::string();
}

std::optional<Tier> StripeObject::plan_of_subscription(const Catalog& catalog) const {
    if (const auto tier = plan_in(*this, "items.data", catalog, false)) {
        return tier;
    }
    if (const auto tier = plan_of_line(*this, catalog)) {
        return tier;
    }
    return catalog.tier_of(metadata("planTier"));
}

std::optional<Tier> StripeObject::plan_of_invoice(const Catalog& catalog) const {
    if (const auto tier = plan_in(*this, "lines.data", catalog, true)) {
        return tier;
    }
    return catalog.tier_of(metadata("planTier"));
}

std::string StripeObject::subscription_of_invoice() const {
    for (const auto* path :
         {"subscription",
          "parent.subscription_details.subscription",
          "lines.data.0.subscription",
          "lines.data.0.parent.subscription_item_details.subscription"}) {
        if (auto found = id(path); is_outside_id(found)) {
            return found;
        }
    }
    return {};
}

ObjectEvent StripeObject::to_object_event(const Catalog& catalog, bool deleted) const {
    ObjectEvent event;
    event.status = deleted ? "canceled" : status_in_model(text("status"));
    if (const auto tier = plan_of_subscription(catalog)) {
        event.plan_tier = tier_name(*tier);
    }
    event.customer = customer();
    const auto provider = metadata("provider");
    event.provider = provider == "cognito" || provider == "local" ? provider : std::string();
    event.item = text("items.data.0.id");
    const auto either = [&](const std::string& name) {
        const auto own = integer(name);
        return own ? own : integer("items.data.0." + name);
    };
    event.start = either("current_period_start");
    event.end = either("current_period_end");
    if (is_final(event.status)) {
        event.ended = integer("ended_at");
    }
    event.cancel_at_period_end = flag("cancel_at_period_end");
    return event;
}

InvoiceEvent StripeObject::to_invoice_event(const Catalog& catalog, bool paid) const {
    InvoiceEvent event;
    event.paid = paid;
    if (const auto tier = plan_of_invoice(catalog)) {
        event.plan_tier = tier_name(*tier);
    }
    event.customer = customer();
    const auto reason = text("billing_reason");
    if (reason == "subscription_create" || reason == "subscription_cycle") {
        event.start = integer("lines.data.0.period.start");
        event.end = integer("lines.data.0.period.end");
    }
    return event;
}

std::optional<StripeEvent> read_event(const AttributeValue& tree, std::string payload) {
    const StripeObject event(tree);
    StripeEvent read;
    read.id = event.text("id");
    read.type = event.text("type");
    read.created = event.integer("created").value_or(0);
    if (const auto* object = event.find("data.object")) {
        read.object = *object;
    } else {
        read.object = {value::Map{}};
    }
    read.payload = std::move(payload);
    const bool usable = is_outside_id(read.id) && !read.type.empty() && read.type.size() <= 200;
    return usable ? std::optional(std::move(read)) : std::nullopt;
}

}  // namespace gateleg::systems::membership

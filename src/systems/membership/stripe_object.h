// What Stripe's objects say, in the shapes of its older and newer API versions.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/native.h"
#include "systems/membership/catalog.h"
#include "systems/membership/subscription.h"
#include "value/attribute_value.h"

namespace gateleg::systems::membership {

// Immutable view of an object; the tree outlives it.
class StripeObject {
public:
    explicit StripeObject(const value::AttributeValue& tree) : tree_(tree) {}

    // By a path of names and places, such as "items.data.0.price.lookup_key". Null if it is not
    // there or null.
    const value::AttributeValue* find(std::string_view path) const;
    // Empty, nothing or false if there is none or it is of another type.
    std::string text(std::string_view path) const;
    std::optional<std::int64_t> integer(std::string_view path) const;
    std::optional<bool> flag(std::string_view path) const;
    // An id, or the id of the object that was expanded in its place.
    std::string id(std::string_view path) const;

    // The user it names itself, in its metadata or in those it passes on.
    std::string user() const;
    std::string customer() const;
    std::string metadata(std::string_view name) const;

    // The tier by the price, else by metadata; nothing if neither is known.
    std::optional<Tier> plan_of_subscription(const Catalog& catalog) const;
    std::optional<Tier> plan_of_invoice(const Catalog& catalog) const;
    // The subscription an invoice is for; empty if it is for none.
    std::string subscription_of_invoice() const;

    ObjectEvent to_object_event(const Catalog& catalog, bool deleted) const;
    InvoiceEvent to_invoice_event(const Catalog& catalog, bool paid) const;

private:
    const value::AttributeValue& tree_;
};

struct StripeEvent {
    std::string id;
    std::string type;
    std::int64_t created = 0;
    value::AttributeValue object;  // data.object
    std::string payload;           // as it came
};

// Nothing if it has no id or type that can be worked with.
std::optional<StripeEvent> read_event(const value::AttributeValue& tree, std::string payload);

}  // namespace gateleg::systems::membership

// A subscription as its events tell it, in whatever order they arrive.
//
// Events of the subscription itself and of its invoices are kept apart: each kind remembers the
// newest it has seen, and what members are told follows from both. Two orders of the same events
// therefore end equal.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "systems/membership/catalog.h"
#include "value/attribute_value.h"

namespace gateleg::systems::membership {

// Times are seconds since the epoch. Pure data: nothing here reads a clock.
struct Subscription {
    std::string id;
    std::string plan_tier;  // empty: no event has named it yet
    std::string customer;
    std::string provider;
    std::string item;  // Stripe's id of the line that has the price
    bool cancel_at_period_end = false;

    // By the events of the subscription: the newest, and what it said.
    std::int64_t event_created = 0;
    std::string event_id;
    std::string object_status;
    std::optional<std::int64_t> object_start;
    std::optional<std::int64_t> object_end;
    // By its invoices: the newest that was paid or failed, the newest that was paid.
    std::string invoice_status;
    std::int64_t invoice_at = 0;
    std::int64_t paid_at = 0;
    std::optional<std::int64_t> invoice_start;
    std::optional<std::int64_t> invoice_end;

    // Credits granted for the period that began then.
    std::optional<std::int64_t> quota_period;
    std::int64_t quota = 0;

    // What follows.
    std::string status;
    std::optional<std::int64_t> start;
    std::optional<std::int64_t> end;

    bool covers(std::int64_t moment) const {
        return start && end && *start <= moment && moment < *end;
    }
};

Subscription read_subscription(const value::Item& stored);
// The attributes to store, in API form; those without a value are null, so that they go away.
value::Map write_subscription(const Subscription& subscription);

// What an event of the subscription says; empty or nothing: it does not.
struct ObjectEvent {
    std::int64_t created = 0;
    std::string id;
    std::string status;
    std::string plan_tier;
    std::string customer;
    std::string provider;
    std::string item;
    std::optional<std::int64_t> start;
    std::optional<std::int64_t> end;
    std::optional<std::int64_t> ended;  // when it stopped, if that was before the period's end
    std::optional<bool> cancel_at_period_end;
};
enum class Merged : std::uint8_t {
    kNewer,  // applied
    kOlder,  // only filled in what nobody had said
    kTie,    // applied or not by its rank: two events of one second, ask Stripe which is right
};
Merged merge_object(Subscription& subscription, const ObjectEvent& event);

struct InvoiceEvent {
    std::int64_t created = 0;
    bool paid = false;
    std::string plan_tier;
    std::string customer;
    // Of the period it pays for; nothing for prorations.
    std::optional<std::int64_t> start;
    std::optional<std::int64_t> end;
};
void merge_invoice(Subscription& subscription, const InvoiceEvent& event);

// No event leads out of it but a newer one of the subscription itself.
bool is_final(const std::string& status);

}  // namespace gateleg::systems::membership

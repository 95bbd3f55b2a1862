// Deliveries by HTTP: generation providers, payments, webhooks of our own; and objects.
//
// Every request carries the row's id as its Idempotency-Key, and a success is any 2xx.

#pragma once

#include "base/clock.h"
#include "jobs/config.h"
#include "jobs/deliveries.h"
#include "jobs/object_access.h"
#include "outbound/client.h"

namespace gateleg::jobs {

struct DeliveryParts {
    const Config& config;
    const outbound::Client& client;
    const Clock& real_clock;  // of signatures
};

// Everything this folder knows to deliver, as far as it has a target. What `parts` names outlives
// `deliveries`.
void add_deliveries(Deliveries& deliveries, const DeliveryParts& parts);

// `copy-object`, `make-thumbnail` and `delete-object` of one system. The bucket outlives
// `deliveries`.
void add_object_deliveries(Deliveries& deliveries, std::string_view system, ObjectAccess& bucket);

// Rows of that kind are calls of another system on this server: the payload holds the inputs of
// the operation. They are tried until it has decided, and what it refuses is given up. The runtime
// outlives `deliveries`.
void add_system_call(
    Deliveries& deliveries,
    std::string_view system,
    std::string_view kind,
    model::Runtime& other,
    std::string operation
);

// {"a": {"b": [1]}} as a[b][0]=1: what Stripe reads.
std::string render_form(const value::AttributeValue& tree);

}  // namespace gateleg::jobs

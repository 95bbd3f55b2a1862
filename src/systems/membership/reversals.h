// Money that goes back: refunds and disputes of top-ups and founder passes.

#pragma once

#include <cstdint>
#include <string>

#include "systems/membership/members.h"
#include "systems/membership/stripe_object.h"

namespace gateleg::systems::membership {

struct Reversal {
    std::string state = "applied";  // as Billing has them
    std::string note = {};
    std::string waits_for = {};
};

// ME-O13. A top-up gives back as many of its credits as are left, in proportion, rounded up; what
// was spent is noted as a deficit. A pass is revoked when all of it went back, and returns with a
// dispute that was won.
CallResult<Reversal> apply_reversal(const Members& members, const StripeEvent& event);

// Credits to ask back of `granted` when that part of the money went back.
std::int64_t credits_claimed(std::int64_t granted, std::int64_t cents, std::int64_t cents_back);

}  // namespace gateleg::systems::membership

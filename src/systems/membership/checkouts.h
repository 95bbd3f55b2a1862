// Buying: a checkout is a promise to ask Stripe for a page, kept by the outbox.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "systems/membership/members.h"

namespace gateleg::systems::membership {

// Thread-safe. Members outlive it.
class Checkouts {
public:
    explicit Checkouts(const Members& members) : members_(members) {}

    CallResult<OperationReply> subscription(const model::NativeCall& call) const;
    CallResult<OperationReply> founder(const model::NativeCall& call) const;
    CallResult<OperationReply> top_up(const model::NativeCall& call) const;

private:
    struct Order {
        std::string kind;  // subscription, founder or topup
        std::string plan_tier = {};
        std::string pass_type = {};
        std::optional<std::int64_t> usd = {};
        std::optional<std::int64_t> credits = {};
        // What can be bought only once: a second checkout for the same item is the first one.
        std::string what = {};
        std::string item = {};
        std::string name = {};
        std::string price = {};  // Stripe's id, if the catalogue has one
        std::string warning = {};
    };

    // The member behind the call; 404 once it was deleted.
    CallResult<Member> buyer(const model::NativeCall& call) const;
    CallResult<OperationReply> open(
        const model::NativeCall& call, const Member& member, const Order& order
    ) const;

    const Members& members_;
};

}  // namespace gateleg::systems::membership

// Credits going out and coming back: consume, reserve, report, release, expire.

#pragma once

#include <optional>
#include <string>

#include "systems/membership/members.h"

namespace gateleg::systems::membership {

// Thread-safe. Members outlive it.
class Spending {
public:
    explicit Spending(const Members& members) : members_(members) {}

    CallResult<OperationReply> get_credits(const model::NativeCall& call) const;
    CallResult<OperationReply> consume(const model::NativeCall& call) const;
    CallResult<OperationReply> reserve(const model::NativeCall& call) const;
    CallResult<OperationReply> report(const model::NativeCall& call) const;
    CallResult<OperationReply> release(const model::NativeCall& call) const;

    // Reservations whose time is over give their credits back. True if there were some.
    CallResult<bool> expire_reservations(const std::string& user) const;

private:
    // What is bought, for whom, by whom.
    struct Order {
        std::string user;
        std::string feature = {};  // empty: an amount that a service names
        std::int64_t amount = 0;
        Tier least = Tier::kFree;
        std::string reason = {};
        std::optional<std::int64_t> hold_millis = {};
        std::string month = {};
    };

    CallResult<Order> read_order(const model::NativeCall& call) const;
    // The answer of the operation `spend`, stored or new.
    CallResult<OperationReply> spend(const model::NativeCall& call, const Order& order) const;
    // After those that have expired have left the balance.
    CallResult<std::vector<Lot>> live_lots(const std::string& user) const;
    CallError report_exists(const std::string& user, const std::string& month) const;
    CallResult<OperationReply> give_back(
        const std::string& user, const std::string& reservation, const std::string& state
    ) const;

    const Members& members_;
};

}  // namespace gateleg::systems::membership

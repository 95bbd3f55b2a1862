// Stripe's events, and what they change: in any order, any number of times, early or late.
//
// An event is applied in one transaction with its marker, so that a second delivery does nothing.
// One that speaks of a customer, payment or subscription nobody knows yet is parked, and tried
// again when that appears. One that only a person can judge waits for review. All of them are kept.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "systems/membership/members.h"
#include "systems/membership/stripe_object.h"

namespace gateleg::systems::membership {

// Thread-safe. Members outlive it.
class Billing {
public:
    explicit Billing(const Members& members) : members_(members) {}

    CallResult<OperationReply> webhook(const model::NativeCall& call) const;
    CallResult<OperationReply> replay(const model::NativeCall& call) const;
    // The same for a job: unchanged if it stays where it is.
    CallResult<OperationReply> retry(const model::NativeCall& call) const;
    // A subscription as Stripe has it now: the answer of a call that was delivered.
    CallResult<OperationReply> call_delivered(const model::NativeCall& call) const;

private:
    struct Outcome {
        // applied, duplicate, ignored, parked or review
        std::string state = "applied";
        std::string note = {};
        std::string waits_for = {};
        value::List outbox = {};
        // What is known since: parked events may have waited for it.
        std::vector<std::string> learned = {};
    };

    CallResult<Outcome> process(const StripeEvent& event) const;
    CallResult<Outcome> apply(const StripeEvent& event) const;
    CallResult<Outcome> apply_checkout(const StripeEvent& event) const;
    CallResult<Outcome> apply_subscription(const StripeEvent& event) const;
    CallResult<Outcome> apply_invoice(const StripeEvent& event, bool paid) const;
    CallResult<Outcome> apply_payment(const StripeEvent& event, const std::string& payment) const;
    CallResult<Outcome> apply_top_up(
        const StripeEvent& event, const std::string& user, const std::string& payment
    ) const;
    CallResult<Outcome> apply_founder(
        const StripeEvent& event, const std::string& user, const std::string& payment
    ) const;
    Outcome tell(const StripeEvent& event, const std::string& subject, const std::string& text)
        const;

    CallResult<OperationReply> process_stored(const std::string& id, bool& moved) const;
    CallResult<Outcome> change(
        const StripeEvent& event, const std::string& user, const MakeChange& make
    ) const;
    CallResult<std::string> find_user(const StripeObject& object) const;
    CallResult<bool> is_applied(const std::string& event) const;
    CallResult<bool> is_granted(
        const std::string& user, const std::string& source, const std::string& period
    ) const;
    CallResult<bool> store(const StripeEvent& event, const Outcome& outcome) const;
    void replay_parked(const std::vector<std::string>& learned) const;
    void add_grant(
        Change& change,
        const std::string& source,
        const std::string& period,
        std::int64_t amount,
        const std::string& kind,
        const std::string& lot_source
    ) const;

    const Members& members_;
};

// Part of an event that every transaction stores.
value::AttributeValue event_record(const StripeEvent& event);

}  // namespace gateleg::systems::membership

#include "systems/membership/reversals.h"

#include <algorithm>

#include "systems/membership/billing.h"
#include "systems/webhooks.h"

namespace gateleg::systems::membership {
namespace {

using model::number;
using model::text;
using value::AttributeValue;
using value::Item;

// What the event says of the money, whatever it paid for.
struct Claim {
    std::string payment;
    std::string dispute = {};  // its id, of disputes
    std::int64_t amount = 0;   // in dispute, or refunded so far
    std::int64_t total = 0;    // of the charge, if it says so
    bool is_dispute = false;
    bool closed = false;
    bool won = false;
};

Claim read_claim(const StripeEvent& event) {
    const StripeObject object(event.object);
    Claim claim;
    claim.payment = object.id("payment_intent");
    claim.is_dispute = event.type != "charge.refunded";
    claim.closed = event.type == "charge.dispute.closed";
    if (claim.is_dispute) {
        claim.dispute = object.text("id");
        claim.amount = object.integer("amount").value_or(0);
        claim.won = claim.closed &&
                    (object.text("status") == "won" || object.text("status") == "warning_closed");
    } else {
        claim.amount = object.integer("amount_refunded").value_or(0);
        claim.total = object.integer("amount").value_or(0);
        if (object.flag("refunded").value_or(false) && claim.amount == 0) {
            claim.amount = claim.total;
        }
    }
    return claim;
}

// How a grant changes by the claim.
struct Ledger {
    std::int64_t refunded = 0;
    std::int64_t disputed = 0;
    std::string closed_dispute = {};
};

Ledger after_claim(const Item& grant, const Claim& claim) {
    Ledger ledger{
        model::integer_of(grant, "refundedCents").value_or(0),
        model::integer_of(grant, "disputedCents").value_or(0),
        model::text_of(grant, "closedDispute")};
    if (!claim.is_dispute) {
        ledger.refunded = std::max(ledger.refunded, claim.amount);
    } else if (claim.closed) {
        ledger.closed_dispute = claim.dispute;
        ledger.disputed = claim.won ? 0 : std::max(ledger.disputed, claim.amount);
    } else if (ledger.closed_dispute != claim.dispute) {
        ledger.disputed = std::max(ledger.disputed, claim.amount);
    }
    return ledger;
}

CallResult<Reversal> take_top_up(
    const Members& members, const StripeEvent& event, const std::string& user, const Claim& claim
) {
    Patience patience;
    do {
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto grant,
            members.find(
                "grant",
                {{"userId", text(user)},
                 {"source", text("topup")},
                 {"periodKey", text(claim.payment)}}
            )
        );
        if (!grant) {
            return Reversal{"parked", "unknown payment", claim.payment};
        }
        const auto granted = model::integer_of(*grant, "amount").value_or(0);
        const auto cents = model::integer_of(*grant, "cents").value_or(claim.total);
        const auto was_claimed = model::integer_of(*grant, "claimed").value_or(0);
        const auto was_taken = model::integer_of(*grant, "taken").value_or(0);
        const auto expiry = model::integer_of(*grant, "lotExpiry").value_or(Lot::kNever);
        const auto lot_id = model::text_of(*grant, "lotId");
        const auto next = after_claim(*grant, claim);
        const auto claimed = credits_claimed(granted, cents, next.refunded + next.disputed);
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto lots, members.lots(user));
        const auto lot = std::find_if(lots.begin(), lots.end(), [&](const auto& one) {
            return one.id == lot_id;
        });
        const auto left = lot != lots.end() ? lot->remaining : 0;
        // Below 0 takes from the lot; above gives back what was taken for a dispute that was won.
        std::int64_t step = 0;
        std::int64_t deficit = 0;
        if (claimed > was_claimed) {
            step = -std::min(claimed - was_claimed, left);
            deficit = claimed - was_claimed + step;
        } else if (claimed < was_claimed && lot != lots.end()) {
            step = std::max<std::int64_t>(was_taken - claimed, 0);
        }
        model::OperationCall call;
        call.arguments = {
            {"userId", text(user)},
            {"eventId", text(event.id)},
            {"event", event_record(event)},
            {"periodKey", text(claim.payment)},
            {"revision", number(model::integer_of(*grant, "revision").value_or(0))},
            {"refundedCents", number(next.refunded)},
            {"disputedCents", number(next.disputed)},
            {"claimed", number(claimed)},
            {"taken", number(was_taken - step)},
            {"lotExpiry", number(expiry)},
            {"lotId", text(lot_id)},
            {"change", number(step)},
            {"take", number(std::max<std::int64_t>(-step, 0))},
            {"entry", model::boolean(step != 0 || deficit != 0)},
            {"kind", text(step > 0 ? "refund" : "clawback")}};
        if (!next.closed_dispute.empty()) {
            call.arguments["closedDispute"] = text(next.closed_dispute);
        }
        if (deficit > 0) {
            call.arguments["deficit"] = number(deficit);
        }
        const auto reply = members.runtime().run("clawBack", call, model::internal_caller());
        if (reply) {
            return Reversal{reply->changed ? "applied" : "duplicate"};
        }
        const auto& code = reply.error().code;
        if (code != "LotsChanged" && code != "LotNotFound") {
            return reply.error();
        }
    } while (patience.again());
    return too_busy();
}

CallResult<Reversal> take_pass(
    const Members& members, const StripeEvent& event, const std::string& user, const Claim& claim
) {
    bool deleted = false;
    auto changed = members.change(user, [&](Member& member) -> CallResult<std::optional<Change>> {
        deleted = member.profile.deleted;
        if (deleted) {
            return std::optional<Change>();
        }
        const auto pass =
            std::find_if(member.passes.begin(), member.passes.end(), [&](const auto& one) {
                return one.payment == claim.payment;
            });
        Change change;
        change.arguments["eventId"] = text(event.id);
        change.arguments["event"] = event_record(event);
        const bool whole = claim.is_dispute || claim.amount >= claim.total;
        const bool revokes = whole && !claim.won;
        if (pass != member.passes.end() && (revokes || claim.won) && pass->revoked != revokes) {
            pass->revoked = revokes;
            change.arguments["passType"] = text(pass->type);
            change.arguments["pass"] = {value::Map{
                {"stripePaymentIntentId", text(pass->payment)},
                {"revokedAt",
                 revokes ? time_value(members.now_seconds()) : AttributeValue{value::Null{}}}}};
            change.arguments["action"] = text(revokes ? "founder.refunded" : "founder.restored");
        }
        change.after = member;
        return std::optional(std::move(change));
    });
    if (!changed) {
        return changed.error();
    }
    if (deleted) {
        return Reversal{"parked", "the user was deleted"};
    }
    return Reversal{*changed ? "applied" : "duplicate"};
}

}  // namespace

std::int64_t credits_claimed(std::int64_t granted, std::int64_t cents, std::int64_t cents_back) {
    if (cents <= 0 || cents_back <= 0) {
        return 0;
    }
    const auto back = std::min(cents_back, cents);
    return std::min(granted, (granted * back + cents - 1) / cents);
}

CallResult<Reversal> apply_reversal(const Members& members, const StripeEvent& event) {
    const auto claim = read_claim(event);
    if (!is_outside_id(claim.payment)) {
        return Reversal{"review", "a refund without a payment"};
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto payment, members.find("payment", {{"paymentId", text(claim.payment)}})
    );
    if (!payment) {
        return Reversal{"parked", "unknown payment", claim.payment};
    }
    const auto kind = model::text_of(*payment, "kind");
    const auto user = model::text_of(*payment, "userId");
    if (kind == "topup") {
        return take_top_up(members, event, user, claim);
    }
    if (kind == "founder") {
        return take_pass(members, event, user, claim);
    }
    return Reversal{"ignored", "it was never accepted"};
}

}  // namespace gateleg::systems::membership

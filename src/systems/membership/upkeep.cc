// What keeps a member in agreement with itself and with time.

#include "base/time_text.h"
#include "model/functions.h"
#include "systems/membership/administration.h"

namespace gateleg::systems::membership {
namespace {

using model::number;
using model::text;
using value::AttributeValue;

constexpr int kMaxMissedMonths = 12;

OperationReply changed_reply(bool changed) {
    OperationReply reply;
    reply.changed = changed;
    return reply;
}

}  // namespace

CallResult<bool> Administration::repair_balance(const std::string& user) const {
    auto& runtime = members_.runtime();
    Patience patience;
    do {
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto member, members_.load(user));
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto lots, members_.lots(user));
        std::int64_t held = 0;
        for (const auto& lot : lots) {
            held += lot.remaining;
        }
        std::int64_t booked = 0;
        model::PatternCall list;
        list.arguments["userId"] = text(user);
        list.limit = 100;
        do {
            GATELEG_CALL_TRY_ASSIGN_CALL(
                const auto page, runtime.query("ledgerOf", list, model::internal_caller())
            );
            for (const auto& item : page.items) {
                booked += model::integer_of(item, "amount").value_or(0);
            }
            list.cursor = page.cursor;
        } while (list.cursor);
        const auto balance =
            member.credits ? model::integer_of(*member.credits, "balance") : std::nullopt;
        if (balance.value_or(0) == held && booked == held) {
            return false;
        }
        model::OperationCall call;
        call.arguments = {
            {"userId", text(user)},
            {"balance", number(held)},
            {"correction", number(held - booked)},
            {"reason", text("reconciled with the lots")}};
        if (balance) {
            call.arguments["seen"] = number(*balance);
        }
        const auto reply = runtime.run("setBalance", call, model::internal_caller());
        if (reply) {
            return true;
        }
        if (reply.error().code != "LotsChanged") {
            return reply.error();
        }
    } while (patience.again());
    return too_busy();
}

CallResult<OperationReply> Administration::reconcile(const model::NativeCall& call) const {
    const auto user = call.text("userId");
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto member, known(user));
    value::List repaired;
    const auto note = [&](bool changed, const char* what) {
        if (changed) {
            repaired.push_back(text(what));
        }
    };
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto lots, members_.expire_lots(user));
    note(lots, "lots");
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto reservations, spending_.expire_reservations(user));
    note(reservations, "reservations");
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto balance, repair_balance(user));
    note(balance, "balance");
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto tier, members_.refresh_tier(user));
    note(tier, "tier");
    value::List running;
    for (const auto& subscription : member.subscriptions) {
        if (!is_final(subscription.status) && running.size() < 20) {
            running.push_back(text(subscription.id));
        }
    }
    if (!running.empty()) {
        model::OperationCall ask;
        ask.arguments = {{"userId", text(user)}, {"subscriptions", {running}}};
        if (auto asked = members_.runtime().run("askStripe", ask, model::internal_caller());
            !asked) {
            return asked.error();
        }
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto now, members_.load(user));
    OperationReply reply;
    reply.body = AttributeValue{value::Map{
        {"userId", text(user)},
        {"repaired", {std::move(repaired)}},
        {"tier", text(now.profile.tier.empty() ? "free" : now.profile.tier)},
        {"balance",
         number(now.credits ? model::integer_of(*now.credits, "balance").value_or(0) : 0)}}};
    return reply;
}

CallResult<OperationReply> Administration::refresh(const model::NativeCall& call) const {
    const auto user = call.text("userId");
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto reservations, spending_.expire_reservations(user));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto lots, members_.expire_lots(user));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto tier, members_.refresh_tier(user));
    return changed_reply(lots || reservations || tier);
}

CallResult<OperationReply> Administration::grant_founder_months(const model::NativeCall& call
) const {
    const auto user = call.text("userId");
    const auto type = call.text("passType");
    const auto& catalog = members_.catalog();
    GATELEG_CALL_TRY_ASSIGN_CALL(auto member, members_.load(user));
    const auto* pass = member.find_pass(type);
    const auto credits = catalog.founder_credits.find(type);
    const auto now = members_.now_millis();
    const bool due = pass != nullptr && !pass->revoked && !member.profile.deleted &&
                     credits != catalog.founder_credits.end() && credits->second > 0;
    const bool covered =
        !catalog.founder_grant_stacks && find_granting(member, catalog, now) != nullptr;
    if (!due || covered) {
        return changed_reply(false);
    }
    int months = 0;
    while (model::add_months(pass->purchased_millis, months + 1) <= now) {
        ++months;
    }
    bool changed = false;
    // From the latest back to one that was granted: what a pause of the job has missed.
    for (int at = months; at >= 0 && at > months - kMaxMissedMonths; --at) {
        const auto day = render_rfc3339(model::add_months(pass->purchased_millis, at));
        model::OperationCall grant;
        grant.arguments = {
            {"userId", text(user)},
            {"source", text("founder")},
            {"periodKey", text(type + "#" + day.substr(0, 7))},
            {"amount", number(credits->second)},
            {"kind", text("founder_grant")},
            {"lotSource", text("founder")}};
        if (const auto expiry = catalog.lot_expiry("founder", now / 1000)) {
            grant.arguments["expiresAt"] = number(*expiry);
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto reply,
            members_.runtime().run("grantCredits", grant, model::internal_caller())
        );
        if (!reply.changed) {
            break;
        }
        changed = true;
    }
    return changed_reply(changed);
}

}  // namespace gateleg::systems::membership

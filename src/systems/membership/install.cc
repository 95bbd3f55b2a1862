#include "systems/membership/install.h"

#include <memory>
#include <utility>

#include "systems/membership/administration.h"
#include "systems/membership/billing.h"
#include "systems/membership/checkouts.h"
#include "systems/membership/members.h"
#include "systems/membership/spending.h"

namespace gateleg::systems {
namespace {

// Lives as long as a function that was installed.
struct Parts {
    Parts(model::Runtime& runtime, const Services& services)
        : members(runtime, services),
          spending(members),
          billing(members),
          checkouts(members),
          administration(members, spending) {}

    membership::Members members;
    membership::Spending spending;
    membership::Billing billing;
    membership::Checkouts checkouts;
    membership::Administration administration;
};

}  // namespace

void install_membership(model::Runtime& runtime, const Services& services) {
    const auto parts = std::make_shared<const Parts>(runtime, services);
    const auto install = [&](std::string_view operation, const auto Parts::*part, auto method) {
        runtime.install(operation, [parts, part, method](const model::NativeCall& call) {
            return ((*parts).*part.*method)(call);
        });
    };
    using membership::Administration;
    using membership::Billing;
    using membership::Checkouts;
    using membership::Spending;
    install("me", &Parts::administration, &Administration::show);
    install("memberOf", &Parts::administration, &Administration::show_other);
    install("checkAccess", &Parts::administration, &Administration::check_access);
    install("adminFounder", &Parts::administration, &Administration::set_founder);
    install("adminTier", &Parts::administration, &Administration::set_tier);
    install("reconcile", &Parts::administration, &Administration::reconcile);
    install("deleteUser", &Parts::administration, &Administration::remove);
    install("refreshMember", &Parts::administration, &Administration::refresh);
    install("founderGrant", &Parts::administration, &Administration::grant_founder_months);
    install("getCredits", &Parts::spending, &Spending::get_credits);
    install("consume", &Parts::spending, &Spending::consume);
    install("reserve", &Parts::spending, &Spending::reserve);
    install("mirrorReport", &Parts::spending, &Spending::report);
    install("releaseReservation", &Parts::spending, &Spending::release);
    install("checkoutSubscription", &Parts::checkouts, &Checkouts::subscription);
    install("checkoutFounder", &Parts::checkouts, &Checkouts::founder);
    install("checkoutTopUp", &Parts::checkouts, &Checkouts::top_up);
    install("stripeWebhook", &Parts::billing, &Billing::webhook);
    install("replayEvent", &Parts::billing, &Billing::replay);
    install("retryEvent", &Parts::billing, &Billing::retry);
    install("stripeCallDelivered", &Parts::billing, &Billing::call_delivered);
}

}  // namespace gateleg::systems

#include "systems/membership/access.h"

#include <algorithm>
#include <utility>

namespace gateleg::systems::membership {
namespace {

Tier plan_of(const Subscription& subscription) {
    return find_tier(subscription.plan_tier).value_or(Tier::kFree);
}

std::optional<Tier> best_pass(const Member& member) {
    std::optional<Tier> best;
    for (const auto& pass : member.passes) {
        if (!pass.revoked) {
            best = std::max(best.value_or(Tier::kFree), tier_of_pass(pass.type));
        }
    }
    return best;
}

}  // namespace

Subscription* Member::find_subscription(std::string_view id) {
    const auto found = std::find_if(
        subscriptions.begin(), subscriptions.end(), [&](const auto& one) { return one.id == id; }
    );
    return found != subscriptions.end() ? &*found : nullptr;
}

FounderPass* Member::find_pass(std::string_view type) {
    const auto found = std::find_if(passes.begin(), passes.end(), [&](const auto& one) {
        return one.type == type;
    });
    return found != passes.end() ? &*found : nullptr;
}

std::optional<std::int64_t> access_end(const Subscription& subscription, const Catalog& catalog) {
    const auto& status = subscription.status;
    const bool grants =
        status == "active" || status == "trialing" || status == "canceled" || status == "past_due";
    if (!grants || !subscription.end || subscription.plan_tier.empty()) {
        return std::nullopt;
    }
    const auto more = status == "past_due"   ? catalog.dunning_seconds
                      : status == "canceled" ? 0
                                             : catalog.slack_seconds;
    return *subscription.end + more;
}

const Subscription* find_granting(
    const Member& member, const Catalog& catalog, std::int64_t now_millis
) {
    const Subscription* best = nullptr;
    std::pair<Tier, std::int64_t> most = {};
    for (const auto& subscription : member.subscriptions) {
        const auto end = access_end(subscription, catalog);
        if (!end || now_millis >= *end * 1000) {
            continue;
        }
        const std::pair rank(plan_of(subscription), *end);
        if (best == nullptr || rank > most) {
            best = &subscription;
            most = rank;
        }
    }
    return best;
}

std::optional<Tier> manual_tier(const Profile& profile) {
    const auto& name = !profile.manual_tier.empty()       ? profile.manual_tier
                       : profile.tier_source != "derived" ? profile.tier
                                                          : std::string();
    const auto tier = find_tier(name);
    return tier && *tier != Tier::kFree ? tier : std::nullopt;
}

Access find_access(const Member& member, const Catalog& catalog, std::int64_t now_millis) {
    Access access;
    if (member.profile.deleted) {
        return access;
    }
    const auto pass = best_pass(member);
    const auto* subscription = find_granting(member, catalog, now_millis);
    const bool higher = pass && subscription != nullptr && plan_of(*subscription) > *pass;
    if (pass && !(catalog.highest_wins && higher)) {
        access.tier = *pass;
        access.source = "founder";
        if (higher) {
            access.warning = "A founder pass decides the tier; the subscription is higher";
        }
    } else if (subscription != nullptr) {
        access.tier = plan_of(*subscription);
        access.source = "subscription";
        access.until = access_end(*subscription, catalog);
    } else if (const auto set = manual_tier(member.profile)) {
        access.tier = *set;
        access.source = "profile";
    }
    return access;
}

}  // namespace gateleg::systems::membership

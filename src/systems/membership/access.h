// What a member may use now: the tier that passes, subscriptions and the profile give.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systems/membership/catalog.h"
#include "systems/membership/subscription.h"
#include "value/attribute_value.h"

namespace gateleg::systems::membership {

struct FounderPass {
    std::string type;
    std::string payment;
    std::int64_t purchased_millis = 0;
    bool revoked = false;
};

struct Profile {
    bool exists = false;
    std::string tier;  // as stored; empty: the record has none
    std::string
        tier_source;  // manual or derived; empty: an older record, whose tier was set by hand
    std::string manual_tier;
    std::string provider;
    std::string customer;
    std::string email;
    std::optional<std::int64_t> revision;
    bool deleted = false;
};

// Everything of one member but lots and ledger, as of one consistent read.
struct Member {
    std::string user;
    Profile profile = {};
    std::optional<value::Item> credits = {};  // in stored form
    std::vector<FounderPass> passes = {};
    std::vector<Subscription> subscriptions = {};

    bool exists() const {
        return profile.exists || credits || !passes.empty() || !subscriptions.empty();
    }
    Subscription* find_subscription(std::string_view id);
    FounderPass* find_pass(std::string_view type);
};

struct Access {
    Tier tier = Tier::kFree;
    std::string source = "default";          // founder, subscription, profile or default
    std::optional<std::int64_t> until = {};  // seconds; nothing: no end is known
    std::string warning = {};
};

// ME-R1 to ME-R7.
Access find_access(const Member& member, const Catalog& catalog, std::int64_t now_millis);
// When that subscription stops granting access; nothing: it grants none in its state.
std::optional<std::int64_t> access_end(const Subscription& subscription, const Catalog& catalog);
// The one that counts; null if none grants access now.
const Subscription* find_granting(
    const Member& member, const Catalog& catalog, std::int64_t now_millis
);
// The tier that an administrator has set, or that an older record was found with.
std::optional<Tier> manual_tier(const Profile& profile);

}  // namespace gateleg::systems::membership

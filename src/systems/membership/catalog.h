// The figures of membership, typed: what systems/membership/catalog.yaml says.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/schema.h"

namespace gateleg::systems::membership {

enum class Tier : std::uint8_t { kFree, kInitiate, kJourneyman, kSage, kGuildmaster };
std::string_view tier_name(Tier tier);
// By its exact name.
std::optional<Tier> find_tier(std::string_view name);
// The tier that a founder pass grants.
Tier tier_of_pass(std::string_view pass_type);

struct Feature {
    std::int64_t cost = 0;
    Tier least = Tier::kFree;
};

// Immutable once it is read.
struct Catalog {
    std::map<Tier, std::int64_t> monthly_credits = {};
    std::map<std::string, std::int64_t, std::less<>> founder_credits = {};
    std::map<std::string, Feature, std::less<>> features = {};
    std::map<Tier, std::int64_t> prices = {};  // dollars; a tier without one is not sold here
    std::map<std::string, std::int64_t, std::less<>> founder_prices = {};
    std::map<std::string, std::string, std::less<>> stripe_prices = {};
    std::map<std::string, Tier, std::less<>> lookup_keys = {};
    std::int64_t top_up_usd = 5;
    std::int64_t top_up_credits = 10;
    std::int64_t top_up_max_usd = 500;
    bool highest_wins = false;  // accessPolicy: highest
    std::int64_t dunning_seconds = 0;
    std::int64_t slack_seconds = 0;
    bool founder_grant_stacks = true;
    std::map<std::string, std::int64_t, std::less<>> lot_days = {};
    std::int64_t reservation_seconds = 3600;
    std::int64_t reservation_max_seconds = 86400;
    std::int64_t checkout_minutes = 30;

    std::int64_t quota(Tier tier) const;
    // When credits of that source expire that are granted now, in seconds; nothing: never.
    std::optional<std::int64_t> lot_expiry(std::string_view source, std::int64_t now_seconds) const;
    // The tier behind a price's lookup key or a name of a tier, in any case.
    std::optional<Tier> tier_of(std::string_view key) const;
};

// What a model without one of the constants leaves out keeps its default.
Catalog read_catalog(const model::Model& model);

}  // namespace gateleg::systems::membership

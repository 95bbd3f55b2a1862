#include "systems/membership/catalog.h"

#include <array>

#include "model/native.h"

namespace gateleg::systems::membership {
namespace {

constexpr std::int64_t kDay = 24 * 60 * 60;
constexpr std::array<std::string_view, 5> kNames = {
    "free", "INITIATE", "JOURNEYMAN", "SAGE", "GUILDMASTER"};

const value::AttributeValue* find(const model::Model& model, std::string_view name) {
    const auto* constant = model.find_constant(name);
    return constant != nullptr ? &constant->value : nullptr;
}

const value::Map& map_of(const model::Model& model, std::string_view name) {
    static const value::Map kNone;
    const auto* value = find(model, name);
    const auto* map = value != nullptr ? std::get_if<value::Map>(&value->data) : nullptr;
    return map != nullptr ? *map : kNone;
}

void read_integer(const value::Map& map, std::string_view name, std::int64_t& into) {
    into = model::integer_of(map, name).value_or(into);
}

void read_integer(const model::Model& model, std::string_view name, std::int64_t& into) {
    if (const auto* value = find(model, name)) {
        into = model::integer_of({{"value", *value}}, "value").value_or(into);
    }
}

template <class Out>
void read_integers(const model::Model& model, std::string_view name, Out& out) {
    for (const auto& [key, value] : map_of(model, name)) {
        if (const auto number = model::integer_of({{"value", value}}, "value")) {
            out[key] = *number;
        }
    }
}

std::map<Tier, std::int64_t> read_tiers(const model::Model& model, std::string_view name) {
    std::map<std::string, std::int64_t> named;
    read_integers(model, name, named);
    std::map<Tier, std::int64_t> tiers;
    for (const auto& [key, number] : named) {
        if (const auto tier = find_tier(key)) {
            tiers[*tier] = number;
        }
    }
    return tiers;
}

bool same_ignoring_case(std::string_view left, std::string_view right) {
    const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; };
    if (left.size() != right.size()) {
        return false;
    }
    for (std::size_t at = 0; at < left.size(); ++at) {
        if (upper(left[at]) != upper(right[at])) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::string_view tier_name(Tier tier) {
    return kNames[static_cast<std::size_t>(tier)];
}

std::optional<Tier> find_tier(std::string_view name) {
    for (std::size_t at = 0; at < kNames.size(); ++at) {
        if (kNames[at] == name) {
            return static_cast<Tier>(at);
        }
    }
    return std::nullopt;
}

Tier tier_of_pass(std::string_view pass_type) {
    return pass_type == "GUILD_BUILDER" ? Tier::kGuildmaster : Tier::kSage;
}

std::int64_t Catalog::quota(Tier tier) const {
    const auto found = monthly_credits.find(tier);
    return found != monthly_credits.end() ? found->second : 0;
}

std::optional<std::int64_t> Catalog::lot_expiry(std::string_view source, std::int64_t now_seconds)
    const {
    const auto found = lot_days.find(source);
    if (found == lot_days.end() || found->second <= 0) {
        return std::nullopt;
    }
    return now_seconds + found->second * kDay;
}

std::optional<Tier> Catalog::tier_of(std::string_view key) const {
    if (const auto found = lookup_keys.find(key); found != lookup_keys.end()) {
        return found->second;
    }
    for (std::size_t at = 1; at < kNames.size(); ++at) {
        if (same_ignoring_case(kNames[at], key)) {
            return static_cast<Tier>(at);
        }
    }
    return std::nullopt;
}

Catalog read_catalog(const model::Model& model) {
    Catalog catalog;
    catalog.monthly_credits = read_tiers(model, "monthlyCredits");
    catalog.prices = read_tiers(model, "prices");
    read_integers(model, "founderCredits", catalog.founder_credits);
    read_integers(model, "founderPrices", catalog.founder_prices);
    read_integers(model, "lotDays", catalog.lot_days);
    const auto& costs = map_of(model, "featureCost");
    for (const auto& [name, cost] : costs) {
        const auto least = find_tier(model::text_of(map_of(model, "featureTier"), name));
        catalog.features[name] = {
            model::integer_of(costs, name).value_or(0), least.value_or(Tier::kFree)};
    }
    for (const auto& [key, value] : map_of(model, "stripePrices")) {
        catalog.stripe_prices[key] = model::text_of({{"value", value}}, "value");
    }
    for (const auto& [key, value] : map_of(model, "lookupKeys")) {
        if (const auto tier = find_tier(model::text_of({{"value", value}}, "value"))) {
            catalog.lookup_keys[key] = *tier;
        }
    }
    read_integer(map_of(model, "topUp"), "usd", catalog.top_up_usd);
    read_integer(map_of(model, "topUp"), "credits", catalog.top_up_credits);
    read_integer(map_of(model, "topUp"), "maxUsd", catalog.top_up_max_usd);
    read_integer(map_of(model, "reservation"), "seconds", catalog.reservation_seconds);
    read_integer(map_of(model, "reservation"), "maxSeconds", catalog.reservation_max_seconds);
    read_integer(model, "checkoutMinutes", catalog.checkout_minutes);
    read_integer(model, "renewalSlackSeconds", catalog.slack_seconds);
    std::int64_t dunning_days = 0;
    read_integer(model, "dunningDays", dunning_days);
    catalog.dunning_seconds = dunning_days * kDay;
    if (const auto* policy = find(model, "accessPolicy")) {
        catalog.highest_wins = model::text_of({{"value", *policy}}, "value") == "highest";
    }
    if (const auto* stacks = find(model, "founderGrantStacks")) {
        catalog.founder_grant_stacks = model::flag_of({{"value", *stacks}}, "value");
    }
    return catalog;
}

}  // namespace gateleg::systems::membership

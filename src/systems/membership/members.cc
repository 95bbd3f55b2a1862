#include "systems/membership/members.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/time_text.h"
#include "systems/webhooks.h"

namespace gateleg::systems::membership {
namespace {

using model::number;
using model::text;
using value::AttributeValue;
using value::Item;

constexpr std::int64_t kPatienceMillis = 5'000;

std::int64_t steady_millis() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch()
    )
        .count();
}

Profile read_profile(const Item& stored) {
    Profile profile;
    profile.exists = true;
    profile.tier = model::text_of(stored, "tier");
    profile.tier_source = model::text_of(stored, "tierSource");
    profile.manual_tier = model::text_of(stored, "manualTier");
    profile.provider = model::text_of(stored, "provider");
    profile.customer = model::text_of(stored, "stripeCustomerId");
    profile.email = model::text_of(stored, "email");
    profile.revision = model::integer_of(stored, "revision");
    profile.deleted = !model::text_of(stored, "deletedAt").empty();
    return profile;
}

FounderPass read_pass(const Item& stored) {
    return {
        model::text_of(stored, "passType"),
        model::text_of(stored, "stripePaymentIntentId"),
        parse_rfc3339_millis(model::text_of(stored, "purchasedAt")).value_or(0),
        !model::text_of(stored, "revokedAt").empty()};
}

bool is_cognito(const Member& member) {
    return member.profile.provider == "cognito" ||
           (member.profile.provider.empty() &&
            std::any_of(
                member.subscriptions.begin(),
                member.subscriptions.end(),
                [](const auto& one) { return one.provider == "cognito"; }
            ));
}

AttributeValue group_sync(const std::string& user, std::string_view tier) {
    value::List others;
    for (int at = 0; at <= static_cast<int>(Tier::kGuildmaster); ++at) {
        if (const auto name = tier_name(static_cast<Tier>(at)); name != tier) {
            others.push_back(text(std::string(name)));
        }
    }
    return outbox_row(
        "group-sync",
        {{"userId", text(user)},
         {"addGroup", text(std::string(tier))},
         {"removeGroups", {std::move(others)}}}
    );
}

}  // namespace

Members::Members(model::Runtime& runtime, const Services& services)
    : runtime_(runtime), services_(services), catalog_(read_catalog(runtime.model())) {}

CallResult<Member> Members::load(const std::string& user) const {
    // The revision comes first: a list is no snapshot, and what is read after the revision is at
    // least as new, so a change made in between is met by the condition on the revision.
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto first, find("profileNow", {{"userId", text(user)}}));
    model::PatternCall call;
    call.arguments["userId"] = text(user);
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto page, runtime_.query("membership", call, model::internal_caller())
    );
    Member member{.user = user};
    for (std::size_t at = 0; at < page.items.size(); ++at) {
        const auto& kind = page.kinds[at]->name;
        if (kind == "Profile") {
            member.profile = read_profile(page.items[at]);
        } else if (kind == "Credits") {
            member.credits = page.items[at];
        } else if (kind == "FounderPass") {
            member.passes.push_back(read_pass(page.items[at]));
        } else if (kind == "Subscription") {
            member.subscriptions.push_back(read_subscription(page.items[at]));
        }
    }
    member.profile.revision = first ? model::integer_of(*first, "revision") : std::nullopt;
    return member;
}

CallResult<std::vector<Lot>> Members::lots(const std::string& user) const {
    model::PatternCall call;
    call.arguments["userId"] = text(user);
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto page, runtime_.query("lots", call, model::internal_caller())
    );
    std::vector<Lot> lots;
    for (const auto& item : page.items) {
        lots.push_back(read_lot(item));
    }
    return lots;
}

CallResult<std::optional<Item>> Members::find(std::string_view pattern, Arguments arguments) const {
    auto found = runtime_.get(pattern, std::move(arguments), model::internal_caller());
    if (found) {
        return std::optional(std::move(found->item));
    }
    if (found.error().status == 404) {
        return std::optional<Item>();
    }
    return std::move(found).error();
}

Arguments Members::arguments_of(const Member& before, Change change) const {
    auto& after = change.after;
    if (change.drop_manual) {
        after.profile.manual_tier.clear();
        after.profile.tier_source = "derived";
    }
    const auto set_by_hand = manual_tier(after.profile);
    const auto access = find_access(after, catalog_, now_millis());
    const auto tier = tier_name(access.tier);
    auto& profile = change.profile;
    profile["tier"] = text(std::string(tier));
    profile["tierSource"] = text(access.source == "profile" ? "manual" : "derived");
    profile["manualTier"] =
        set_by_hand ? text(std::string(tier_name(*set_by_hand))) : AttributeValue{value::Null{}};
    const std::string old_tier = before.profile.tier.empty() ? "free" : before.profile.tier;
    if (is_cognito(after) && old_tier != tier && !after.profile.deleted) {
        change.outbox.push_back(group_sync(before.user, tier));
    }
    auto arguments = std::move(change.arguments);
    arguments["userId"] = text(before.user);
    if (before.profile.revision) {
        arguments["revision"] = number(*before.profile.revision);
    }
    arguments["profile"] = {std::move(profile)};
    if (!change.outbox.empty()) {
        arguments["outbox"] = {std::move(change.outbox)};
    }
    return arguments;
}

CallResult<bool> Members::change(
    const std::string& user, const MakeChange& make, const std::string& actor
) const {
    const auto caller = actor.empty() ? model::internal_caller() : model::internal_caller(actor);
    Patience patience;
    do {
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto before, load(user));
        auto member = before;
        GATELEG_CALL_TRY_ASSIGN_CALL(auto change, make(member));
        if (!change) {
            return false;
        }
        model::OperationCall call;
        call.arguments = arguments_of(before, *std::move(change));
        const auto reply = runtime_.run("changeMembership", call, caller);
        if (reply) {
            return reply->changed;
        }
        const auto& code = reply.error().code;
        if (code != "MembershipChanged" && code != "AlreadyGranted" && code != "PaymentKnown") {
            return reply.error();
        }
    } while (patience.again());
    return too_busy();
}

CallResult<bool> Members::expire_lots(const std::string& user) const {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto all, lots(user));
    bool changed = false;
    for (const auto& lot : all) {
        if (lot.remaining <= 0 || lot.is_live(now_seconds())) {
            continue;
        }
        model::OperationCall call;
        call.arguments = {
            {"userId", text(user)}, {"expiry", number(lot.expiry)}, {"lotId", text(lot.id)}};
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto reply, runtime_.run("expireLot", call, model::internal_caller())
        );
        changed |= reply.changed;
    }
    return changed;
}

CallResult<bool> Members::refresh_tier(const std::string& user) const {
    return change(user, [&](Member& member) -> CallResult<std::optional<Change>> {
        const auto tier = tier_name(find_access(member, catalog_, now_millis()).tier);
        const std::string stored = member.profile.tier.empty() ? "free" : member.profile.tier;
        if (stored == tier || member.profile.deleted) {
            return std::optional<Change>();
        }
        return std::optional(Change{.after = member});
    });
}

CallResult<AttributeValue> Members::show(const std::string& user, const model::Caller& caller)
    const {
    if (auto expired = expire_lots(user); !expired) {
        return expired.error();
    }
    model::PatternCall call;
    call.arguments["userId"] = text(user);
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto member, load(user));
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto page, runtime_.query("membership", call, model::internal_caller())
    );
    const auto access = find_access(member, catalog_, now_millis());
    value::Map answer;
    answer["userId"] = text(user);
    answer["tier"] = text(std::string(tier_name(access.tier)));
    answer["source"] = text(access.source);
    answer["until"] = time_value(access.until);
    if (!access.warning.empty()) {
        answer["warning"] = text(access.warning);
    }
    answer["credits"] = {value::Map{{"balance", number(0)}}};
    value::List passes;
    value::List subscriptions;
    for (std::size_t at = 0; at < page.items.size(); ++at) {
        const auto& kind = *page.kinds[at];
        auto shown = runtime_.to_api(kind, page.items[at], caller);
        if (kind.name == "Credits") {
            answer["credits"] = std::move(shown);
        } else if (kind.name == "FounderPass") {
            passes.push_back(std::move(shown));
        } else if (kind.name == "Subscription") {
            subscriptions.push_back(std::move(shown));
        }
    }
    answer["founderPasses"] = {std::move(passes)};
    answer["subscriptions"] = {std::move(subscriptions)};
    return AttributeValue{std::move(answer)};
}

bool Patience::again() {
    if (started_ == 0) {
        started_ = steady_millis();
    }
    ++rounds_;
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min(rounds_, 20)));
    return steady_millis() - started_ < kPatienceMillis;
}

CallError too_busy() {
    return {503, "Unavailable", "Too many writers at once; try again."};
}

std::optional<CallError> find_bad_caller(const model::Caller& caller) {
    if (caller.user && is_outside_id(*caller.user)) {
        return std::nullopt;
    }
    return model::validation_failed(
        "userId", "must be 1 to 128 letters, digits, '_', '.', ':' or '-'"
    );
}

AttributeValue outbox_row(std::string kind, value::Map payload) {
    return {value::Map{{"kind", text(std::move(kind))}, {"payload", {std::move(payload)}}}};
}

AttributeValue time_value(const std::optional<std::int64_t>& seconds) {
    if (!seconds) {
        return {value::Null{}};
    }
    auto shown = render_rfc3339(*seconds * 1000);
    return text(shown.substr(0, shown.find('.')) + "Z");
}

}  // namespace gateleg::systems::membership

#include "systems/membership/spending.h"

#include <algorithm>

#include "base/time_text.h"
#include "systems/webhooks.h"

namespace gateleg::systems::membership {
namespace {

using model::number;
using model::text;
using value::AttributeValue;
using value::Item;

constexpr std::size_t kMaxLots = 85;
constexpr std::string_view kReport = "mirror_report";

bool is_trusted(const model::Caller& caller) {
    return caller.internal || caller.roles.contains("service") || caller.roles.contains("admin");
}

const value::Map& map_of(const AttributeValue& value) {
    static const value::Map kNone;
    const auto* map = std::get_if<value::Map>(&value.data);
    return map != nullptr ? *map : kNone;
}

// A part of what `spend` answered with.
value::Map part_of(const OperationReply& reply, std::string_view name) {
    if (!reply.body) {
        return {};
    }
    const auto& body = map_of(*reply.body);
    const auto found = body.find(name);
    return found != body.end() ? map_of(found->second) : value::Map();
}

AttributeValue balance_of(const OperationReply& reply) {
    const auto& body = map_of(*reply.body);
    const auto found = body.find("balance");
    return found != body.end() ? found->second : number(0);
}

CallError insufficient(std::int64_t needed, std::int64_t balance) {
    CallError error{402, "InsufficientCredits", "There are not enough credits for this"};
    error.facts = {{"needed", number(needed)}, {"balance", number(balance)}};
    return error;
}

std::string month_of(std::int64_t millis) {
    return render_rfc3339(millis).substr(0, 7);
}

}  // namespace

CallResult<OperationReply> Spending::get_credits(const model::NativeCall& call) const {
    if (auto bad = find_bad_caller(call.caller)) {
        return *bad;
    }
    const auto& user = *call.caller.user;
    auto& runtime = members_.runtime();
    if (auto expired = members_.expire_lots(user); !expired) {
        return expired.error();
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(
        auto credits, members_.find("creditsOf", {{"userId", text(user)}})
    );
    if (!credits) {
        model::OperationCall create;
        create.arguments["userId"] = text(user);
        if (auto made = runtime.run("createCredits", create, model::internal_caller()); !made) {
            return made.error();
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(credits, members_.find("creditsOf", {{"userId", text(user)}}));
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(auto lots, members_.lots(user));
    auto item = credits.value_or(Item{{"userId", text(user)}, {"balance", number(0)}});
    item.erase("expiresAt");
    if (const auto next = choose_lots(std::move(lots), 0, members_.now_seconds()).next_expiry) {
        item["expiresAt"] = number(*next);
    }
    OperationReply reply;
    reply.body = runtime.to_api(*runtime.model().find_entity("Credits"), item, call.caller);
    return reply;
}

CallResult<Spending::Order> Spending::read_order(const model::NativeCall& call) const {
    if (auto bad = find_bad_caller(call.caller)) {
        return *bad;
    }
    Order order{.user = *call.caller.user};
    if (call.has("userId") && call.text("userId") != order.user) {
        if (!is_trusted(call.caller)) {
            return CallError{403, "Forbidden", "Only a service may spend for somebody else"};
        }
        order.user = call.text("userId");
    }
    order.reason = call.text("reason");
    if (call.has("feature") == call.has("amount")) {
        return model::validation_failed("feature", "or amount is needed, and not both");
    }
    if (call.has("amount")) {
        if (!is_trusted(call.caller)) {
            return CallError{403, "Forbidden", "Only a service may name an amount; name a feature"};
        }
        order.amount = *call.integer("amount");
        return order;
    }
    order.feature = call.text("feature");
    const auto& features = members_.catalog().features;
    const auto found = features.find(order.feature);
    if (found == features.end()) {
        return model::validation_failed("feature", "is not one of the catalogue");
    }
    order.amount = found->second.cost;
    order.least = found->second.least;
    return order;
}

CallResult<OperationReply> Spending::spend(const model::NativeCall& call, const Order& order)
    const {
    auto& runtime = members_.runtime();
    GATELEG_CALL_TRY_ASSIGN_CALL(auto replay, runtime.find_replay(call));
    if (replay) {
        return *std::move(replay);
    }
    const auto actor = model::internal_caller(call.caller.user.value_or(""));
    GATELEG_CALL_TRY_ASSIGN_CALL(auto lots, live_lots(order.user));
    Patience patience;
    int short_of_balance = 0;
    for (bool first = true;; first = false) {
        if (!first) {
            if (!patience.again()) {
                return too_busy();
            }
            GATELEG_CALL_TRY_ASSIGN_CALL(lots, members_.lots(order.user));
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto member, members_.load(order.user));
        const auto access = find_access(member, members_.catalog(), members_.now_millis());
        if (access.tier < order.least) {
            CallError error{403, "TierTooLow", "This feature needs a higher tier"};
            error.facts = {
                {"needed", text(std::string(tier_name(order.least)))},
                {"tier", text(std::string(tier_name(access.tier)))}};
            return error;
        }
        const auto payment = choose_lots(std::move(lots), order.amount, members_.now_seconds());
        if (payment.available < order.amount || short_of_balance > 3) {
            // Another request with the same key may have spent them: then that is the answer.
            GATELEG_CALL_TRY_ASSIGN_CALL(auto done, runtime.find_replay(call));
            if (done) {
                return *std::move(done);
            }
            return insufficient(order.amount, payment.available);
        }
        if (payment.parts.size() > kMaxLots) {
            return CallError{409, "TooManyLots", "Too many small lots; spend less at once"};
        }
        model::OperationCall inner;
        inner.behind = &call.original;
        auto& arguments = inner.arguments;
        arguments["userId"] = text(order.user);
        arguments["amount"] = number(order.amount);
        arguments["lots"] = to_argument(payment.parts);
        const auto add_text = [&](const char* name, const std::string& value) {
            if (!value.empty()) {
                arguments[name] = text(value);
            }
        };
        add_text("feature", order.feature);
        add_text("reason", order.reason);
        add_text("month", order.month);
        if (payment.next_expiry) {
            arguments["expiresAt"] = number(*payment.next_expiry);
        }
        if (order.hold_millis) {
            arguments["holdMillis"] = number(*order.hold_millis);
        }
        auto reply = runtime.run("spend", inner, actor);
        if (reply) {
            return reply;
        }
        const auto& code = reply.error().code;
        short_of_balance += code == "InsufficientCredits" ? 1 : 0;
        if (code != "LotsChanged" && code != "InsufficientCredits" && code != "LotNotFound" &&
            code != "CreditsNotFound") {
            return reply;
        }
    }
}

CallResult<std::vector<Lot>> Spending::live_lots(const std::string& user) const {
    GATELEG_CALL_TRY_ASSIGN_CALL(auto lots, members_.lots(user));
    const auto now = members_.now_seconds();
    const bool expired = std::any_of(lots.begin(), lots.end(), [&](const Lot& lot) {
        return lot.remaining > 0 && !lot.is_live(now);
    });
    if (!expired) {
        return lots;
    }
    if (auto done = members_.expire_lots(user); !done) {
        return done.error();
    }
    return members_.lots(user);
}

CallError Spending::report_exists(const std::string& user, const std::string& month) const {
    CallError error{409, "ReportAlreadyThisMonth", "There is a report for this month already"};
    error.facts["month"] = text(month);
    const auto found = members_.find(
        "grant", {{"userId", text(user)}, {"source", text("mirror")}, {"periodKey", text(month)}}
    );
    if (found && *found) {
        error.facts["reportId"] = text(model::text_of(**found, "refId"));
        error.facts["createdAt"] = text(model::text_of(**found, "createdAt"));
    }
    return error;
}

CallResult<OperationReply> Spending::consume(const model::NativeCall& call) const {
    GATELEG_CALL_TRY_ASSIGN_CALL(auto order, read_order(call));
    if (order.feature == kReport) {
        order.month = month_of(members_.now_millis());
    }
    auto reply = spend(call, order);
    if (!reply) {
        return reply.error().code == "ReportAlreadyThisMonth"
                   ? CallResult<OperationReply>(report_exists(order.user, order.month))
                   : reply;
    }
    auto answer = part_of(*reply, "entry");
    value::Map shown;
    for (const auto* name : {"txnId", "feature", "reason", "createdAt"}) {
        if (const auto found = answer.find(name); found != answer.end()) {
            shown[name] = found->second;
        }
    }
    shown["amount"] = number(order.amount);
    shown["balance"] = balance_of(*reply);
    reply->body = AttributeValue{std::move(shown)};
    reply->status = 200;
    return reply;
}

CallResult<OperationReply> Spending::reserve(const model::NativeCall& call) const {
    GATELEG_CALL_TRY_ASSIGN_CALL(auto order, read_order(call));
    const auto& catalog = members_.catalog();
    if (order.feature == kReport) {
        return model::validation_failed("feature", "is a report, which is not reserved");
    }
    const auto seconds = call.integer("holdSeconds").value_or(catalog.reservation_seconds);
    if (seconds > catalog.reservation_max_seconds) {
        return model::validation_failed(
            "holdSeconds", "must be at most " + std::to_string(catalog.reservation_max_seconds)
        );
    }
    order.hold_millis = seconds * 1000;
    auto reply = spend(call, order);
    if (!reply) {
        return reply;
    }
    auto shown = part_of(*reply, "held");
    shown["balance"] = balance_of(*reply);
    reply->body = AttributeValue{std::move(shown)};
    reply->status = 201;
    return reply;
}

CallResult<OperationReply> Spending::report(const model::NativeCall& call) const {
    if (auto bad = find_bad_caller(call.caller)) {
        return *bad;
    }
    const auto& features = members_.catalog().features;
    const auto feature = features.find(kReport);
    if (feature == features.end()) {
        return CallError{503, "ProviderNotConfigured", "The catalogue has no mirror_report"};
    }
    const Order order{
        .user = *call.caller.user,
        .feature = std::string(kReport),
        .amount = feature->second.cost,
        .least = feature->second.least,
        .month = month_of(members_.now_millis())};
    GATELEG_CALL_TRY_ASSIGN_CALL(auto replay, members_.runtime().find_replay(call));
    if (!replay) {
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto there,
            members_.find(
                "grant",
                {{"userId", text(order.user)},
                 {"source", text("mirror")},
                 {"periodKey", text(order.month)}}
            )
        );
        if (there) {
            return report_exists(order.user, order.month);
        }
    }
    auto reply = replay ? CallResult<OperationReply>(*std::move(replay)) : spend(call, order);
    if (!reply) {
        return reply.error().code == "ReportAlreadyThisMonth"
                   ? CallResult<OperationReply>(report_exists(order.user, order.month))
                   : reply;
    }
    const auto entry = part_of(*reply, "entry");
    const auto created = model::text_of(entry, "createdAt");
    reply->body = AttributeValue{value::Map{
        {"reportId", text(model::text_of(entry, "txnId"))},
        {"month", text(created.substr(0, 7))},
        {"amount", number(order.amount)},
        {"balance", balance_of(*reply)},
        {"createdAt", text(created)}}};
    reply->status = 201;
    return reply;
}

CallResult<OperationReply> Spending::give_back(
    const std::string& user, const std::string& reservation, const std::string& state
) const {
    auto& runtime = members_.runtime();
    Patience patience;
    do {
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto held,
            members_.find(
                "reservationOf", {{"userId", text(user)}, {"reservationId", text(reservation)}}
            )
        );
        if (!held) {
            return CallError{404, "ReservationNotFound", "There is no such Reservation."};
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto lots, members_.lots(user));
        const auto now = members_.now_seconds();
        std::vector<Part> back;
        std::int64_t fresh = 0;
        const auto stored = held->find("lots");
        const auto* parts =
            stored != held->end() ? std::get_if<value::List>(&stored->second.data) : nullptr;
        for (const auto& part : parts != nullptr ? *parts : value::List()) {
            const auto& map = map_of(part);
            const auto id = model::text_of(map, "lotId");
            const auto amount = model::integer_of(map, "amount").value_or(0);
            const auto lot = std::find_if(lots.begin(), lots.end(), [&](const auto& one) {
                return one.id == id && one.is_live(now);
            });
            if (lot != lots.end()) {
                back.push_back({*lot, amount});
            } else {
                fresh += amount;
            }
        }
        model::OperationCall call;
        call.arguments = {
            {"userId", text(user)},
            {"reservationId", text(reservation)},
            {"state", text(state)},
            {"amount", number(model::integer_of(*held, "amount").value_or(0))},
            {"lots", to_argument(back)},
            {"fresh", number(fresh)}};
        if (const auto expiry = members_.catalog().lot_expiry("refund", now)) {
            call.arguments["freshExpiresAt"] = number(*expiry);
        }
        auto reply = runtime.run("giveBack", call, model::internal_caller());
        if (reply || (reply.error().code != "LotsChanged" && reply.error().code != "LotNotFound")) {
            return reply;
        }
    } while (patience.again());
    return too_busy();
}

CallResult<OperationReply> Spending::release(const model::NativeCall& call) const {
    return give_back(call.text("userId"), call.text("reservationId"), "released");
}

CallResult<bool> Spending::expire_reservations(const std::string& user) const {
    model::PatternCall list;
    list.arguments["userId"] = text(user);
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto page, members_.runtime().query("reservationsOf", list, model::internal_caller())
    );
    bool changed = false;
    for (const auto& item : page.items) {
        if (model::integer_of(item, "heldUntil").value_or(0) > members_.now_seconds()) {
            continue;
        }
        const auto reply = give_back(user, model::text_of(item, "reservationId"), "expired");
        const bool closed = !reply && (reply.error().code == "ReservationClosed" ||
                                       reply.error().code == "ReservationExpired");
        if (!reply && !closed) {
            return reply.error();
        }
        changed |= !closed;
    }
    return changed;
}

}  // namespace gateleg::systems::membership

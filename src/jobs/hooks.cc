#include "jobs/hooks.h"

#include <array>
#include <utility>

namespace gateleg::jobs {
namespace {

using value::AttributeValue;
using value::Map;

struct Rule {
    std::string_view system;
    std::string_view kind;
    std::string_view delivered;
    std::string_view failed = {};
    std::string_view status = {};  // input `status` of `failed`
    std::string_view wanted = {};  // asked before
};

// docs/outbox.md lists them for those who write models.
constexpr std::array<Rule, 14> kRules = {{
    {"figureforge", "provider-call", "jobAccepted", "jobEnded", "failed", "jobWanted"},
    {"figureforge", "provider-poll", "jobPolled"},
    {"figureforge", "copy-object", "imageStored"},
    {"figureforge", "checkout", "checkoutReady", "checkoutFailed"},
    {"gallery", "runpod-submit", "videoAccepted", "videoEnded", "FAILED", "videoWanted"},
    {"gallery", "runpod-poll", "videoPolled"},
    {"gallery", "copy-object", "mediaStored"},
    {"gallery", "make-thumbnail", "thumbnailMade"},
    {"gallery", "payment-request", "orderRequested", "orderFailed"},
    {"membership", "checkout", "checkoutReady", "checkoutFailed"},
    {"membership", "group-sync", "groupsSynced"},
    {"moderation", "moderation-decision", "decisionDelivered"},
    {"stories", "provider-call", "generationAccepted", "generationFailed", "", "generationWanted"},
    {"stories", "provider-poll", "generationPolled"},
}};

// Other names under which an operation may take a member of an answer.
constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kAliases = {{
    {"request_id", "requestId"},
    {"id", "requestId"},
    {"paymentRequestId", "requestId"},
    {"requestId", "provider_request_id"},
    {"requestId", "providerRequestId"},
    {"requestId", "request_id"},
    {"requestId", "runpodJobId"},
    {"requestId", "runpodId"},
    {"requestId", "paymentRequestId"},
    {"requestId", "sessionId"},
    {"requestId", "session_id"},
    {"paymentUrl", "url"},
    {"url", "checkoutUrl"},
    {"contentType", "content_type"},
    {"key", "s3_key"},
}};

Map values_of(const Parcel& parcel, const AttributeValue& answer, const Map& fixed) {
    Map known;
    if (const auto* members = std::get_if<Map>(&answer.data)) {
        known = *members;
    }
    for (const auto& [from, to] : kAliases) {
        const auto found = known.find(from);
        if (found != known.end() && !known.contains(to)) {
            known.emplace(to, found->second);
        }
    }
    // What the system itself has said goes before what others answer.
    if (const auto* payload = std::get_if<Map>(&parcel.row.payload.data)) {
        for (const auto& [name, member] : *payload) {
            if (name != "url" || !known.contains(name)) {
                known.insert_or_assign(name, member);
            }
        }
    }
    known["outboxId"] = {parcel.row.id};
    known["eventId"] = {"outbox." + parcel.row.id};
    known["event_id"] = known["eventId"];
    known.insert_or_assign("answer", answer);
    for (const auto& [name, member] : fixed) {
        known.insert_or_assign(name, member);
    }
    return known;
}

}  // namespace

std::string camel_case(std::string_view kind) {
    std::string name;
    bool capital = false;
    for (const char c : kind) {
        if (c == '-' || c == '_') {
            capital = !name.empty();
            continue;
        }
        name += capital && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        capital = false;
    }
    return name;
}

Hook call_operation(std::string name, Map fixed) {
    return [name = std::move(name), fixed = std::move(fixed)](
               const Parcel& parcel, const AttributeValue& answer
           ) -> model::CallResult<model::Nothing> {
        const auto* operation = parcel.runtime.model().find_operation(name);
        if (operation == nullptr) {
            return model::Nothing{};
        }
        auto known = values_of(parcel, answer, fixed);
        model::OperationCall call;
        for (const auto& input : operation->inputs) {
            const auto found = known.find(input.attribute.name);
            if (found != known.end()) {
                call.arguments[input.attribute.name] = std::move(found->second);
            }
        }
        model::Caller internal;
        internal.internal = true;
        const auto reply = parcel.runtime.run(*operation, call, internal);
        if (!reply) {
            return reply.error();
        }
        return model::Nothing{};
    };
}

Hook find_hook(const Deliveries& deliveries, const std::string& system, const std::string& kind) {
    auto hook = deliveries.find_hook(system, kind);
    return hook ? hook : call_operation(camel_case(kind) + "Delivered");
}

Hook find_failure_hook(
    const Deliveries& deliveries, const std::string& system, const std::string& kind
) {
    auto hook = deliveries.find_failure_hook(system, kind);
    return hook ? hook : call_operation(camel_case(kind) + "Failed");
}

void add_hooks(Deliveries& deliveries) {
    for (const auto& rule : kRules) {
        deliveries.after(rule.system, rule.kind, call_operation(std::string(rule.delivered)));
        if (!rule.wanted.empty()) {
            deliveries.before(rule.system, rule.kind, call_operation(std::string(rule.wanted)));
        }
        if (!rule.failed.empty()) {
            Map fixed;
            if (!rule.status.empty()) {
                fixed["status"] = {std::string(rule.status)};
            }
            deliveries.after_failure(
                rule.system, rule.kind, call_operation(std::string(rule.failed), std::move(fixed))
            );
        }
    }
}

}  // namespace gateleg::jobs

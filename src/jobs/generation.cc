#include "jobs/generation.h"

#include "base/log.h"
#include "jobs/provider.h"
#include "value/json_tree.h"

namespace gateleg::jobs {
namespace {

using outbound::Reply;
using value::AttributeValue;
using value::Map;

constexpr int kBadRequest = 400;
constexpr int kTooLarge = 413;
constexpr int kUnprocessable = 422;
constexpr int kServerFault = 500;
constexpr std::size_t kMaxMessage = 300;

std::string text_of(const AttributeValue& tree, std::string_view name) {
    const auto* map = std::get_if<Map>(&tree.data);
    const auto found = map != nullptr ? map->find(name) : Map::const_iterator();
    const auto* text = map != nullptr && found != map->end()
                           ? std::get_if<std::string>(&found->second.data)
                           : nullptr;
    return text != nullptr ? *text : std::string();
}

// What a provider took, or why it will never take it: what it finds wrong with the request itself
// stays wrong.
Result<AttributeValue> taken(const Reply& reply) {
    if (reply.is_success()) {
        return parse_answer(reply.body);
    }
    const auto message = "the answer was " + std::to_string(reply.status);
    if (reply.status == kBadRequest || reply.status == kTooLarge ||
        reply.status == kUnprocessable) {
        return refusal(message + ": " + reply.body.substr(0, kMaxMessage));
    }
    return service_unavailable(message);
}

// Nobody minds when there is nothing left to cancel.
Result<AttributeValue> canceled(const Reply& reply) {
    if (reply.status < kServerFault) {
        return AttributeValue{Map{}};
    }
    return service_unavailable("the answer was " + std::to_string(reply.status));
}

std::string json_of(const AttributeValue& tree) {
    std::string json;
    value::append_plain_json(json, tree);
    return json;
}

class Generator : public Provider {
public:
    using Provider::Provider;

protected:
    std::vector<std::string> json_headers(const std::string& scheme) const {
        auto headers = authorization(scheme);
        headers.emplace_back("Content-Type: application/json");
        return headers;
    }

    // The body of a success; nothing otherwise.
    std::optional<AttributeValue> ask(
        const Parcel& parcel, const std::string& url, const std::string& scheme
    ) const {
        const auto reply = send(parcel, "GET", url, "", authorization(scheme));
        if (!reply || !reply->is_success()) {
            log_info(
                "a provider does not say how a job is",
                {{"kind", parcel.row.kind},
                 {"reason", reply ? std::to_string(reply->status) : reply.error().message}}
            );
            return std::nullopt;
        }
        return parse_answer(reply->body);
    }
};

// POST URL/MODEL?fal_webhook=CALLBACK answers {"request_id"}; GET URL/MODEL/requests/ID/status and,
// once it is COMPLETED, URL/MODEL/requests/ID; PUT URL/MODEL/requests/ID/cancel.
class Fal : public Generator {
public:
    using Generator::Generator;

    Result<AttributeValue> submit(const Parcel& parcel) const {
        const auto model = model_of(parcel);
        if (!is_plain_path(model)) {
            return refusal("this is no name of a model");
        }
        auto url = joined(target_.url, model);
        if (const auto back = callback(parcel, "provider"); !back.empty()) {
            url += "?fal_webhook=" + percent_encoded(back);
        }
        GATELEG_TRY_ASSIGN(
            const auto reply,
            send(parcel, "POST", url, json_of(input_of(parcel)), json_headers("Key"))
        );
        return taken(reply);
    }

    Result<AttributeValue> poll(const Parcel& parcel) const {
        const auto address = request_address(parcel);
        if (address.empty()) {
            return AttributeValue{Map{}};
        }
        const auto status = ask(parcel, address + "/status", "Key");
        if (!status) {
            return AttributeValue{Map{}};
        }
        Map report{
            {"request_id", text_value(parcel.text("provider_request_id"))},
            {"status", text_value(text_of(*status, "status"))}};
        if (text_of(*status, "status") == "COMPLETED") {
            const auto reply = send(parcel, "GET", address, "", authorization("Key"));
            if (!reply || reply->status >= kServerFault) {
                return AttributeValue{Map{}};
            }
            report["status"] = text_value(reply->is_success() ? "OK" : "ERROR");
            report["payload"] = parse_answer(reply->body);
        }
        return AttributeValue{std::move(report)};
    }

    Result<AttributeValue> cancel(const Parcel& parcel) const {
        const auto address = request_address(parcel);
        if (address.empty()) {
            return AttributeValue{Map{}};  // it never got there
        }
        GATELEG_TRY_ASSIGN(
            const auto reply, send(parcel, "PUT", address + "/cancel", "{}", json_headers("Key"))
        );
        return canceled(reply);
    }

private:
    static std::string model_of(const Parcel& parcel) {
        const auto model = parcel.text("model");
        return model.empty() ? parcel.text("provider_model_id") : model;
    }

    // Empty if there is none.
    std::string request_address(const Parcel& parcel) const {
        const auto model = model_of(parcel);
        const auto id = parcel.text("provider_request_id");
        if (model.empty() || id.empty() || !is_plain_path(model) || !is_plain_path(id)) {
            return {};
        }
        return joined(target_.url, model) + "/requests/" + id;
    }
};

// POST URL/run {"input", "webhook"} answers {"id", "status"}; GET URL/status/ID; POST
// URL/cancel/ID.
class Runpod : public Generator {
public:
    using Generator::Generator;

    Result<AttributeValue> submit(const Parcel& parcel) const {
        Map body;
        body["input"] = input_of(parcel);
        // FigureForge has one callback for all of its providers.
        const bool own = parcel.row.kind == "runpod-submit";
        if (auto back = callback(parcel, own ? "runpod" : "provider"); !back.empty()) {
            body["webhook"] = text_value(std::move(back));
        }
        GATELEG_TRY_ASSIGN(
            const auto reply,
            send(
                parcel,
                "POST",
                joined(target_.url, "run"),
                json_of({std::move(body)}),
                json_headers("Bearer")
            )
        );
        return taken(reply);
    }

    Result<AttributeValue> poll(const Parcel& parcel) const {
        const auto id = id_of(parcel);
        const auto report =
            id.empty() ? std::nullopt : ask(parcel, joined(target_.url, "status/" + id), "Bearer");
        return report.value_or(AttributeValue{Map{}});
    }

    Result<AttributeValue> cancel(const Parcel& parcel) const {
        const auto id = id_of(parcel);
        if (id.empty()) {
            return AttributeValue{Map{}};  // it never got there
        }
        GATELEG_TRY_ASSIGN(
            const auto reply,
            send(parcel, "POST", joined(target_.url, "cancel/" + id), "{}", json_headers("Bearer"))
        );
        return canceled(reply);
    }

private:
    static std::string id_of(const Parcel& parcel) {
        auto id = parcel.text("runpodJobId");
        id = id.empty() ? parcel.text("provider_request_id") : id;
        return is_plain_path(id) ? id : std::string();
    }
};

}  // namespace

void add_generation_deliveries(Deliveries& deliveries, const DeliveryParts& parts) {
    const auto fal_target = parts.config.find_target("FAL");
    const auto runpod_target = parts.config.find_target("RUNPOD");
    const auto fal = fal_target ? std::optional(Fal(parts, *fal_target)) : std::nullopt;
    const auto runpod = runpod_target ? std::optional(Runpod(parts, *runpod_target)) : std::nullopt;
    // The row names the provider of its job.
    const auto add = [&](std::string_view kind, auto of_fal, auto of_runpod) {
        if (!fal && !runpod) {
            return;
        }
        deliveries.deliver("", kind, [=](const Parcel& parcel) {
            const bool to_runpod = parcel.text("provider") == "runpod" || !fal;
            if (to_runpod && !runpod) {
                return Result<AttributeValue>(service_unavailable("GATELEG_RUNPOD_URL is not set"));
            }
            return to_runpod ? ((*runpod).*of_runpod)(parcel) : ((*fal).*of_fal)(parcel);
        });
    };
    add("provider-call", &Fal::submit, &Runpod::submit);
    add("provider-poll", &Fal::poll, &Runpod::poll);
    add("provider-cancel", &Fal::cancel, &Runpod::cancel);
    if (runpod) {
        const auto add_runpod = [&](std::string_view kind, auto method) {
            deliveries.deliver("", kind, [=](const Parcel& parcel) {
                return ((*runpod).*method)(parcel);
            });
        };
        add_runpod("runpod-submit", &Runpod::submit);
        add_runpod("runpod-poll", &Runpod::poll);
        add_runpod("runpod-cancel", &Runpod::cancel);
    }
}

}  // namespace gateleg::jobs

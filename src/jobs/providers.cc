#include "jobs/providers.h"

#include <set>

#include "base/sha256.h"
#include "base/time_text.h"
#include "jobs/mail.h"
#include "model/surface.h"
#include "value/json_tree.h"

namespace gateleg::jobs {
namespace {

using outbound::Reply;
using value::AttributeValue;
using value::Map;

AttributeValue text_value(std::string text) {
    return {std::move(text)};
}

// What a provider answered, or an empty map when it was no JSON object.
AttributeValue parse_answer(const std::string& body) {
    auto tree = value::parse_json(body);
    if (tree && std::holds_alternative<Map>((*tree).data)) {
        return *std::move(tree);
    }
    return {Map{}};
}

class Provider {
public:
    Provider(const DeliveryParts& parts, Target target)
        : config_(parts.config),
          client_(parts.client),
          clock_(parts.real_clock),
          target_(std::move(target)) {}

    Result<AttributeValue> post_json(
        const Parcel& parcel,
        const std::string& url,
        const AttributeValue& body,
        const std::vector<std::string>& headers
    ) const {
        std::string json;
        value::append_plain_json(json, body);
        return post(parcel, url, std::move(json), "application/json", headers);
    }

    Result<AttributeValue> post(
        const Parcel& parcel,
        const std::string& url,
        std::string body,
        const std::string& type,
        const std::vector<std::string>& headers
    ) const {
        outbound::Request request;
        request.url = url;
        request.body = std::move(body);
        request.headers = headers;
        request.headers.push_back("Content-Type: " + type);
        request.headers.push_back("Accept: application/json");
        request.headers.push_back("Idempotency-Key: " + parcel.row.id);
        GATELEG_TRY_ASSIGN(const auto reply, client_.send(request));
        if (!reply.is_success()) {
            return service_unavailable("the answer was " + std::to_string(reply.status));
        }
        return parse_answer(reply.body);
    }

    // "Authorization: Bearer KEY", unless there is no key.
    std::vector<std::string> authorization(const std::string& scheme) const {
        if (target_.key.empty()) {
            return {};
        }
        return {"Authorization: " + scheme + " " + target_.key};
    }

    // Where a provider reports to; the token of the job is part of it.
    std::string callback(const Parcel& parcel, const std::string& path) const {
        const auto token = parcel.text("token");
        return config_.public_url + model::base_path(parcel.runtime.model()) + "/webhooks/" + path +
               (token.empty() ? "" : "/" + token);
    }

    // The payload without what only we need.
    static Map without(const Parcel& parcel, const std::set<std::string, std::less<>>& names) {
        Map rest;
        if (const auto* map = std::get_if<Map>(&parcel.row.payload.data)) {
            for (const auto& [name, member] : *map) {
                if (!names.contains(name) && member.type() != value::Type::kNull) {
                    rest[name] = member;
                }
            }
        }
        return rest;
    }
    // What the provider works on: `input` of the payload, or all that is not for us.
    static AttributeValue input_of(const Parcel& parcel) {
        if (const auto* input = parcel.find("input")) {
            return *input;
        }
        return {without(parcel, {"token", "model", "provider", "provider_model_id", "user_id"})};
    }

protected:
    const Config& config_;
    const outbound::Client& client_;
    const Clock& clock_;
    Target target_;
};

std::string joined(std::string url, const std::string& path) {
    while (url.ends_with('/')) {
        url.pop_back();
    }
    return path.empty() ? url : url + (path.starts_with('/') ? "" : "/") + path;
}

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';
        if (plain) {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += kDigits[byte >> 4U];
        out += kDigits[byte & 15U];
    }
    return out;
}

// A path within a provider's URL; never a way out of it.
bool is_plain_path(const std::string& path) {
    return path.find("..") == std::string::npos &&
           path.find_first_not_of(
               "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./"
           ) == std::string::npos;
}

// A queue as fal.ai has it: POST URL/MODEL?fal_webhook=CALLBACK answers {"request_id"}.
struct FalDelivery : Provider {
    using Provider::Provider;
    Result<AttributeValue> operator()(const Parcel& parcel) const {
        auto model = parcel.text("model");
        model = model.empty() ? parcel.text("provider_model_id") : model;
        if (!is_plain_path(model)) {
            return validation_error("this is no name of a model");
        }
        const auto url = joined(target_.url, model) +
                         "?fal_webhook=" + percent_encoded(callback(parcel, "provider"));
        return post_json(parcel, url, input_of(parcel), authorization("Key"));
    }
};

// As RunPod has it: POST URL/run {"input", "webhook"} answers {"id", "status"}.
struct RunpodDelivery : Provider {
    using Provider::Provider;
    Result<AttributeValue> operator()(const Parcel& parcel) const {
        const bool cancels = parcel.row.kind == "runpod-cancel";
        if (cancels) {
            const auto id = parcel.text("runpodJobId");
            if (id.empty() || !is_plain_path(id)) {
                return AttributeValue{Map{}};  // it never got there
            }
            return post_json(
                parcel,
                joined(target_.url, "cancel/" + id),
                AttributeValue{Map{}},
                authorization("Bearer")
            );
        }
        Map body;
        body["input"] = input_of(parcel);
        // FigureForge has one callback for all of its providers.
        const bool own = parcel.row.kind == "runpod-submit";
        body["webhook"] = text_value(callback(parcel, own ? "runpod" : "provider"));
        return post_json(
            parcel, joined(target_.url, "run"), {std::move(body)}, authorization("Bearer")
        );
    }
};

// Stripe's API takes forms. `path` and `params` of a payload are sent as they are; a checkout is
// put together from its payload.
struct StripeDelivery : Provider {
    using Provider::Provider;
    Result<AttributeValue> operator()(const Parcel& parcel) const {
        auto path = parcel.text("path");
        auto params = AttributeValue{Map{}};
        if (!path.empty()) {
            if (const auto* given = parcel.find("params")) {
                params = *given;
            }
        } else if (parcel.row.kind.find("refund") != std::string::npos) {
            path = "/v1/refunds";
            params = {refund(parcel)};
        } else {
            path = "/v1/checkout/sessions";
            const auto* session = parcel.find("session");
            params = session != nullptr ? *session : AttributeValue{checkout(parcel)};
        }
        if (!is_plain_path(path)) {
            return validation_error("this is no path of Stripe");
        }
        return post(
            parcel,
            joined(target_.url, path),
            render_form(params),
            "application/x-www-form-urlencoded",
            authorization("Bearer")
        );
    }

private:
    static Map refund(const Parcel& parcel) {
        Map form;
        for (const auto* name : {"payment_intent", "stripePaymentIntentId", "paymentIntentId"}) {
            if (const auto* value = parcel.find(name)) {
                form["payment_intent"] = *value;
            }
        }
        form["metadata"] = {Provider::without(parcel, {"payment_intent"})};
        return form;
    }

    Map checkout(const Parcel& parcel) const {
        Map form;
        const auto mode = parcel.text("mode");
        const bool once = !mode.empty() ? mode == "payment" : parcel.find("amount") != nullptr;
        form["mode"] = text_value(once ? "payment" : "subscription");
        const auto back = [&](const char* name, const std::string& path) {
            const auto given = parcel.text(name);
            return text_value(given.empty() ? config_.public_url + path : given);
        };
        form["success_url"] = back("success_url", "/checkout/done");
        form["cancel_url"] = back("cancel_url", "/checkout/canceled");
        Map line;
        line["quantity"] = text_value("1");
        if (const auto* price = parcel.find("price")) {
            line["price"] = *price;
        } else {
            Map product;
            const auto name = parcel.text("name");
            product["name"] = text_value(name.empty() ? parcel.system() : name);
            Map data;
            const auto currency = parcel.text("currency");
            data["currency"] = text_value(currency.empty() ? "usd" : currency);
            data["unit_amount"] = text_value(parcel.text("amount"));
            data["product_data"] = {std::move(product)};
            if (!once) {
                Map recurring;
                recurring["interval"] = text_value("month");
                data["recurring"] = {std::move(recurring)};
            }
            line["price_data"] = {std::move(data)};
        }
        form["line_items"] = {value::List{AttributeValue{std::move(line)}}};
        for (const auto* name : {"checkoutId", "userId", "user_id"}) {
            if (parcel.find(name) != nullptr && !form.contains("client_reference_id")) {
                form["client_reference_id"] = text_value(parcel.text(name));
            }
        }
        if (const auto* customer = parcel.find("customer")) {
            form["customer"] = *customer;
        }
        // Events come back with it: it says who has paid, and for what.
        AttributeValue metadata{Provider::without(
            parcel, {"mode", "price", "success_url", "cancel_url", "customer", "name"}
        )};
        if (!once) {
            Map subscription;
            subscription["metadata"] = metadata;
            form["subscription_data"] = {std::move(subscription)};
        } else {
            Map intent;
            intent["metadata"] = metadata;
            form["payment_intent_data"] = {std::move(intent)};
        }
        form["metadata"] = std::move(metadata);
        return form;
    }
};

// POST URL, refunds URL/refunds: the payload with "callbackUrl"; answers {"paymentRequestId"}.
struct PaymentDelivery : Provider {
    using Provider::Provider;
    Result<AttributeValue> operator()(const Parcel& parcel) const {
        const bool refunds = parcel.row.kind.find("refund") != std::string::npos;
        auto body = without(parcel, {});
        body["callbackUrl"] = text_value(
            config_.public_url + model::base_path(parcel.runtime.model()) + "/webhooks/payment"
        );
        return post_json(
            parcel,
            joined(target_.url, refunds ? "refunds" : ""),
            {std::move(body)},
            authorization("Bearer")
        );
    }
};

// Webhooks of our own: signed as those that come in are, if there is a key.
struct WebhookDelivery : Provider {
    using Provider::Provider;
    Result<AttributeValue> operator()(const Parcel& parcel) const {
        Map body;
        body["id"] = text_value(parcel.row.id);
        body["system"] = text_value(parcel.system());
        body["kind"] = text_value(parcel.row.kind);
        body["createdAt"] = text_value(render_rfc3339(parcel.row.created_millis));
        body["payload"] = parcel.row.payload;
        std::string json;
        value::append_plain_json(json, {std::move(body)});
        std::vector<std::string> headers;
        if (!target_.key.empty()) {
            const auto time = std::to_string(clock_.now_seconds());
            const auto digest = HmacKey(target_.key).sign(time + "." + json);
            headers.push_back("Webhook-Signature: t=" + time + ",v1=" + to_hex(digest));
        }
        return post(parcel, target_.url, std::move(json), "application/json", headers);
    }
};

void append_form(std::string& out, const std::string& name, const AttributeValue& value) {
    if (const auto* map = std::get_if<Map>(&value.data)) {
        for (const auto& [key, member] : *map) {
            append_form(out, name.empty() ? key : name + "[" + key + "]", member);
        }
    } else if (const auto* list = std::get_if<value::List>(&value.data)) {
        for (std::size_t at = 0; at < list->size(); ++at) {
            append_form(out, name + "[" + std::to_string(at) + "]", (*list)[at]);
        }
    } else if (value.type() != value::Type::kNull) {
        std::string text;
        if (const auto* plain = std::get_if<std::string>(&value.data)) {
            text = *plain;
        } else {
            value::append_plain_json(text, value);
        }
        out += (out.empty() ? "" : "&") + percent_encoded(name) + "=" + percent_encoded(text);
    }
}

}  // namespace

std::string render_form(const AttributeValue& tree) {
    std::string form;
    append_form(form, "", tree);
    return form;
}

void add_deliveries(Deliveries& deliveries, const DeliveryParts& parts) {
    const auto& config = parts.config;
    if (!config.smtp_url.empty()) {
        for (const auto& kind : mail_kinds()) {
            deliveries.deliver("", kind, Mailer(config, parts.client, parts.real_clock));
        }
    }
    const auto fal = config.find_target("FAL");
    const auto runpod = config.find_target("RUNPOD");
    if (fal || runpod) {
        // FigureForge names the provider of a job in the row.
        deliveries.deliver("", "provider-call", [=](const Parcel& parcel) {
            const bool to_runpod = parcel.text("provider") == "runpod" || !fal;
            if (to_runpod && !runpod) {
                return Result<AttributeValue>(service_unavailable("GATELEG_RUNPOD_URL is not set"));
            }
            return to_runpod ? RunpodDelivery(parts, *runpod)(parcel)
                             : FalDelivery(parts, *fal)(parcel);
        });
    }
    const auto add = [&](std::string_view kind, auto delivery) {
        deliveries.deliver("", kind, std::move(delivery));
    };
    if (runpod) {
        add("runpod-submit", RunpodDelivery(parts, *runpod));
        add("runpod-cancel", RunpodDelivery(parts, *runpod));
    }
    if (const auto stripe = config.find_target("STRIPE")) {
        for (const auto* kind : {"checkout", "stripe-checkout", "stripe-call", "stripe-refund"}) {
            add(kind, StripeDelivery(parts, *stripe));
        }
        deliveries.deliver("membership", "refund", StripeDelivery(parts, *stripe));
    }
    if (const auto payment = config.find_target("PAYMENT")) {
        for (const auto* kind : {"payment-request", "payment-refund"}) {
            add(kind, PaymentDelivery(parts, *payment));
        }
        deliveries.deliver("gallery", "refund", PaymentDelivery(parts, *payment));
    }
    deliveries.never_give_up("copy-object");
    deliveries.deliver_others([parts](std::string_view kind) {
        const auto target = parts.config.find_target(Config::target_name(kind));
        return target ? Deliver(WebhookDelivery(parts, *target)) : Deliver();
    });
}

void add_object_deliveries(Deliveries& deliveries, std::string_view system, ObjectAccess& bucket) {
    deliveries.deliver(system, "copy-object", [&bucket](const Parcel& parcel) {
        auto stored = bucket.copy_in(parcel.text("url"), parcel.text("key"));
        if (!stored) {
            return Result<AttributeValue>(stored.error());
        }
        Map answer;
        answer["key"] = text_value(stored->key);
        answer["size"] = {value::Number::from_int(static_cast<std::int64_t>(stored->size))};
        answer["contentType"] = text_value(stored->content_type);
        if (stored->width != 0 && stored->height != 0) {
            answer["width"] = {value::Number::from_int(stored->width)};
            answer["height"] = {value::Number::from_int(stored->height)};
        }
        return Result<AttributeValue>(AttributeValue{std::move(answer)});
    });
    deliveries.deliver(system, "delete-object", [&bucket](const Parcel& parcel) {
        const auto removed = bucket.remove(parcel.text("key"));
        return removed ? Result<AttributeValue>(AttributeValue{Map{}})
                       : Result<AttributeValue>(removed.error());
    });
}

}  // namespace gateleg::jobs

#include "jobs/providers.h"

#include <charconv>

#include "base/sha256.h"
#include "base/time_text.h"
#include "jobs/generation.h"
#include "jobs/mail.h"
#include "jobs/provider.h"
#include "model/native.h"
#include "model/surface.h"
#include "value/json_tree.h"

namespace gateleg::jobs {
namespace {

using value::AttributeValue;
using value::Map;

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
            return refusal("this is no path of Stripe");
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
    add_generation_deliveries(deliveries, parts);
    const auto add = [&](std::string_view kind, auto delivery) {
        deliveries.deliver("", kind, std::move(delivery));
    };
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

namespace {

AttributeValue describe(const StoredObject& stored) {
    Map answer;
    answer["key"] = text_value(stored.key);
    answer["size"] = {value::Number::from_int(static_cast<std::int64_t>(stored.size))};
    answer["contentType"] = text_value(stored.content_type);
    if (stored.width != 0 && stored.height != 0) {
        answer["width"] = {value::Number::from_int(stored.width)};
        answer["height"] = {value::Number::from_int(stored.height)};
    }
    return {std::move(answer)};
}

// Without an image there is no small one of it, now or later.
Result<AttributeValue> make_thumbnail(ObjectAccess& bucket, const Parcel& parcel) {
    std::uint32_t edge = 0;
    const auto wanted = parcel.text("edge");
    std::from_chars(wanted.data(), wanted.data() + wanted.size(), edge);
    GATELEG_TRY_ASSIGN(
        const auto made, bucket.make_thumbnail(parcel.text("key"), parcel.text("out_key"), edge)
    );
    return made ? describe(*made) : AttributeValue{Map{}};
}

// `image` of the input becomes a link to the object that the row names: our own addresses are not
// for strangers.
Result<AttributeValue> submit_with_link(
    const ObjectAccess& bucket, const Deliver& submit, const Parcel& parcel
) {
    const auto key = parcel.text("objectKey");
    auto row = parcel.row;
    auto* payload = std::get_if<Map>(&row.payload.data);
    const auto input = payload != nullptr ? payload->find("input") : Map::iterator();
    auto* members = payload != nullptr && input != payload->end()
                        ? std::get_if<Map>(&input->second.data)
                        : nullptr;
    if (!key.empty() && members != nullptr) {
        GATELEG_TRY_ASSIGN(auto link, bucket.make_link(key));
        (*members)["image"] = text_value(std::move(link));
    }
    return submit({parcel.runtime, row});
}

}  // namespace

void add_object_deliveries(Deliveries& deliveries, std::string_view system, ObjectAccess& bucket) {
    deliveries.deliver(system, "copy-object", [&bucket](const Parcel& parcel) {
        auto stored = bucket.copy_in(parcel.text("url"), parcel.text("key"));
        return stored ? Result<AttributeValue>(describe(*stored))
                      : Result<AttributeValue>(stored.error());
    });
    deliveries.deliver(system, "make-thumbnail", [&bucket](const Parcel& parcel) {
        return make_thumbnail(bucket, parcel);
    });
    if (auto submit = deliveries.find_delivery(system, "runpod-submit")) {
        deliveries.deliver(
            system,
            "runpod-submit",
            [&bucket, submit = std::move(submit)](const Parcel& parcel) {
                return submit_with_link(bucket, submit, parcel);
            }
        );
    }
    deliveries.deliver(system, "delete-object", [&bucket](const Parcel& parcel) {
        const auto removed = bucket.remove(parcel.text("key"));
        return removed ? Result<AttributeValue>(AttributeValue{Map{}})
                       : Result<AttributeValue>(removed.error());
    });
}

void add_system_call(
    Deliveries& deliveries,
    std::string_view system,
    std::string_view kind,
    model::Runtime& other,
    std::string operation
) {
    const auto deliver = [&other, operation = std::move(operation)](const Parcel& parcel) {
        model::OperationCall call;
        const auto* declared = other.model().find_operation(operation);
        const auto* payload = std::get_if<Map>(&parcel.row.payload.data);
        for (const auto& input : declared->inputs) {
            const auto& name = input.attribute.name;
            if (payload != nullptr && payload->contains(name)) {
                call.arguments[name] = payload->at(name);
            }
        }
        const auto reply = other.run(*declared, call, model::internal_caller(parcel.system()));
        if (reply) {
            return Result<AttributeValue>(AttributeValue{Map{}});
        }
        constexpr int kServerFault = 500;
        const auto& error = reply.error();
        return error.status >= kServerFault
                   ? Result<AttributeValue>(service_unavailable(error.message))
                   : Result<AttributeValue>(refusal(error.code + ": " + error.message));
    };
    deliveries.deliver(system, kind, deliver);
    deliveries.never_give_up(kind);
}

}  // namespace gateleg::jobs

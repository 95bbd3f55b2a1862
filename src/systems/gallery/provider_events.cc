#include "systems/gallery/provider_events.h"

#include "systems/gallery/walk.h"
#include "value/number.h"

namespace gateleg::systems::gallery {

using model::Arguments;
using model::CallError;
using model::CallResult;
using model::text;
using model::text_of;

namespace {

constexpr int kNotFound = 404;
constexpr std::string_view kTooLate = "EventTooLate";
constexpr std::size_t kMaxStatus = 64;

model::OperationReply received(bool applied) {
    model::OperationReply reply;
    reply.body = value::AttributeValue{
        value::Map{{"received", model::boolean(true)}, {"applied", model::boolean(applied)}}};
    return reply;
}

// Seconds, from the provider's milliseconds.
void add_seconds(Arguments& arguments, const WebhookBody& body, const char* name) {
    const auto millis = body.integer(name);
    if (!millis || *millis < 0) {
        return;
    }
    const auto thousandths = std::to_string(*millis % 1000);
    const auto number = value::Number::parse(
        std::to_string(*millis / 1000) + "." + std::string(3 - thousandths.size(), '0') +
        thousandths
    );
    if (number) {
        arguments[name] = value::AttributeValue{*number};
    }
}

bool is_web_address(const std::string& url) {
    return url.starts_with("https://") || url.starts_with("http://");
}

}  // namespace

ProviderEvents::Reply ProviderEvents::late(
    std::string_view provider,
    const std::string& event_id,
    const std::string& target,
    const std::string& status
) {
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto kept,
        run(runtime_,
            "lateEvent",
            {{"provider", text(std::string(provider))},
             {"eventId", text(event_id)},
             {"target", text(target)},
             {"status", text(status)}})
    );
    return received(false);
}

ProviderEvents::Reply ProviderEvents::video(const model::NativeCall& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto body, read_webhook(services_, "RUNPOD", "Webhook-Signature", call)
    );
    const auto id = body.text("id");
    const auto status = body.text("status");
    auto event_id = body.text("eventId");
    if (event_id.empty()) {
        event_id = id + ":" + status;
    }
    if (!is_outside_id(id) || !is_outside_id(event_id) || status.empty() ||
        status.size() > kMaxStatus) {
        return model::validation_failed("id", "id, status and eventId must name an event");
    }
    const auto found = runtime_.get(
        "i2vCallback", {{"token", text(call.text("token"))}}, model::internal_caller()
    );
    if (!found) {
        return found.error().status == kNotFound
                   ? CallError{404, "I2VJobNotFound", "There is no such I2VJob."}
                   : found.error();
    }
    return video_event(text_of(found->item, "jobId"), event_id, body);
}

ProviderEvents::Reply ProviderEvents::video_asked(const model::NativeCall& call) {
    const WebhookBody body{*call.find("answer")};
    const auto status = body.text("status");
    const auto event_id = "poll:" + call.text("jobId") + ":" + status;
    if (status.empty() || !is_outside_id(event_id) || !is_outside_id(body.text("id"))) {
        return received(false);  // nobody knows
    }
    return video_event(call.text("jobId"), event_id, body);
}

ProviderEvents::Reply ProviderEvents::video_event(
    const std::string& job_id, const std::string& event_id, const WebhookBody& body
) {
    const auto status = body.text("status");
    const auto url = body.text("output.video_url");
    Arguments arguments = {
        {"eventId", text(event_id)},
        {"jobId", text(job_id)},
        {"providerJobId", text(body.text("id"))}};
    std::string_view operation;
    if (status == "COMPLETED" && is_web_address(url)) {
        operation = "videoCompleted";
        arguments["url"] = text(url);
        add_seconds(arguments, body, "delayTime");
        add_seconds(arguments, body, "executionTime");
    } else if (status == "FAILED" || status == "CANCELLED" || status == "TIMED_OUT" || status == "COMPLETED") {
        operation = "videoEnded";
        // A success without a video is none.
        arguments["status"] = text(status == "COMPLETED" ? "FAILED" : status);
    } else {
        operation = "videoStarted";
        arguments["status"] = text(status == "IN_QUEUE" ? status : "IN_PROGRESS");
        add_seconds(arguments, body, "delayTime");
        if (status != "IN_QUEUE" && status != "IN_PROGRESS") {
            arguments["providerStatus"] = text(status);
        }
    }
    const auto done = run(runtime_, operation, std::move(arguments));
    if (!done && done.error().code == kTooLate) {
        return late("runpod", event_id, job_id, status);
    }
    return done ? Reply(received(done->changed)) : Reply(done.error());
}

ProviderEvents::Reply ProviderEvents::payment(const model::NativeCall& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto body, read_webhook(services_, "PAYMENT", "Webhook-Signature", call)
    );
    const auto event_id = body.text("eventId");
    const auto order_id = body.text("orderId");
    const auto status = body.text("status");
    if (!is_outside_id(event_id) || !is_outside_id(order_id)) {
        return model::validation_failed("eventId", "eventId and orderId are needed");
    }
    if (status == "paid") {
        return paid(order_id, event_id, body);
    }
    if (status != "failed" && status != "expired") {
        return late("payment", event_id, order_id, status.substr(0, kMaxStatus));
    }
    const auto closed =
        run(runtime_,
            "orderClosed",
            {{"eventId", text(event_id)},
             {"orderId", text(order_id)},
             {"status", text(status == "failed" ? "failed" : "cancelled")}});
    if (!closed && closed.error().code == kTooLate) {
        return late("payment", event_id, order_id, status);
    }
    return closed ? Reply(received(closed->changed)) : Reply(closed.error());
}

ProviderEvents::Reply ProviderEvents::paid(
    const std::string& order_id, const std::string& event_id, const WebhookBody& body
) {
    Arguments arguments = {
        {"eventId", text(event_id)},
        {"orderId", text(order_id)},
        {"amount", text(body.text("amount"))},
        {"currency", text(body.text("currency"))}};
    const auto done = run(runtime_, "orderPaid", arguments);
    if (done) {
        return received(done->changed);
    }
    const auto& code = done.error().code;
    if (code == "OrderCompleted") {
        return late("payment", event_id, order_id, "paid");
    }
    if (code == "AmountMismatch") {
        if (auto failed = run(runtime_, "orderMismatch", arguments); !failed) {
            return failed;
        }
        return done.error();
    }
    if (code != "OrderCancelled" && code != "OrderFailed") {
        return done.error();
    }
    if (const auto request = body.text("paymentRequestId"); !request.empty()) {
        arguments["paymentRequestId"] = text(request);
    }
    const auto back = run(runtime_, "orderRefund", std::move(arguments));
    return back ? Reply(received(false)) : Reply(back.error());
}

}  // namespace gateleg::systems::gallery

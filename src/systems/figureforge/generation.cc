// What the image provider reports about a job.

#include <algorithm>
#include <array>

#include "systems/accounts/secrets.h"
#include "systems/figureforge/parts.h"
#include "systems/webhooks.h"

namespace gateleg::systems::figureforge {
namespace {

using model::Arguments;
using model::CallError;
using model::NativeCall;
using model::text;

constexpr std::size_t kMaxImages = 4;
constexpr std::size_t kMaxUrl = 2048;
constexpr std::size_t kMaxMessage = 1000;

// Version 7: sorts by time.
std::string make_image_id(std::int64_t millis) {
    constexpr std::size_t kBytes = 16;
    auto bytes = random_bytes(kBytes);
    auto rest = static_cast<std::uint64_t>(millis);
    for (std::size_t i = 6; i-- > 0;) {
        bytes[i] = static_cast<char>(rest & 0xFFU);
        rest >>= 8U;
    }
    bytes[6] = static_cast<char>(0x70 | (static_cast<unsigned char>(bytes[6]) & 0x0FU));
    bytes[8] = static_cast<char>(0x80 | (static_cast<unsigned char>(bytes[8]) & 0x3FU));
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string id;
    for (std::size_t i = 0; i < kBytes; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            id += '-';
        }
        id += kHex[static_cast<unsigned char>(bytes[i]) >> 4U];
        id += kHex[static_cast<unsigned char>(bytes[i]) & 15U];
    }
    return id;
}

bool is_web_address(std::string_view url) {
    return url.size() <= kMaxUrl && (url.starts_with("https://") || url.starts_with("http://"));
}

struct Images {
    value::List ids;
    value::List images;
};

Images read_images(const WebhookBody& body, std::int64_t now_millis) {
    Images found;
    const auto* tree = body.find("payload.images");
    const auto* list = tree != nullptr ? std::get_if<value::List>(&tree->data) : nullptr;
    for (std::size_t i = 0; list != nullptr && i < std::min(list->size(), kMaxImages); ++i) {
        const WebhookBody one{(*list)[i]};
        const auto url = one.text("url");
        if (!is_web_address(url)) {
            continue;
        }
        const auto id = make_image_id(now_millis);
        value::Map image{{"image_id", text(id)}, {"url", text(url)}};
        for (const auto* side : {"width", "height"}) {
            if (const auto pixels = one.integer(side); pixels && *pixels > 0) {
                image[side] = model::number(*pixels);
            }
        }
        found.ids.push_back(text(id));
        found.images.push_back({std::move(image)});
    }
    return found;
}

value::AttributeValue error_of(const WebhookBody& body) {
    auto message = body.text("error");
    if (message.empty()) {
        message = body.text("error.message");
    }
    if (message.empty()) {
        message = "The provider has failed";
    }
    return {value::Map{
        {"code", text("ProviderFailed")}, {"message", text(message.substr(0, kMaxMessage))}}};
}

Reply provider_webhook(model::Runtime& runtime, const Services& services, const NativeCall& call) {
    const auto body = read_webhook(services, "FAL", "Webhook-Signature", call);
    if (!body) {
        return body.error();
    }
    const auto job =
        runtime.get("jobToken", {{"token", text(call.text("token"))}}, model::internal_caller());
    if (!job) {
        return CallError{404, "JobNotFound", "There is no such job"};
    }
    const auto status = body->text("status");
    const auto request = body->text("request_id");
    auto event = body->text("eventId");
    if (event.empty()) {
        event = request + ":" + status;
    }
    if (!is_outside_id(event)) {
        return model::validation_failed("eventId", "must be 1 to 128 of A-Z a-z 0-9 _ . : -");
    }
    const auto run = [&](std::string_view operation, Arguments more) {
        more["user_id"] = text(model::text_of(job->item, "user_id"));
        more["job_id"] = text(model::text_of(job->item, "job_id"));
        return runtime.run(operation, {.arguments = std::move(more)}, model::internal_caller());
    };
    if (is_outside_id(request)) {
        // The provider may be quicker than the answer to the call that started it.
        if (auto noted = run("jobAccepted", {{"provider_request_id", text(request)}}); !noted) {
            return noted;
        }
    }
    Arguments arguments{{"event_id", text(event)}};
    Reply done = model::OperationReply{.changed = false};
    if (status == "OK" || status == "COMPLETED") {
        auto images = read_images(*body, services.clock.now_millis());
        if (images.ids.empty()) {
            arguments["error"] = {value::Map{
                {"code", text("NoImages")}, {"message", text("The provider sent no image")}}};
            done = run("jobFailed", std::move(arguments));
        } else {
            arguments["image_ids"] = {std::move(images.ids)};
            arguments["images"] = {std::move(images.images)};
            done = run("jobSucceeded", std::move(arguments));
        }
    } else if (status == "ERROR" || status == "FAILED") {
        arguments["error"] = error_of(*body);
        done = run("jobFailed", std::move(arguments));
    } else if (status == "IN_PROGRESS") {
        done = run("jobStarted", std::move(arguments));
    }
    if (!done) {
        return done;
    }
    return reply_with(
        {{"received", model::boolean(true)}, {"applied", model::boolean(done->changed)}}, 200
    );
}

}  // namespace

void install_generation(model::Runtime& runtime, const Services& services) {
    runtime.install("providerWebhook", [&runtime, &services](const auto& call) {
        return provider_webhook(runtime, services, call);
    });
}

}  // namespace gateleg::systems::figureforge

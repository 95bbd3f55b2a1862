// What the image provider reports about a job.

#include <algorithm>
#include <array>
#include <memory>

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

// The list of images, where this kind of provider has it.
const value::List* find_images(const WebhookBody& body) {
    for (const auto* path : {"payload.images", "output.images", "output"}) {
        const auto* tree = body.find(path);
        if (const auto* list = tree != nullptr ? std::get_if<value::List>(&tree->data) : nullptr) {
            return list;
        }
    }
    return nullptr;
}

// An image is a map with its address, or just that.
std::string address_of(const WebhookBody& image) {
    const auto* plain = std::get_if<std::string>(&image.tree.data);
    return plain != nullptr ? *plain : image.text("url");
}

Images read_images(const WebhookBody& body, std::int64_t now_millis) {
    Images found;
    const auto* list = find_images(body);
    for (std::size_t i = 0; list != nullptr && i < std::min(list->size(), kMaxImages); ++i) {
        const WebhookBody one{(*list)[i]};
        const auto url = address_of(one);
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
        message = body.text("payload.detail");
    }
    if (message.empty()) {
        message = "The provider has failed";
    }
    return {value::Map{
        {"code", text("ProviderFailed")}, {"message", text(message.substr(0, kMaxMessage))}}};
}

// How a job is, as a provider tells it: in a callback, or when asked.
class Reports {
public:
    Reports(model::Runtime& runtime, const Services& services)
        : runtime_(runtime), services_(services) {}

    Reply called_back(const NativeCall& call) const {
        const auto job = runtime_.get(
            "jobToken", {{"token", text(call.text("token"))}}, model::internal_caller()
        );
        const auto body =
            read_webhook(services_, job ? signer_of(job->item) : "FAL", "Webhook-Signature", call);
        if (!body) {
            return body.error();
        }
        if (!job) {
            return CallError{404, "JobNotFound", "There is no such job"};
        }
        auto event = body->text("eventId");
        if (event.empty()) {
            event = request_of(*body) + ":" + body->text("status");
        }
        if (!is_outside_id(event)) {
            return model::validation_failed("eventId", "must be 1 to 128 of A-Z a-z 0-9 _ . : -");
        }
        auto done = apply(key_of(job->item), event, *body);
        if (!done) {
            return done;
        }
        return reply_with(
            {{"received", model::boolean(true)}, {"applied", model::boolean(done->changed)}}, 200
        );
    }

    Reply asked(const NativeCall& call) const {
        const WebhookBody body{*call.find("answer")};
        if (body.text("status").empty()) {
            return model::OperationReply{.changed = false};  // nobody knows
        }
        const auto event = "poll:" + call.text("job_id") + ":" + body.text("status");
        return is_outside_id(event)
                   ? apply(key_of({call.arguments.begin(), call.arguments.end()}), event, body)
                   : Reply(model::OperationReply{.changed = false});
    }

private:
    static std::string request_of(const WebhookBody& body) {
        auto request = body.text("request_id");
        return request.empty() ? body.text("id") : request;
    }

    static Arguments key_of(const value::Item& item) {
        return {
            {"user_id", text(model::text_of(item, "user_id"))},
            {"job_id", text(model::text_of(item, "job_id"))}};
    }

    // Whose secret signs the callbacks of a job: of whoever its call went to.
    std::string signer_of(const value::Item& item) const {
        const auto job = runtime_.get("jobInFull", key_of(item), model::internal_caller());
        const bool asks_runpod = job && model::text_of(job->item, "provider") == "runpod";
        const bool only_runpod = !services_.find_setting("GATELEG_FAL_URL") &&
                                 services_.find_setting("GATELEG_RUNPOD_URL");
        return asks_runpod || only_runpod ? "RUNPOD" : "FAL";
    }

    Reply apply(const Arguments& job, const std::string& event, const WebhookBody& body) const {
        const auto run = [&](std::string_view operation, Arguments more) {
            more.insert(job.begin(), job.end());
            return runtime_.run(
                operation, {.arguments = std::move(more)}, model::internal_caller()
            );
        };
        const auto status = body.text("status");
        if (const auto request = request_of(body); is_outside_id(request)) {
            // The provider may be quicker than the answer to the call that started it.
            if (auto noted = run("jobAccepted", {{"provider_request_id", text(request)}}); !noted) {
                return noted;
            }
        }
        Arguments arguments{{"event_id", text(event)}};
        if (status == "OK" || status == "COMPLETED") {
            auto images = read_images(body, services_.clock.now_millis());
            if (images.ids.empty()) {
                arguments["error"] = {value::Map{
                    {"code", text("NoImages")}, {"message", text("The provider sent no image")}}};
                return run("jobFailed", std::move(arguments));
            }
            arguments["image_ids"] = {std::move(images.ids)};
            arguments["images"] = {std::move(images.images)};
            return run("jobSucceeded", std::move(arguments));
        }
        if (status == "ERROR" || status == "FAILED" || status == "CANCELLED" ||
            status == "TIMED_OUT") {
            arguments["error"] = error_of(body);
            return run("jobFailed", std::move(arguments));
        }
        if (status == "IN_PROGRESS") {
            return run("jobStarted", std::move(arguments));
        }
        return model::OperationReply{.changed = false};
    }

    model::Runtime& runtime_;
    const Services& services_;
};

}  // namespace

void install_generation(model::Runtime& runtime, const Services& services) {
    const auto reports = std::make_shared<Reports>(runtime, services);
    runtime.install("providerWebhook", [reports](const auto& call) {
        return reports->called_back(call);
    });
    runtime.install("jobPolled", [reports](const auto& call) { return reports->asked(call); });
}

}  // namespace gateleg::systems::figureforge

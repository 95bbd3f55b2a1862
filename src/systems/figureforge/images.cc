// One image as its viewer may have it, links to it, and reports about it.

#include "base/sha256.h"
#include "base/time_text.h"
#include "systems/figureforge/parts.h"

namespace gateleg::systems::figureforge {
namespace {

using model::CallError;
using model::CallResult;
using model::Found;
using model::NativeCall;
using model::text;
using model::text_of;

constexpr std::int64_t kDefaultSeconds = 600;
constexpr std::int64_t kMaxSeconds = std::int64_t{7} * 24 * 60 * 60;
constexpr std::size_t kReportIdSize = 32;

bool is_live(const value::Item& image) {
    return !model::integer_of(image, "deleted_at");
}

bool is_shown(const value::Item& image) {
    return is_live(image) && model::flag_of(image, "public") &&
           text_of(image, "flag_status") == "clean";
}

// Adds the link to an object that is not for everybody. A link is made for each answer and never
// stored.
void add_link(
    value::AttributeValue& answer,
    const value::Item& image,
    const Services& services,
    std::int64_t seconds
) {
    auto* members = std::get_if<value::Map>(&answer.data);
    if (members == nullptr || is_shown(image) || !text_of(image, "source_url").empty() ||
        services.objects == nullptr) {
        return;
    }
    const auto url = services.objects->presign_get(text_of(image, "s3_key"), seconds);
    if (url) {
        members->insert_or_assign("url", text(*url));
        members->insert_or_assign(
            "expiresAt", text(render_rfc3339(services.clock.now_millis() + seconds * 1000))
        );
    }
}

CallResult<Found> find_in_full(model::Runtime& runtime, const std::string& id) {
    return runtime.get("imageInFull", {{"image_id", text(id)}}, model::internal_caller());
}

// What the owner of an image that was taken down gets to see.
std::optional<value::Map> find_notice(model::Runtime& runtime, const NativeCall& call) {
    const auto image = find_in_full(runtime, call.text("image_id"));
    if (!image || !call.caller.user || text_of(image->item, "user_id") != *call.caller.user ||
        !is_live(image->item) || text_of(image->item, "flag_status") != "removed") {
        return std::nullopt;
    }
    return value::Map{
        {"image_id", text(call.text("image_id"))},
        {"user_id", text(*call.caller.user)},
        {"flag_status", text("removed")},
        {"created_at", model::number(model::integer_of(image->item, "created_at").value_or(0))},
        {"notice", text("This image was removed because it breaks the rules.")}};
}

Reply get_image(model::Runtime& runtime, const Services& services, const NativeCall& call) {
    const auto id = call.text("image_id");
    const bool with_deleted = call.has("include");
    const auto& roles = call.caller.roles;
    if (with_deleted && !roles.contains("admin") && !roles.contains("moderator")) {
        return CallError{403, "Forbidden", "Only moderators see what was deleted"};
    }
    const auto image = with_deleted ? find_in_full(runtime, id)
                                    : runtime.get("image", {{"image_id", text(id)}}, call.caller);
    if (!image) {
        if (auto notice = find_notice(runtime, call)) {
            return reply_with(*std::move(notice));
        }
        return image.error();
    }
    model::OperationReply reply;
    reply.body = runtime.to_api(*image->entity, image->item, call.caller);
    add_link(
        *reply.body,
        image->item,
        services,
        constant_of(runtime, "signedUrlSeconds", kDefaultSeconds)
    );
    return reply;
}

// FF-R1: a list that hides nothing, for those who look after the rest.
Reply list_with_deleted(model::Runtime& runtime, const NativeCall& call) {
    const auto& roles = call.caller.roles;
    if (!roles.contains("admin") && !roles.contains("moderator")) {
        return CallError{403, "Forbidden", "Only moderators see what was deleted"};
    }
    const auto user = call.has("user_id") ? call.text("user_id") : call.caller.user.value_or("");
    model::PatternCall page{.arguments = {{"user_id", text(user)}}};
    for (const auto* end : {"from", "to"}) {
        if (const auto* given = call.find(end)) {
            page.arguments[end] = *given;
        }
    }
    if (const auto limit = call.integer("limit")) {
        page.limit = static_cast<int>(*limit);
    }
    if (call.has("cursor")) {
        page.cursor = call.text("cursor");
    }
    const auto found = runtime.query("allImagesOf", page, model::internal_caller());
    if (!found) {
        return found.error();
    }
    value::List items;
    for (std::size_t i = 0; i < found->items.size(); ++i) {
        items.push_back(runtime.to_api(*found->kinds[i], found->items[i], call.caller));
    }
    return reply_with(
        {{"items", {std::move(items)}},
         {"cursor", found->cursor ? text(*found->cursor) : value::AttributeValue{value::Null{}}}}
    );
}

Reply sign_url(model::Runtime& runtime, const Services& services, const NativeCall& call) {
    const auto seconds =
        call.integer("ttl").value_or(constant_of(runtime, "signedUrlSeconds", kDefaultSeconds));
    if (seconds < 1 || seconds > kMaxSeconds) {
        return CallError{400, "TtlOutOfRange", "ttl must be 1 to 604800 seconds", "ttl"};
    }
    const auto image =
        runtime.get("image", {{"image_id", text(call.text("image_id"))}}, call.caller);
    if (!image) {
        return image.error();
    }
    if (services.objects == nullptr) {
        return CallError{503, "ProviderNotConfigured", "This server keeps no objects"};
    }
    const auto url = services.objects->presign_get(text_of(image->item, "s3_key"), seconds);
    if (!url) {
        return model::to_call_error(url.error());
    }
    return reply_with(
        {{"url", text(*url)},
         {"expiresAt", text(render_rfc3339(services.clock.now_millis() + seconds * 1000))}},
        200
    );
}

Reply redirect_to_bytes(model::Runtime& runtime, const Services& services, const NativeCall& call) {
    const auto image =
        runtime.get("image", {{"image_id", text(call.text("image_id"))}}, call.caller);
    if (!image) {
        return image.error();
    }
    if (services.objects == nullptr) {
        return CallError{503, "ProviderNotConfigured", "This server keeps no objects"};
    }
    auto url = services.objects->presign_get(
        text_of(image->item, "s3_key"), constant_of(runtime, "signedUrlSeconds", kDefaultSeconds)
    );
    if (!url) {
        return model::to_call_error(url.error());
    }
    model::OperationReply reply;
    reply.status = 302;
    reply.headers = {{"Location", *std::move(url)}, {"Cache-Control", "private, no-store"}};
    return reply;
}

// The id is made from image and reporter, so that a second report meets the first.
Reply report_image(model::Runtime& runtime, const NativeCall& call) {
    const auto image = call.text("image_id");
    const auto digest = sha256(image + "\n" + call.caller.user.value_or(""));
    auto arguments = call.arguments;
    arguments["report_id"] = text(to_hex(digest).substr(0, kReportIdSize));
    auto done = run_for(runtime, "addReport", arguments, call);
    if (!done || done->changed) {
        return done;
    }
    const auto found = runtime.get(
        "report",
        {{"image_id", text(image)}, {"report_id", arguments.at("report_id")}},
        model::internal_caller()
    );
    if (!found) {
        return found.error();
    }
    model::OperationReply reply;
    reply.status = 200;
    reply.body = runtime.to_api(*found->entity, found->item, acting(call));
    return reply;
}

}  // namespace

void install_images(model::Runtime& runtime, const Services& services) {
    runtime.install("getImage", [&runtime, &services](const auto& call) {
        return get_image(runtime, services, call);
    });
    for (const auto* name : {"imagesWithDeleted", "myImagesWithDeleted"}) {
        runtime.install(name, [&runtime](const auto& call) {
            return list_with_deleted(runtime, call);
        });
    }
    runtime.install("imageContent", [&runtime, &services](const auto& call) {
        return redirect_to_bytes(runtime, services, call);
    });
    runtime.install("signUrl", [&runtime, &services](const auto& call) {
        return sign_url(runtime, services, call);
    });
    runtime.install("reportImage", [&runtime](const auto& call) {
        return report_image(runtime, call);
    });
}

}  // namespace gateleg::systems::figureforge

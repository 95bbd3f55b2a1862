// Images from outside: a place for the bytes, then a look at what has arrived.

#include <algorithm>
#include <array>

#include "base/time_text.h"
#include "systems/figureforge/parts.h"
#include "systems/webhooks.h"

namespace gateleg::systems::figureforge {
namespace {

using model::CallError;
using model::NativeCall;
using model::text;
using model::text_of;

constexpr std::int64_t kMaxBytes = 26'214'400;
constexpr std::int64_t kUploadSeconds = 3600;
constexpr std::array<std::string_view, 3> kTypes = {"image/jpeg", "image/png", "image/webp"};

bool is_image_type(std::string_view type) {
    return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

CallError unsupported() {
    return {415, "UnsupportedMediaType", "An image must be JPEG, PNG or WebP"};
}

CallError too_large() {
    return {413, "PayloadTooLarge", "The image has too many bytes"};
}

CallError no_objects() {
    return {503, "ProviderNotConfigured", "This server keeps no objects"};
}

Reply start_upload(model::Runtime& runtime, const Services& services, const NativeCall& call) {
    const auto type = call.text("content_type");
    if (!is_image_type(type)) {
        return unsupported();
    }
    if (call.integer("size").value_or(0) > constant_of(runtime, "uploadMaxBytes", kMaxBytes)) {
        return too_large();
    }
    if (services.objects == nullptr) {
        return no_objects();
    }
    auto reply = run_for(runtime, "addUpload", call.arguments, call);
    if (!reply) {
        return reply;
    }
    auto* upload = reply->body ? std::get_if<value::Map>(&reply->body->data) : nullptr;
    if (upload == nullptr) {
        return CallError{500, "Internal", "The upload has no answer"};
    }
    const auto url =
        services.objects->presign_put(text_of(*upload, "s3_key"), type, kUploadSeconds);
    if (!url) {
        return model::to_call_error(url.error());
    }
    (*upload)["uploadUrl"] = text(*url);
    (*upload)["method"] = text("PUT");
    (*upload)["expiresAt"] =
        text(render_rfc3339(services.clock.now_millis() + kUploadSeconds * 1000));
    return reply;
}

// The bytes count, not what was said about them.
std::optional<CallError> judge_object(
    model::Runtime& runtime, const Services& services, const value::Item& upload
) {
    if (services.objects == nullptr) {
        return no_objects();
    }
    const auto key = text_of(upload, "s3_key");
    const auto object = services.objects->head(key);
    if (!object) {
        return model::to_call_error(object.error());
    }
    if (!*object) {
        return CallError{409, "ObjectMissing", "Nothing was uploaded yet"};
    }
    const auto most = constant_of(runtime, "uploadMaxBytes", kMaxBytes);
    if ((*object)->size > static_cast<std::uint64_t>(most)) {
        return too_large();
    }
    return is_image_type((*object)->content_type) ? std::nullopt : std::optional(unsupported());
}

Reply finish_upload(model::Runtime& runtime, const Services& services, const NativeCall& call) {
    const auto upload = runtime.get(
        "upload", {{"image_id", text(call.text("image_id"))}}, model::internal_caller()
    );
    // Without one the record of an earlier answer decides, or nothing is there.
    const bool mine =
        upload && call.caller.user && text_of(upload->item, "user_id") == *call.caller.user;
    if (mine) {
        if (auto problem = judge_object(runtime, services, upload->item)) {
            return *problem;
        }
    }
    auto reply = run_for(runtime, "addImage", call.arguments, call);
    if (!reply && reply.error().code == "UploadNotFound") {
        // The object store may have told of the bytes first.
        return run_for(runtime, "completeImage", call.arguments, call);
    }
    return reply;
}

// The image of an object that has arrived, as long as its owner has not said more about it.
model::CallResult<bool> take_object(
    model::Runtime& runtime, const Services& services, const std::string& key
) {
    constexpr int kServerError = 500;
    const auto name = key.substr(key.rfind('/') + 1);
    const auto id = name.substr(0, name.find('.'));
    if (!is_outside_id(id)) {
        return false;
    }
    const auto upload = runtime.get("upload", {{"image_id", text(id)}}, model::internal_caller());
    if (!upload || text_of(upload->item, "s3_key") != key) {
        return upload || upload.error().status < kServerError ? model::CallResult<bool>(false)
                                                              : upload.error();
    }
    if (auto problem = judge_object(runtime, services, upload->item)) {
        return problem->status < kServerError ? model::CallResult<bool>(false) : *problem;
    }
    model::OperationCall add;
    add.arguments["image_id"] = text(id);
    const auto owner = model::internal_caller(text_of(upload->item, "user_id"));
    const auto added = runtime.run("addStoredImage", add, owner);
    if (!added) {
        return added.error();
    }
    return added->changed;
}

Reply object_stored(model::Runtime& runtime, const Services& services, const NativeCall& call) {
    const auto body = read_webhook(services, "STORAGE", "Webhook-Signature", call);
    if (!body) {
        return body.error();
    }
    bool applied = false;
    for (const auto& key : created_objects(*body)) {
        const auto taken = take_object(runtime, services, key);
        if (!taken) {
            return taken.error();
        }
        applied |= *taken;
    }
    return reply_with({{"received", model::boolean(true)}, {"applied", model::boolean(applied)}});
}

}  // namespace

void install_uploads(model::Runtime& runtime, const Services& services) {
    runtime.install("startUpload", [&runtime, &services](const auto& call) {
        return start_upload(runtime, services, call);
    });
    runtime.install("finishUpload", [&runtime, &services](const auto& call) {
        return finish_upload(runtime, services, call);
    });
    runtime.install("storageWebhook", [&runtime, &services](const auto& call) {
        return object_stored(runtime, services, call);
    });
}

}  // namespace gateleg::systems::figureforge

#include "systems/gallery/uploads.h"

#include <algorithm>

#include "model/surface.h"
#include "systems/gallery/walk.h"
#include "systems/webhooks.h"

namespace gateleg::systems::gallery {

using model::Arguments;
using model::CallError;
using model::CallResult;
using model::text;
using model::text_of;
using value::AttributeValue;

namespace {

constexpr int kNotFound = 404;
constexpr int kServerError = 500;

const value::Map* settings_of(const model::Runtime& runtime, std::string_view constant) {
    const auto* found = runtime.model().find_constant(constant);
    return found != nullptr ? std::get_if<value::Map>(&found->value.data) : nullptr;
}

std::int64_t setting(const model::Runtime& runtime, std::string_view name, std::int64_t otherwise) {
    const auto* uploads = settings_of(runtime, "uploads");
    return uploads != nullptr ? model::integer_of(*uploads, name).value_or(otherwise) : otherwise;
}

bool is_accepted(const model::Runtime& runtime, const std::string& type) {
    const auto* uploads = settings_of(runtime, "uploads");
    const auto types = uploads != nullptr ? uploads->find("types") : value::Map::const_iterator();
    const auto* list = uploads != nullptr && types != uploads->end()
                           ? std::get_if<value::List>(&types->second.data)
                           : nullptr;
    return list != nullptr && std::any_of(list->begin(), list->end(), [&](const auto& one) {
               return one == AttributeValue{type};
           });
}

// "jpeg" of "image/jpeg".
std::string extension_of(const std::string& type) {
    const auto slash = type.find('/');
    return slash == std::string::npos ? "bin" : type.substr(slash + 1);
}

// "01JN.." of "gallery/user-1/01JN...png".
std::string media_of(const std::string& key) {
    const auto slash = key.rfind('/');
    const auto name = slash == std::string::npos ? key : key.substr(slash + 1);
    return name.substr(0, name.find('.'));
}

CallError not_configured() {
    return {503, "ProviderNotConfigured", "This server keeps no objects."};
}

}  // namespace

Uploads::Uploads(model::Runtime& runtime, const Services& services)
    : runtime_(runtime),
      services_(services),
      max_bytes_(setting(runtime, "maxBytes", std::int64_t{100} << 20)),
      link_seconds_(setting(runtime, "linkSeconds", 900)) {}

Uploads::Reply Uploads::start(const model::NativeCall& call) {
    const auto type = call.text("mimeType");
    if (!is_accepted(runtime_, type)) {
        return CallError{
            415, "UnsupportedMediaType", "Files of this type are not taken.", "mimeType"};
    }
    if (call.integer("size").value_or(0) > max_bytes_) {
        return CallError{413, "PayloadTooLarge", "The file is too large.", "size"};
    }
    if (services_.objects == nullptr) {
        return not_configured();
    }
    auto inner = call.original;
    inner.behind = &call.original;
    inner.arguments = call.arguments;
    inner.arguments["extension"] = text(extension_of(type));
    GATELEG_CALL_TRY_ASSIGN_CALL(auto reply, runtime_.run("putUpload", inner, call.caller));
    return with_upload_url(std::move(reply), *call.caller.user);
}

Uploads::Reply Uploads::retry(const model::NativeCall& call) {
    if (services_.objects == nullptr) {
        return not_configured();
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(
        auto reply, runtime_.run("restartUpload", call.original, call.caller)
    );
    return with_upload_url(std::move(reply), *call.caller.user);
}

// Made anew for a repeated request: an address must not be stored.
Uploads::Reply Uploads::with_upload_url(model::OperationReply reply, const std::string& owner) {
    auto& media = std::get<value::Map>(reply.body->data);
    const auto key = "gallery/" + owner + "/" + text_of(media, "filename");
    GATELEG_CALL_TRY_ASSIGN(
        auto url, services_.objects->presign_put(key, text_of(media, "mimeType"), link_seconds_)
    );
    media["uploadUrl"] = text(std::move(url));
    return reply;
}

CallResult<model::Found> Uploads::get_own(const model::NativeCall& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(
        auto found, runtime_.get("media", {{"id", text(call.text("id"))}}, call.caller)
    );
    if (text_of(found.item, "createdBy") != call.caller.user) {
        return CallError{403, "Forbidden", "This is not yours."};
    }
    return found;
}

Uploads::Reply Uploads::complete(const model::NativeCall& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto found, get_own(call));
    if (text_of(found.item, "status") != "pending") {
        return CallError{409, "MediaNotPending", "This upload is finished."};
    }
    Arguments arguments = {{"id", text(call.text("id"))}};
    if (call.flag("failed")) {
        arguments["status"] = text("failed");
        return finish(found.item, std::move(arguments));
    }
    for (const auto* name : {"width", "height", "thumbnailUrls"}) {
        if (const auto* given = call.find(name)) {
            arguments[name] = *given;
        }
    }
    if (const auto* urls = call.find("thumbnailUrls")) {
        if (const auto* map = std::get_if<value::Map>(&urls->data)) {
            const auto small = text_of(*map, "small");
            const auto legacy = small.empty() ? text_of(*map, "medium") : small;
            if (!legacy.empty()) {
                arguments["thumbnailUrl"] = text(legacy);
            }
        }
    }
    return take(found.item, std::move(arguments));
}

Uploads::Reply Uploads::take(const value::Item& media, Arguments arguments) {
    if (services_.objects == nullptr) {
        return not_configured();
    }
    const auto key = text_of(media, "objectKey");
    GATELEG_CALL_TRY_ASSIGN(const auto object, services_.objects->head(key));
    if (!object) {
        return CallError{409, "ObjectMissing", "Nothing was uploaded yet."};
    }
    if (object->size > static_cast<std::uint64_t>(max_bytes_)) {
        arguments = {{"id", text(text_of(media, "id"))}, {"status", text("failed")}};
        if (auto done = finish(media, std::move(arguments)); !done) {
            return done;
        }
        GATELEG_CALL_TRY(services_.objects->remove(key));
        return CallError{413, "PayloadTooLarge", "The file is too large."};
    }
    const auto content =
        model::base_path(runtime_.model()) + "/media/" + text_of(media, "id") + "/content";
    if (!arguments.contains("thumbnailUrls") && text_of(media, "type") == "image") {
        // They are being made; until then these lead to the image itself.
        value::Map urls;
        for (const auto* size : {"small", "medium", "large", "cover"}) {
            urls[size] = text(content + "?size=" + size);
        }
        arguments["thumbnailUrl"] = urls["small"];
        arguments["thumbnailUrls"] = {std::move(urls)};
    }
    arguments["status"] = text("uploaded");
    arguments["size"] = model::number(static_cast<std::int64_t>(object->size));
    arguments["url"] = text(content);
    return finish(media, std::move(arguments));
}

Uploads::Reply Uploads::finish(const value::Item& media, Arguments arguments) {
    return run_as(runtime_, "finishUpload", std::move(arguments), text_of(media, "createdBy"));
}

Uploads::Reply Uploads::stored(const model::NativeCall& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto body, read_webhook(services_, "STORAGE", "Webhook-Signature", call)
    );
    bool applied = false;
    for (const auto& key : created_objects(body)) {
        GATELEG_CALL_TRY_ASSIGN_CALL(const bool finished, finish_stored(key));
        applied |= finished;
    }
    model::OperationReply reply;
    reply.body = value::AttributeValue{
        value::Map{{"received", model::boolean(true)}, {"applied", model::boolean(applied)}}};
    return reply;
}

CallResult<bool> Uploads::finish_stored(const std::string& key) {
    const auto id = media_of(key);
    if (!is_outside_id(id)) {
        return false;
    }
    const auto found = runtime_.get("media", {{"id", text(id)}}, model::internal_caller());
    if (!found) {
        return found.error().status == kNotFound ? CallResult<bool>(false) : found.error();
    }
    if (text_of(found->item, "objectKey") != key || text_of(found->item, "status") != "pending") {
        return false;
    }
    const auto done = take(found->item, {{"id", text(id)}});
    // Finished meanwhile, gone again, or too large: the store need not say it once more.
    if (!done && done.error().status >= kServerError) {
        return done.error();
    }
    return done.has_value();
}

Uploads::Reply Uploads::content(const model::NativeCall& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto found, runtime_.get("media", {{"id", text(call.text("id"))}}, call.caller)
    );
    auto key = text_of(found.item, "objectKey");
    if (key.empty() || text_of(found.item, "status") != "uploaded") {
        return CallError{409, "ObjectMissing", "There are no bytes of this media here."};
    }
    if (services_.objects == nullptr) {
        return not_configured();
    }
    if (call.has("size")) {
        auto small = "gallery/" + text_of(found.item, "createdBy") + "/" + call.text("id") + "/" +
                     call.text("size");
        GATELEG_CALL_TRY_ASSIGN(const auto made, services_.objects->head(small));
        if (made) {
            key = std::move(small);
        }
    }
    GATELEG_CALL_TRY_ASSIGN(auto url, services_.objects->presign_get(key, link_seconds_));
    model::OperationReply reply;
    reply.status = 302;
    reply.headers = {{"Location", std::move(url)}, {"Cache-Control", "private, no-store"}};
    return reply;
}

}  // namespace gateleg::systems::gallery

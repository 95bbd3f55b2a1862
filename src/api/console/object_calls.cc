#include "api/console/calls.h"
#include "api/console/gate.h"
#include "api/rest/problem.h"
#include "auth/s3_signature.h"
#include "base/json_writer.h"
#include "model/native.h"
#include "objects/errors.h"
#include "objects/presign.h"

namespace gateleg::api::console {
namespace {

using model::CallError;
using model::CallResult;

constexpr std::size_t kMostListed = 1'000;
constexpr std::int64_t kUsualSeconds = 600;

CallResult<objects::ObjectStore*> store_of(const Context& context) {
    if (context.objects == nullptr) {
        return not_available("The S3 API is off on this server: it keeps no objects");
    }
    return context.objects;
}

CallError object_failure(const Error& error) {
    const auto reason = objects::reason_of(error);
    if (!reason) {
        return model::to_call_error(error);
    }
    return {
        .status = objects::s3_status(*reason),
        .code = std::string(objects::s3_code(*reason)),
        .message = error.message};
}

void write_texts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
    json.key(name);
    json.begin_array();
    for (const auto& text : texts) {
        json.string(text);
    }
    json.end_array();
}

// Seconds out of a JSON number; the usual if it is not there.
CallResult<std::int64_t> expiry_of(const Body& body) {
    const auto* given = body.find("expires");
    if (given == nullptr) {
        return kUsualSeconds;
    }
    const auto seconds = model::integer_of({{"expires", *given}}, "expires");
    if (!seconds || *seconds < 1 || *seconds > auth::kMaxPresignedSeconds) {
        return rest::validation_failed("expires", "is a number of seconds from 1 to 604800");
    }
    return *seconds;
}

}  // namespace

CallReply list_buckets(const Context& context, const Call& /*call*/) {
    GATELEG_CALL_TRY_ASSIGN_CALL(auto* store, store_of(context));
    const auto buckets = store->list_buckets();
    if (!buckets) {
        return object_failure(buckets.error());
    }
    Reply reply;
    JsonWriter json(reply.json);
    json.begin_object();
    json.key("buckets");
    json.begin_array();
    for (const auto& bucket : *buckets) {
        json.begin_object();
        json.member("name", bucket.name);
        json.member("created", bucket.created_millis);
        json.end_object();
    }
    json.end_array();
    json.end_object();
    return reply;
}

CallReply list_objects(const Context& context, const Call& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(auto* store, store_of(context));
    objects::ListRequest request;
    request.prefix = call.parameter("prefix");
    request.delimiter = call.parameter("delimiter");
    request.token = call.parameter("after");
    GATELEG_CALL_TRY_ASSIGN_CALL(request.max_keys, call.number("limit", 200, kMostListed));
    const auto page = store->list(call.variables.at(0), request);
    if (!page) {
        return object_failure(page.error());
    }
    Reply reply;
    JsonWriter json(reply.json);
    json.begin_object();
    write_texts(json, "prefixes", page->common_prefixes);
    json.key("objects");
    json.begin_array();
    for (const auto& object : page->objects) {
        json.begin_object();
        json.member("key", object.key);
        json.member("size", object.size);
        json.member("etag", object.etag);
        json.member("type", object.metadata.content_type);
        json.member("modified", object.modified_millis);
        json.end_object();
    }
    json.end_array();
    json.key("next");
    page->truncated ? json.string(page->next_token) : json.raw("null");
    json.end_object();
    return reply;
}

CallReply presign_object(const Context& context, const Call& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(auto* store, store_of(context));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto body, Body::parse(call.body));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto key, body.text("key"));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto seconds, expiry_of(body));
    const auto method = body.text_or("method", "GET");
    const auto type = body.text_or("type", "");
    if (method != "GET" && method != "PUT") {
        return rest::validation_failed("method", "is GET or PUT");
    }
    if (key.empty() || key.size() > objects::kMaxKeyBytes) {
        return rest::validation_failed("key", "has 1 to 1024 bytes");
    }
    if (method == "PUT" && call.session->read_only) {
        return read_only_error();
    }
    const auto& bucket = call.variables.at(0);
    if (const auto found = store->head_bucket(bucket); !found) {
        return object_failure(found.error());
    }
    objects::PresignUrl url{
        .method = method,
        .base_url = context.urls.s3,
        .path = "/" + bucket + "/" + objects::encode_key_path(key),
        .query = {},
        .headers = {},
        .access_key_id = store->own_key().access_key_id,
        .secret_access_key = store->own_key().secret_access_key,
        .session_token = {},
        .region = context.region,
        .now_seconds = context.clock.now_seconds(),
        .expires_seconds = seconds};
    if (!type.empty() && method == "PUT") {
        url.headers.emplace_back("content-type", type);
    }
    Reply reply;
    JsonWriter json(reply.json);
    json.begin_object();
    json.member("url", objects::presign_url(url));
    json.key("headers");
    json.begin_object();
    for (const auto& [name, value] : url.headers) {
        json.member(name, value);
    }
    json.end_object();
    json.member("expires", (url.now_seconds + seconds) * 1000);
    json.end_object();
    return reply;
}

CallReply delete_object(const Context& context, const Call& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(auto* store, store_of(context));
    const auto key = call.parameter("key");
    if (key.empty()) {
        return rest::validation_failed("key", "is missing");
    }
    if (const auto removed = store->remove(call.variables.at(0), key); !removed) {
        return object_failure(removed.error());
    }
    return Reply{R"({"deleted":true})", ""};
}

}  // namespace gateleg::api::console

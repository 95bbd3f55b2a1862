#include "api/console/calls.h"
#include "api/rest/problem.h"
#include "auth/key_ring.h"
#include "base/json_writer.h"

namespace gateleg::api::console {
namespace {

void write_time(JsonWriter& json, std::string_view name, std::int64_t seconds) {
    if (seconds != 0) {
        json.member(name, seconds * 1000);
    }
}

// Errors of the ring name their field before a colon.
model::CallError key_failure(const Error& error) {
    if (error.code == ErrorCode::kResourceNotFound) {
        return not_found(error.message);
    }
    const auto colon = error.message.find(": ");
    const auto field = std::string_view(error.message).substr(0, colon);
    return field == "name" || field == "scope" || field == "expires"
               ? rest::validation_failed(field, error.message.substr(colon + 2))
               : not_available(error.message);
}

}  // namespace

CallReply list_keys(const Context& context, const Call& /*call*/) {
    Reply reply;
    JsonWriter json(reply.json);
    json.begin_object();
    json.member("any", context.keys == nullptr || context.keys->gate() == nullptr);
    json.member("canCreate", context.keys != nullptr && context.keys->can_create());
    json.key("keys");
    json.begin_array();
    if (context.keys != nullptr) {
        for (const auto& key : context.keys->list()) {
            json.begin_object();
            json.member("id", key.id);
            json.member("profile", key.name);
            json.member("scope", key.scope);
            json.member("revocable", !key.from_file);
            write_time(json, "created", key.created_seconds);
            write_time(json, "expires", key.expires_seconds);
            write_time(json, "lastUsed", key.used_seconds);
            json.end_object();
        }
    }
    json.end_array();
    json.end_object();
    return reply;
}

CallReply create_key(const Context& context, const Call& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto body, Body::parse(call.body));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto name, body.text("name"));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto scope, body.text("scope"));
    if (context.keys == nullptr) {
        return not_available("This server keeps no keys");
    }
    const auto made =
        context.keys->create({.name = name, .scope = scope}, context.real_clock.now_seconds());
    if (!made) {
        return key_failure(made.error());
    }
    Reply reply;
    JsonWriter json(reply.json);
    json.begin_object();
    json.member("accessKeyId", made->id);
    json.member("secretAccessKey", made->secret);
    json.member("scope", made->scope);
    json.member("first", made->first);
    json.end_object();
    reply.headers = "Cache-Control: no-store\r\n";
    return reply;
}

CallReply revoke_key(const Context& context, const Call& call) {
    const auto id = call.parameter("id");
    if (id.empty()) {
        return rest::validation_failed("id", "is missing");
    }
    if (context.keys == nullptr) {
        return not_available("This server keeps no keys");
    }
    if (const auto revoked = context.keys->revoke(id); !revoked) {
        return key_failure(revoked.error());
    }
    return Reply{R"({"revoked":true})", ""};
}

}  // namespace gateleg::api::console

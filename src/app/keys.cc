#include "app/keys.h"

#include <memory>
#include <utility>
#include <variant>

#include "app/admin_client.h"
#include "app/config.h"
#include "auth/key_ring.h"
#include "base/json_writer.h"

namespace gateleg::app {
namespace {

constexpr std::string_view kPrefix = "/_admin/keys/";
constexpr std::string_view kCreate = "/_admin/keys/create";
constexpr std::string_view kList = "/_admin/keys/list";
constexpr std::string_view kRevoke = "/_admin/keys/revoke";

std::string render(const auth::NewKey& key) {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    json.member("id", key.id);
    json.member("secret", key.secret);
    json.member("scope", key.scope);
    json.member("first", key.first);
    json.end_object();
    return text;
}

std::string render(const auth::KeyRing& ring) {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    json.member("required", ring.gate() != nullptr);
    json.key("keys");
    json.begin_array();
    for (const auto& key : ring.list()) {
        json.begin_object();
        json.member("id", key.id);
        json.member("name", key.name);
        json.member("scope", key.scope);
        json.member("created", key.created_seconds);
        json.member("expires", key.expires_seconds);
        json.member("used", key.used_seconds);
        json.member("fromFile", key.from_file);
        json.end_object();
    }
    json.end_array();
    json.end_object();
    return text;
}

// The one place that carries these out, whichever process it is in.
Result<std::string> answer(
    auth::KeyRing& ring, std::string_view path, std::string_view body, std::int64_t now_seconds
) {
    const auto asked = members_of(body);
    if (path == kCreate) {
        const auto lifetime = static_cast<std::int64_t>(number_of(asked, "lifetime"));
        GATELEG_TRY_ASSIGN(
            const auto made,
            ring.create(
                {.name = text_of(asked, "name"),
                 .scope = text_of(asked, "scope"),
                 .expires_seconds = lifetime == 0 ? 0 : now_seconds + lifetime},
                now_seconds
            )
        );
        return render(made);
    }
    if (path == kRevoke) {
        GATELEG_TRY(ring.revoke(text_of(asked, "id")));
        return render(ring);
    }
    if (path == kList) {
        return render(ring);
    }
    return resource_not_found("there is no " + std::string(path));
}

Result<value::Map> ask(const KeyPlace& place, std::string_view path, std::string body) {
    if (std::filesystem::exists(place.data)) {
        const AdminSocket socket(place.data);
        if (socket.answers()) {
            remote::HttpClient client;
            return ask_server(client, socket, path, std::move(body));
        }
    } else if (path != kCreate) {
        throw ConfigError(
            place.data.string() +
            ": no such directory; --data names the one that `gateleg serve` uses"
        );
    }
    auto ring = auth::KeyRing::open(
        {.credentials = {},
         .directory = place.data,
         .master_key = place.key_file.empty() ? auth::default_master_key_file() : place.key_file}
    );
    if (!ring) {
        throw ConfigError(ring.error().message);
    }
    GATELEG_TRY_ASSIGN(const auto json, answer(**ring, path, body, SystemClock().now_seconds()));
    return members_of(json);
}

KeyList read_list(const value::Map& members) {
    KeyList list{.required = flag_of(members, "required"), .keys = {}};
    const auto found = members.find("keys");
    const auto* keys =
        found == members.end() ? nullptr : std::get_if<value::List>(&found->second.data);
    if (keys == nullptr) {
        return list;
    }
    for (const auto& each : *keys) {
        if (const auto* key = std::get_if<value::Map>(&each.data)) {
            list.keys.push_back(
                {.id = text_of(*key, "id"),
                 .name = text_of(*key, "name"),
                 .scope = text_of(*key, "scope"),
                 .created_seconds = static_cast<std::int64_t>(number_of(*key, "created")),
                 .expires_seconds = static_cast<std::int64_t>(number_of(*key, "expires")),
                 .used_seconds = static_cast<std::int64_t>(number_of(*key, "used")),
                 .from_file = flag_of(*key, "fromFile")}
            );
        }
    }
    return list;
}

}  // namespace

Result<MadeKey> create_key(
    const KeyPlace& place,
    const std::string& name,
    const std::string& scope,
    std::int64_t lifetime_seconds
) {
    std::string body;
    JsonWriter json(body);
    json.begin_object();
    json.member("name", name);
    json.member("scope", scope);
    json.member("lifetime", lifetime_seconds);
    json.end_object();
    GATELEG_TRY_ASSIGN(const auto made, ask(place, kCreate, std::move(body)));
    return MadeKey{
        text_of(made, "id"),
        text_of(made, "secret"),
        text_of(made, "scope"),
        flag_of(made, "first")};
}

Result<KeyList> list_keys(const KeyPlace& place) {
    GATELEG_TRY_ASSIGN(const auto found, ask(place, kList, "{}"));
    return read_list(found);
}

Result<std::size_t> revoke_key(const KeyPlace& place, const std::string& id) {
    std::string body;
    JsonWriter json(body);
    json.begin_object();
    json.member("id", id);
    json.end_object();
    GATELEG_TRY_ASSIGN(const auto left, ask(place, kRevoke, std::move(body)));
    return read_list(left).keys.size();
}

void KeyFace::handle(http::Exchange exchange) {
    const auto& request = exchange.request();
    const auto path = request.head.path();
    if (!path.starts_with(kPrefix) || request.head.method() != "POST") {
        others_.handle(std::move(exchange));
        return;
    }
    http::Response response{.content_type = "application/json"};
    auto answered = answer(keys_, path, request.body, real_clock_.now_seconds());
    if (answered) {
        response.body = *std::move(answered);
    } else {
        response.status = 400;
        JsonWriter json(response.body);
        json.begin_object();
        json.member("message", answered.error().message);
        json.end_object();
    }
    exchange.reply(std::move(response));
}

std::size_t KeyFace::max_body_bytes(const http::RequestHead& head) const {
    return others_.max_body_bytes(head);
}

std::optional<http::Response> KeyFace::refuse_early(const http::RequestHead& head) const {
    return others_.refuse_early(head);
}

http::Response KeyFace::refusal(int status, std::string_view reason) const {
    return others_.refusal(status, reason);
}

}  // namespace gateleg::app

#include "systems/accounts/session_lookup.h"

#include "model/native.h"
#include "systems/accounts/names.h"
#include "systems/accounts/secrets.h"

namespace gateleg::systems {
namespace {

constexpr std::int64_t kTouchMillis = 60'000;
constexpr std::int64_t kLifeMillis = std::int64_t{30} * 24 * 60 * 60 * 1000;

using Lookup = model::CallResult<std::optional<model::Found>>;

Lookup find_item(
    model::Runtime& runtime, std::string_view pattern, std::string_view key, const std::string& id
) {
    auto found =
        runtime.get(pattern, {{std::string(key), model::text(id)}}, model::internal_caller());
    if (found) {
        return std::optional<model::Found>(*std::move(found));
    }
    // An id of another form is one that nobody has.
    if (found.error().status == 404 || found.error().status == 400) {
        return std::optional<model::Found>();
    }
    return found.error();
}

// Notes the use at most once a minute; a session in the second half of its life gets a new one.
// Failing to is no reason to turn the caller away.
void touch(
    model::Runtime& runtime,
    const AccountNames& names,
    const value::Item& session,
    const std::string& session_id,
    std::int64_t now
) {
    const auto last = names.millis_of(session, names.last_accessed_at).value_or(0);
    const auto expires = names.millis_of(session, names.expires_at).value_or(now);
    if (now - last < kTouchMillis) {
        return;
    }
    const auto until = expires - now < kLifeMillis / 2 ? now + kLifeMillis : expires;
    static_cast<void>(runtime.run(
        "touchSession",
        {.arguments =
             {{std::string(names.session_id), model::text(session_id)},
              {std::string(names.expires_at), names.to_argument(until)}}},
        model::internal_caller()
    ));
}

}  // namespace

model::CallResult<std::optional<Session>> SessionLookup::find(std::string_view token) {
    const std::optional<Session> nobody;
    const auto parsed = parse_session_token(token);
    const auto* names = parsed ? find_accounts_by_prefix(parsed->prefix) : nullptr;
    auto* runtime = names != nullptr ? services_.find(names->system) : nullptr;
    if (runtime == nullptr || runtime->model().find_pattern("session") == nullptr) {
        return nobody;
    }
    const auto session = find_item(*runtime, "session", names->session_id, parsed->session_id);
    if (!session) {
        return session.error();
    }
    const auto now = services_.clock.now_millis();
    if (!*session ||
        !is_secret_of(parsed->secret, model::text_of((*session)->item, names->secret_hash)) ||
        names->millis_of((*session)->item, names->expires_at).value_or(0) <= now) {
        return nobody;
    }
    const auto user_id = model::text_of((*session)->item, names->user_id);
    const auto user = find_item(*runtime, "user", names->user_id, user_id);
    if (!user) {
        return user.error();
    }
    if (!*user || !names->is_active((*user)->item)) {
        return nobody;
    }
    touch(*runtime, *names, (*session)->item, parsed->session_id, now);
    Session found{std::string(names->system), user_id, {"user"}};
    if (const auto role = model::text_of((*user)->item, "role"); !role.empty()) {
        found.roles.insert(role);
    }
    return std::optional(std::move(found));
}

}  // namespace gateleg::systems

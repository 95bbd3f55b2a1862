// Who comes in, and how long they stay: sign-up, log-in, Google, sessions.

#include <algorithm>

#include "base/time_text.h"
#include "systems/accounts/accounts.h"
#include "systems/session_source.h"

namespace gateleg::systems {
namespace {

using model::CallError;
using model::CallResult;
using model::Found;
using model::text_of;

constexpr std::int64_t kVerificationMillis = std::int64_t{24} * 60 * 60 * 1000;
constexpr std::size_t kSecretBytes = 32;
constexpr int kMaxFailures = 5;
constexpr std::size_t kMaxUserAgent = 300;
constexpr int kNameTries = 5;

constexpr RateLimiter::Limit kSignUps{.what = "sign-up", .burst = 60, .per_second = 0.05};
constexpr RateLimiter::Limit kLogIns{.what = "log-in", .burst = 60, .per_second = 0.5};

CallError invalid_credentials() {
    return {401, "InvalidCredentials", "The e-mail address or the password is wrong"};
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

// A name of the form usernames have, from an address, with something random behind it.
std::string make_username(const std::string& email) {
    constexpr std::size_t kMaxStem = 20;
    constexpr std::size_t kTailDigits = 8;
    std::string name;
    for (const char c : lower(email.substr(0, email.find('@')))) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (name.size() < kMaxStem) {
            name.push_back(plain ? c : '_');
        }
    }
    return name + "_" + hash_secret(random_bytes(kSecretBytes)).substr(0, kTailDigits);
}

const value::Map& members_of(const model::OperationReply& reply) {
    static const value::Map kNone;
    const auto* members = reply.body ? std::get_if<value::Map>(&reply.body->data) : nullptr;
    return members != nullptr ? *members : kNone;
}

}  // namespace

Accounts::Reply Accounts::sign_up(const Call& call) {
    if (auto limit = find_limit(kSignUps, call)) {
        return *limit;
    }
    auto hash = hash_password(call.text("password"));
    if (!hash) {
        return hash.error();
    }
    auto arguments = *std::move(hash);
    arguments.merge(mailed_token("verify", kVerificationMillis));
    for (const auto& [name, value] : call.arguments) {
        arguments.try_emplace(name, value);
    }
    auto created = run_keyed("createUser", std::move(arguments), call);
    if (!created) {
        return created;
    }
    const auto& user = members_of(*created);
    auto reply =
        open_session(call, text_of(user, names_.user_id), text_of(user, "email"), *created->body);
    if (reply) {
        reply->replayed = created->replayed;
    }
    return reply;
}

CallResult<bool> Accounts::is_locked(const std::string& email) {
    const auto attempts = find("loginAttempts", "email", email);
    if (!attempts) {
        return attempts.error();
    }
    return *attempts &&
           model::integer_of((*attempts)->item, "failures").value_or(0) >= kMaxFailures;
}

// The lock is looked at behind the door of the hasher: guesses that come all at once are stopped
// like those that come one by one. Who does not exist costs as much as who does.
CallResult<Found> Accounts::check_password(
    const Call& /*call*/, const std::string& email, const std::string& password
) {
    const auto place = passwords_.enter();
    if (!place) {
        return CallError{503, "Unavailable", "Too many passwords are being checked; try again"};
    }
    const auto locked = is_locked(email);
    if (!locked) {
        return locked.error();
    }
    if (*locked) {
        return CallError{423, "AccountLocked", "Too many failed attempts; try again later"};
    }
    auto found = find("userByEmail", "email", email);
    if (!found) {
        return found.error();
    }
    const auto hash = *found ? text_of((*found)->item, names_.password_hash) : std::string();
    const bool known = *found && !names_.is_deleted((*found)->item) && !hash.empty();
    const bool good = known ? passwords_.verify(*place, password, hash)
                            : passwords_.verify_nobody(*place, password);
    if (good) {
        return **std::move(found);
    }
    if (auto noted = run("loginFailed", {{"email", model::text(email)}}, model::internal_caller());
        !noted) {
        return noted.error();
    }
    return invalid_credentials();
}

Accounts::Reply Accounts::log_in(const Call& call) {
    if (auto limit = find_limit(kLogIns, call)) {
        return *limit;
    }
    const auto email = call.text("email");
    auto user = check_password(call, email, call.text("password"));
    if (!user) {
        return user.error();
    }
    if (!names_.is_active(user->item)) {
        return CallError{403, "AccountDisabled", "This account is disabled"};
    }
    const auto* strict = runtime_.model().find_constant("requireVerifiedEmail");
    const bool wants_verified = strict != nullptr && (strict->value == model::boolean(true) ||
                                                      strict->value == model::text("true"));
    if (wants_verified && !model::flag_of(user->item, names_.verified)) {
        return CallError{403, "EmailNotVerified", "Verify the e-mail address first"};
    }
    return open_session(call, text_of(user->item, names_.user_id), email, shown(*user));
}

Accounts::Reply Accounts::open_session(
    const Call& call,
    const std::string& user_id,
    const std::string& email,
    value::AttributeValue user
) {
    const auto secret = random_text(kSecretBytes);
    Arguments arguments;
    arguments[std::string(names_.user_id)] = model::text(user_id);
    arguments[std::string(names_.user_email)] = model::text(email);
    arguments[std::string(names_.secret_hash)] = model::text(hash_secret(secret));
    arguments[std::string(names_.user_agent)] =
        model::text(std::string(call.header("User-Agent").substr(0, kMaxUserAgent)));
    arguments["ip"] = model::text(call.remote_address());
    std::erase_if(arguments, [](const auto& argument) {
        return argument.second == model::text("");
    });
    auto opened = run("openSession", std::move(arguments), model::internal_caller(user_id));
    if (!opened) {
        return opened;
    }
    const auto& session = members_of(*opened);
    const auto token = render_session_token(
        {std::string(names_.prefix), text_of(session, names_.session_id), secret}
    );
    const auto now = services_.clock.now_millis();
    const auto expires = names_.millis_of(session, names_.expires_at).value_or(now);
    const bool tls = call.original.request != nullptr && call.original.request->tls;
    model::OperationReply reply;
    reply.body = value::AttributeValue{value::Map{
        {"token", model::text(token)},
        {"expiresAt", model::text(render_rfc3339(expires))},
        {"user", std::move(user)}}};
    reply.headers.emplace_back(
        "Set-Cookie",
        std::string(kSessionCookie) + "=" + token +
            "; Path=/; Max-Age=" + std::to_string((expires - now) / 1000) +
            "; HttpOnly; SameSite=Lax" + (tls ? "; Secure" : "")
    );
    reply.headers.emplace_back("Cache-Control", "no-store");
    return reply;
}

std::optional<std::string> Accounts::current_session(const Call& call) const {
    if (call.original.request == nullptr) {
        return std::nullopt;
    }
    const auto token = parse_session_token(token_of(*call.original.request));
    return token && token->prefix == names_.prefix ? std::optional(token->session_id)
                                                   : std::nullopt;
}

Accounts::Reply Accounts::log_out(const Call& call) {
    const auto session = current_session(call);
    if (!session) {
        return CallError{404, "SessionNotFound", "This request has no session"};
    }
    auto reply =
        run("closeSession",
            {{std::string(names_.user_id), model::text(call.caller.user.value_or(""))},
             {std::string(names_.session_id), model::text(*session)}},
            model::internal_caller(call.caller.user.value_or("")));
    if (reply) {
        reply->headers.emplace_back(
            "Set-Cookie",
            std::string(kSessionCookie) + "=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"
        );
    }
    return reply;
}

// A new secret in place of the old one.
Accounts::Reply Accounts::refresh_session(const Call& call) {
    const auto user = get_caller(call);
    if (!user) {
        return user.error();
    }
    if (!current_session(call)) {
        return CallError{404, "SessionNotFound", "This request has no session"};
    }
    if (auto closed = log_out(call); !closed) {
        return closed;
    }
    return open_session(
        call, text_of(user->item, names_.user_id), text_of(user->item, "email"), shown(*user)
    );
}

Accounts::Reply Accounts::revoke_session(const Call& call) {
    const auto user = call.caller.user.value_or("");
    return run(
        "closeSession",
        {{std::string(names_.user_id), model::text(user)},
         {std::string(names_.session_id), model::text(call.text(names_.session_id))}},
        model::internal_caller(user)
    );
}

Accounts::Reply Accounts::revoke_other_sessions(const Call& call) {
    auto closed = close_sessions(call.caller.user.value_or(""), current_session(call).value_or(""));
    return closed ? Reply(model::OperationReply{}) : Reply(closed.error());
}

CallResult<model::Nothing> Accounts::close_sessions(
    const std::string& user_id, const std::string& except
) {
    model::PatternCall page{
        .arguments = {{std::string(names_.user_id), model::text(user_id)}}, .limit = 100};
    do {
        const auto sessions = runtime_.query("sessionsOf", page, model::internal_caller());
        if (!sessions) {
            return sessions.error();
        }
        for (const auto& session : sessions->items) {
            const auto id = text_of(session, names_.session_id);
            if (id == except) {
                continue;
            }
            auto closed =
                run("closeSession",
                    {{std::string(names_.user_id), model::text(user_id)},
                     {std::string(names_.session_id), model::text(id)}},
                    model::internal_caller(user_id));
            if (!closed && closed.error().status != 404) {
                return closed.error();
            }
        }
        page.cursor = sessions->cursor;
    } while (page.cursor);
    return model::Nothing{};
}

// An account that nobody has proved to own is never linked: whoever made it would share it.
Accounts::Reply Accounts::sign_in_with_google(const Call& call) {
    if (auto limit = find_limit(kLogIns, call)) {
        return *limit;
    }
    if (!google_.configured()) {
        return CallError{503, "ProviderNotConfigured", "Signing in with Google is not set up"};
    }
    auto identity = google_.verify(call.text("idToken"), services_.real_clock.now_seconds());
    if (!identity || !identity->email_verified) {
        return CallError{401, "OAuthStateInvalid", "The ID token is not valid for this server"};
    }
    identity->email = lower(identity->email);
    auto known = find("userByGoogle", names_.google_id, identity->google_id);
    if (!known) {
        return known.error();
    }
    if (!*known) {
        known = find("userByEmail", "email", identity->email);
        if (!known) {
            return known.error();
        }
        if (!*known) {
            return create_google_user(call, *identity);
        }
        if (!model::flag_of((*known)->item, names_.verified)) {
            return CallError{
                409,
                "AccountExistsUnverified",
                "An account with this address exists and is not verified; log in and verify it"};
        }
        const auto id = text_of((*known)->item, names_.user_id);
        auto linked =
            run("linkGoogle",
                {{std::string(names_.user_id), model::text(id)},
                 {std::string(names_.google_id), model::text(identity->google_id)}},
                model::internal_caller(id));
        if (!linked) {
            return linked;
        }
    }
    const auto& user = **known;
    if (!names_.is_active(user.item)) {
        return CallError{403, "AccountDisabled", "This account is disabled"};
    }
    return open_session(
        call, text_of(user.item, names_.user_id), text_of(user.item, "email"), shown(user)
    );
}

Accounts::Reply Accounts::create_google_user(const Call& call, const GoogleIdentity& identity) {
    for (int tries = 0;; ++tries) {
        Arguments arguments;
        arguments["email"] = model::text(identity.email);
        arguments["username"] = model::text(make_username(identity.email));
        arguments[std::string(names_.google_id)] = model::text(identity.google_id);
        if (!identity.given_name.empty()) {
            arguments["firstName"] = model::text(identity.given_name);
        }
        if (!identity.family_name.empty()) {
            arguments["lastName"] = model::text(identity.family_name);
        }
        auto created = run("createGoogleUser", std::move(arguments), model::internal_caller());
        if (!created && created.error().code == "UsernameTaken" && tries < kNameTries) {
            continue;
        }
        if (!created) {
            return created;
        }
        const auto& user = members_of(*created);
        auto reply = open_session(
            call, text_of(user, names_.user_id), text_of(user, "email"), *created->body
        );
        if (reply) {
            reply->status = 201;
        }
        return reply;
    }
}

}  // namespace gateleg::systems

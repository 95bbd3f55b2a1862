#include "systems/accounts/accounts.h"

#include <algorithm>
#include <array>
#include <thread>

namespace gateleg::systems {
namespace {

using model::CallError;
using model::CallResult;
using model::Found;

constexpr std::size_t kMaxWaitingHashes = 256;

using Method = Accounts::Reply (Accounts::*)(const Accounts::Call&);
struct Native {
    std::string_view operation;
    Method method;
};
constexpr std::array<Native, 13> kNative = {{
    {"signUp", &Accounts::sign_up},
    {"logIn", &Accounts::log_in},
    {"logOut", &Accounts::log_out},
    {"refreshSession", &Accounts::refresh_session},
    {"revokeSession", &Accounts::revoke_session},
    {"revokeOtherSessions", &Accounts::revoke_other_sessions},
    {"signInWithGoogle", &Accounts::sign_in_with_google},
    {"verifyEmail", &Accounts::verify_email},
    {"resendVerification", &Accounts::resend_verification},
    {"forgotPassword", &Accounts::forgot_password},
    {"resetPassword", &Accounts::reset_password},
    {"changePassword", &Accounts::change_password},
    {"changeEmail", &Accounts::change_email},
}};

std::size_t hashes_at_once() {
    return std::max<std::size_t>(2, std::thread::hardware_concurrency());
}

}  // namespace

Accounts::Accounts(model::Runtime& runtime, const Services& services, const AccountNames& names)
    : runtime_(runtime),
      services_(services),
      names_(names),
      passwords_(
          services.test_mode ? kCheapestPassword : PasswordCost{},
          hashes_at_once(),
          kMaxWaitingHashes
      ),
      limits_(services.real_clock),
      tokens_(services.secret),
      google_(services),
      fingerprint_key_(HmacKey(services.secret).sign("fingerprints of requests")) {}

Accounts::Reply Accounts::run(
    std::string_view operation, Arguments arguments, const model::Caller& caller
) {
    const auto* found = runtime_.model().find_operation(operation);
    if (found != nullptr) {
        std::erase_if(arguments, [&](const auto& argument) {
            return found->find_input(argument.first) == nullptr;
        });
    }
    return runtime_.run(operation, {.arguments = std::move(arguments)}, caller);
}

Accounts::Reply Accounts::run_keyed(
    std::string_view operation, Arguments arguments, const Call& call
) {
    const auto* found = runtime_.model().find_operation(operation);
    if (found != nullptr) {
        std::erase_if(arguments, [&](const auto& argument) {
            return found->find_input(argument.first) == nullptr;
        });
    }
    auto caller = call.caller;
    caller.internal = true;
    // Passwords are among the arguments: only a keyed hash of them may be stored.
    const value::Map sent(call.original.arguments.begin(), call.original.arguments.end());
    const auto digest = fingerprint_key_.sign(value::encode(value::AttributeValue{sent}));
    model::OperationCall inner{
        .arguments = std::move(arguments),
        .idempotency_key = call.original.idempotency_key,
        .if_match = call.original.if_match,
        .route = call.original.route,
        .fingerprint = to_hex(digest)};
    return runtime_.run(operation, inner, caller);
}

CallResult<std::optional<Found>> Accounts::find(
    std::string_view pattern, std::string_view key, std::string_view value
) {
    auto found = runtime_.get(
        pattern, {{std::string(key), model::text(std::string(value))}}, model::internal_caller()
    );
    if (found) {
        return std::optional<Found>(*std::move(found));
    }
    if (found.error().status == 404 || found.error().status == 400) {
        return std::optional<Found>();
    }
    return found.error();
}

CallResult<Found> Accounts::get_caller(const Call& call) {
    auto found = find("user", names_.user_id, call.caller.user.value_or(""));
    if (!found) {
        return found.error();
    }
    if (!*found || !names_.is_active((*found)->item)) {
        return CallError{404, "UserNotFound", "There is no such user"};
    }
    return **std::move(found);
}

std::optional<CallError> Accounts::find_limit(const RateLimiter::Limit& limit, const Call& call) {
    if (services_.test_mode || limits_.allow(limit, call.remote_address())) {
        return std::nullopt;
    }
    return CallError{429, "RateLimited", "Too many attempts from this address; wait a little"};
}

CallResult<model::Arguments> Accounts::hash_password(const std::string& password) {
    const auto place = passwords_.enter();
    if (!place) {
        return CallError{503, "Unavailable", "Too many passwords are being checked; try again"};
    }
    auto hash = passwords_.hash(*place, password);
    Arguments arguments;
    arguments[std::string(names_.password_hash)] = model::text(std::move(hash.text));
    if (!names_.salt.empty()) {
        arguments[std::string(names_.salt)] = model::text(std::move(hash.salt));
    }
    return arguments;
}

model::Arguments Accounts::mailed_token(std::string_view purpose, std::int64_t life_millis) {
    auto made = tokens_.make(purpose, services_.clock.now_millis() + life_millis);
    Arguments arguments;
    arguments["token"] = model::text(std::move(made.hash));
    arguments[std::string(names_.mail_token)] = model::text(std::move(made.text));
    arguments[std::string(names_.expires_at)] = names_.to_argument(made.expires_millis);
    return arguments;
}

std::optional<CallError> Accounts::judge_token(std::string_view purpose, const std::string& text) {
    switch (tokens_.check(purpose, text, services_.clock.now_millis())) {
        case MailedTokens::State::kUnknown:
            return CallError{404, "TokenNotFound", "There is no such token"};
        case MailedTokens::State::kExpired:
            return CallError{410, "TokenExpired", "The token has expired; ask for another one"};
        case MailedTokens::State::kLive:
            break;
    }
    return std::nullopt;
}

value::AttributeValue Accounts::shown(const Found& user) const {
    return runtime_.to_api(
        *user.entity, user.item, model::internal_caller(model::text_of(user.item, names_.user_id))
    );
}

void install_accounts(
    model::Runtime& runtime, const Services& services, const AccountNames& names
) {
    const auto accounts = std::make_shared<Accounts>(runtime, services, names);
    for (const auto& native : kNative) {
        const auto* operation = runtime.model().find_operation(native.operation);
        if (operation == nullptr || !operation->native) {
            continue;
        }
        runtime.install(native.operation, [accounts, method = native.method](const auto& call) {
            return (accounts.get()->*method)(call);
        });
    }
}

}  // namespace gateleg::systems

// Sign-up, log-in and everything about passwords, mailed tokens and sessions, for the systems that
// have users of their own.
//
// Secrets are made and judged here; every effect is a declared transaction of the system's model.
// A model that wants accounts declares, with the attribute names of names.h as inputs (inputs it
// does not declare are not passed):
//
//   patterns    user(user_id), userByEmail(email), session(session_id), sessionsOf(user_id),
//               loginAttempts(email); with Google: userByGoogle(google_id)
//   operations  createUser, openSession, touchSession, closeSession, loginFailed,
//               startVerification, finishVerification, startReset, finishReset, setPassword,
//               applyEmail; with Google: createGoogleUser, linkGoogle. All `allow: internal`.
//   native      those of kNative in accounts.cc that it wants to offer, each with its route
//
// openSession, createUser and createGoogleUser return the session or user they put, finishReset
// a map with the user's id. loginFailed counts `failures` of an item that ends by its ttl.
// startReset is told whether the address is `known`; only then it mails.
// systems/figureforge/model.yaml has all of it but Google. A constant requireVerifiedEmail, if
// true, keeps unverified users out.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "model/native.h"
#include "model/runtime.h"
#include "systems/accounts/google.h"
#include "systems/accounts/names.h"
#include "systems/accounts/password.h"
#include "systems/accounts/rate_limiter.h"
#include "systems/accounts/secrets.h"
#include "systems/services.h"

namespace gateleg::systems {

// Thread-safe. Runtime and services outlive it.
class Accounts {
public:
    using Reply = model::CallResult<model::OperationReply>;
    using Call = model::NativeCall;

    Accounts(model::Runtime& runtime, const Services& services, const AccountNames& names);

    Reply sign_up(const Call& call);
    Reply log_in(const Call& call);
    Reply log_out(const Call& call);
    Reply refresh_session(const Call& call);
    Reply revoke_session(const Call& call);
    Reply revoke_other_sessions(const Call& call);
    Reply sign_in_with_google(const Call& call);

    Reply verify_email(const Call& call);
    Reply resend_verification(const Call& call);
    Reply forgot_password(const Call& call);
    Reply reset_password(const Call& call);
    Reply change_password(const Call& call);
    // Also of other attributes of the profile that the operation takes.
    Reply change_email(const Call& call);

private:
    using Arguments = model::Arguments;

    // Calls an operation of the model with those arguments that it takes.
    Reply run(std::string_view operation, Arguments arguments, const model::Caller& caller);
    // The same with the key and route of the call behind it, so that a repetition is answered from
    // the record.
    Reply run_keyed(std::string_view operation, Arguments arguments, const Call& call);
    // The item of a pattern, or nothing.
    model::CallResult<std::optional<model::Found>> find(
        std::string_view pattern, std::string_view key, std::string_view value
    );
    // The live account of whoever calls, or 404.
    model::CallResult<model::Found> get_caller(const Call& call);

    std::optional<model::CallError> find_limit(const RateLimiter::Limit& limit, const Call& call);
    model::CallResult<bool> is_locked(const std::string& email);
    model::CallResult<model::Found> check_password(
        const Call& call, const std::string& email, const std::string& password
    );
    // The password's hash as arguments.
    model::CallResult<Arguments> hash_password(const std::string& password);
    Arguments mailed_token(std::string_view purpose, std::int64_t life_millis);
    std::optional<model::CallError> judge_token(std::string_view purpose, const std::string& text);

    // Makes a session and answers with its token, also as a cookie.
    Reply open_session(
        const Call& call,
        const std::string& user_id,
        const std::string& email,
        value::AttributeValue user
    );
    model::CallResult<model::Nothing> close_sessions(
        const std::string& user_id, const std::string& except
    );
    std::optional<std::string> current_session(const Call& call) const;
    Reply create_google_user(const Call& call, const GoogleIdentity& identity);
    value::AttributeValue shown(const model::Found& user) const;

    model::Runtime& runtime_;
    const Services& services_;
    const AccountNames& names_;
    PasswordHasher passwords_;
    RateLimiter limits_;
    MailedTokens tokens_;
    GoogleTokens google_;
    HmacKey fingerprint_key_;
};

// Installs the operations of kNative that the model declares.
void install_accounts(model::Runtime& runtime, const Services& services, const AccountNames& names);

}  // namespace gateleg::systems

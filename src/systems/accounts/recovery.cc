// Proofs by mail, and changes of what one logs in with.

#include "systems/accounts/accounts.h"

namespace gateleg::systems {
namespace {

using model::CallError;
using model::CallResult;
using model::text_of;

constexpr std::int64_t kHourMillis = std::int64_t{60} * 60 * 1000;
constexpr std::int64_t kVerificationMillis = 24 * kHourMillis;
constexpr std::int64_t kResetMillis = kHourMillis;

constexpr RateLimiter::Limit kMails{.what = "mail", .burst = 30, .per_second = 0.02};
constexpr RateLimiter::Limit kTokens{.what = "token", .burst = 60, .per_second = 0.5};

}  // namespace

Accounts::Reply Accounts::verify_email(const Call& call) {
    if (auto limit = find_limit(kTokens, call)) {
        return *limit;
    }
    const auto token = call.text("token");
    if (auto wrong = judge_token("verify", token)) {
        return *wrong;
    }
    return run(
        "finishVerification", {{"token", model::text(hash_secret(token))}}, model::internal_caller()
    );
}

Accounts::Reply Accounts::resend_verification(const Call& call) {
    if (auto limit = find_limit(kMails, call)) {
        return *limit;
    }
    const auto user = get_caller(call);
    if (!user) {
        return user.error();
    }
    if (model::flag_of(user->item, names_.verified)) {
        model::OperationReply nothing;
        nothing.changed = false;
        return nothing;
    }
    auto arguments = mailed_token("verify", kVerificationMillis);
    const auto id = text_of(user->item, names_.user_id);
    arguments[std::string(names_.user_id)] = model::text(id);
    arguments["email"] = model::text(text_of(user->item, "email"));
    return run("startVerification", std::move(arguments), model::internal_caller(id));
}

// The answer and the work are the same whether somebody has the address or not: a token for nobody
// is stored as well, and only the mail is left out.
Accounts::Reply Accounts::forgot_password(const Call& call) {
    if (auto limit = find_limit(kMails, call)) {
        return *limit;
    }
    const auto email = call.text("email");
    const auto user = find("userByEmail", "email", email);
    if (!user) {
        return user.error();
    }
    const bool known = *user && names_.is_active((*user)->item);
    auto arguments = mailed_token("reset", kResetMillis);
    arguments[std::string(names_.user_id)] =
        model::text(known ? text_of((*user)->item, names_.user_id) : "nobody");
    arguments["email"] = model::text(email);
    arguments["known"] = model::boolean(known);
    auto started = run("startReset", std::move(arguments), model::internal_caller());
    if (!started) {
        return started;
    }
    model::OperationReply reply;
    reply.status = 202;
    reply.body = value::AttributeValue{value::Map{{"accepted", model::boolean(true)}}};
    return reply;
}

Accounts::Reply Accounts::reset_password(const Call& call) {
    if (auto limit = find_limit(kTokens, call)) {
        return *limit;
    }
    const auto token = call.text("token");
    if (auto wrong = judge_token("reset", token)) {
        return *wrong;
    }
    auto arguments = hash_password(call.text("password"));
    if (!arguments) {
        return arguments.error();
    }
    (*arguments)["token"] = model::text(hash_secret(token));
    auto done = run("finishReset", *std::move(arguments), model::internal_caller());
    if (!done) {
        return done;
    }
    // Whoever knew the old password is out.
    const auto* user = done->body ? std::get_if<value::Map>(&done->body->data) : nullptr;
    if (user != nullptr) {
        if (auto closed = close_sessions(text_of(*user, names_.user_id), ""); !closed) {
            return closed.error();
        }
    }
    return model::OperationReply{};
}

Accounts::Reply Accounts::change_password(const Call& call) {
    const auto user = get_caller(call);
    if (!user) {
        return user.error();
    }
    const auto checked =
        check_password(call, text_of(user->item, "email"), call.text("currentPassword"));
    if (!checked) {
        return checked.error();
    }
    auto arguments = hash_password(call.text("newPassword"));
    if (!arguments) {
        return arguments.error();
    }
    const auto id = text_of(user->item, names_.user_id);
    (*arguments)[std::string(names_.user_id)] = model::text(id);
    auto done = run("setPassword", *std::move(arguments), model::internal_caller(id));
    if (!done) {
        return done;
    }
    if (auto closed = close_sessions(id, current_session(call).value_or("")); !closed) {
        return closed.error();
    }
    return model::OperationReply{};
}

Accounts::Reply Accounts::change_email(const Call& call) {
    const auto user = get_caller(call);
    if (!user) {
        return user.error();
    }
    auto arguments = call.arguments;
    if (call.has("email") && call.text("email") != text_of(user->item, "email")) {
        arguments.merge(mailed_token("verify", kVerificationMillis));
    }
    // What was given as null clears an attribute, and is no argument any more.
    for (const auto& [name, value] : call.original.arguments) {
        arguments.try_emplace(name, value);
    }
    return run_keyed("applyEmail", std::move(arguments), call);
}

}  // namespace gateleg::systems

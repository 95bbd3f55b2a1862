// The calls of the console that change who is signed in, and what the session may do.

#include "api/console/face.h"
#include "api/rest/problem.h"
#include "base/log.h"
#include "model/native.h"

namespace gateleg::api::console {

using model::CallError;

CallReply Face::set_read_only(const Call& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto body, Body::parse(call.body));
    const auto* on = body.find("on");
    if (on == nullptr || !std::holds_alternative<bool>(on->data)) {
        return rest::validation_failed("on", "must be true or false");
    }
    call.session->read_only = std::get<bool>(on->data);
    return Reply{call.session->read_only ? R"({"readOnly":true})" : R"({"readOnly":false})", ""};
}

CallReply Face::log_out(const Call& call) {
    const auto cookies = call.facts.header("Cookie");
    const auto name = std::string(kCookie) + "=";
    for (std::size_t at = cookies.find(name); at != std::string_view::npos;) {
        const auto begin = at + name.size();
        sessions_.close(cookies.substr(begin, cookies.find(';', begin) - begin));
        at = cookies.find(name, begin);
    }
    return Reply{
        R"({"signedIn":false})", "Set-Cookie: " + cookie_line("", call.facts.tls) + "\r\n"};
}

// With the account of a system: its own log-in judges the password and counts failures, its
// session tells the role, and goes again.
CallReply Face::log_in(const Call& call) {
    const auto type = call.facts.header("Content-Type");
    if (!type.starts_with("application/json")) {
        return CallError{
            .status = 415, .code = "UnsupportedMediaType", .message = "Send application/json"};
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto body, Body::parse(call.body));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto system_name, body.text("system"));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto email, body.text("email"));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto password, body.text("password"));
    const auto* system = context_.find_system(system_name);
    const auto* operation =
        system != nullptr ? system->runtime->model().find_operation("logIn") : nullptr;
    if (operation == nullptr || !operation->native || context_.accounts == nullptr) {
        return rest::validation_failed("system", "is no system with accounts on this server");
    }
    const auto signed_in = system->runtime->run(
        *operation,
        {.arguments = {{"email", {email}}, {"password", {password}}}, .request = &call.facts},
        {.viewer = call.facts.remote_address}
    );
    if (!signed_in) {
        return signed_in.error();
    }
    const auto* answer =
        signed_in->body ? std::get_if<value::Map>(&signed_in->body->data) : nullptr;
    const auto token = answer != nullptr ? model::text_of(*answer, "token") : std::string();
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto account, context_.accounts->find(token));
    const bool is_admin = account && account->roles.contains("admin");
    if (account && system->runtime->model().find_operation("logOut") != nullptr) {
        model::RequestFacts bearer{.headers = {{"Authorization", "Bearer " + token}}};
        static_cast<void>(system->runtime->run(
            "logOut",
            {.request = &bearer},
            {.user = account->user, .roles = account->roles, .viewer = account->user}
        ));
    }
    if (!is_admin) {
        return CallError{
            .status = 403,
            .code = "Forbidden",
            .message = "Only accounts with the role admin may use the console"};
    }
    const auto opened = sessions_.open(email);
    log_info(
        "signed in to the console",
        {{"system", system_name}, {"user", account->user}, {"from", call.facts.remote_address}}
    );
    return Reply{
        R"({"signedIn":true})",
        "Set-Cookie: " + cookie_line(opened.cookie, call.facts.tls) + "\r\n"};
}

}  // namespace gateleg::api::console

// What stands before every call of the console: its session, its origin and its CSRF token.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/console/sessions.h"
#include "http/host_policy.h"
#include "http/request.h"
#include "model/call.h"

namespace gateleg::api::console {

inline constexpr std::string_view kCookie = "gateleg_console";
inline constexpr std::string_view kCsrfHeader = "X-Gateleg-Csrf";

// The value of a cookie; empty if it was not sent.
std::string_view cookie_of(const http::RequestHead& head, std::string_view name);

// "gateleg_console=..; Path=/; HttpOnly; SameSite=Strict"; an empty value ends it.
std::string cookie_line(std::string_view value, bool tls);

// Thread-safe. The sessions outlive it.
class Gate {
public:
    Gate(Sessions& sessions, http::HostPolicy hosts)
        : sessions_(sessions), hosts_(std::move(hosts)) {}

    // Null if the request names no live session.
    std::shared_ptr<Session> find(const http::RequestHead& head) const;

    // The cookie is of a live session.
    bool is_live(std::string_view cookie) const { return sessions_.find(cookie) != nullptr; }

    // The page that calls is the console's own, or one of --origin; a request that names no page
    // is no page's.
    std::optional<model::CallError> refuse_origin(const http::RequestHead& head) const;
    // Methods that may change something carry the session's token.
    std::optional<model::CallError> refuse_csrf(
        const http::RequestHead& head, const Session& session
    ) const;

    // For the systems API: nothing, an operator, or why the request is refused.
    struct Verdict {
        std::shared_ptr<Session> session = nullptr;
        std::optional<model::CallError> refused = {};
    };
    // `other_cookie`: the request has a cookie of a system as well, which then means its user
    // unless the console's token is there too.
    Verdict judge(const http::RequestHead& head, bool other_cookie) const;

private:
    Sessions& sessions_;
    http::HostPolicy hosts_;
};

bool is_reading(std::string_view method);  // GET, HEAD, OPTIONS

model::CallError read_only_error();

}  // namespace gateleg::api::console

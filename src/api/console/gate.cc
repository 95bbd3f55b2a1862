#include "api/console/gate.h"

#include <algorithm>

namespace gateleg::api::console {
namespace {

model::CallError csrf_error(std::string message) {
    return {.status = 403, .code = "CsrfRejected", .message = std::move(message)};
}

// "127.0.0.1:8080" of "http://127.0.0.1:8080".
std::string_view authority_of(std::string_view origin) {
    const auto scheme = origin.find("://");
    return scheme == std::string_view::npos ? std::string_view() : origin.substr(scheme + 3);
}

}  // namespace

std::string_view cookie_of(const http::RequestHead& head, std::string_view name) {
    auto rest = head.find("Cookie").value_or("");
    while (!rest.empty()) {
        const auto end = std::min(rest.find(';'), rest.size());
        auto pair = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        while (pair.starts_with(' ')) {
            pair.remove_prefix(1);
        }
        if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=') {
            return pair.substr(name.size() + 1);
        }
    }
    return {};
}

std::string cookie_line(std::string_view value, bool tls) {
    const auto seconds = value.empty() ? 0 : kSessionMillis / 1000;
    return std::string(kCookie) + "=" + std::string(value) +
           "; Path=/; Max-Age=" + std::to_string(seconds) + "; HttpOnly; SameSite=Strict" +
           (tls ? "; Secure" : "");
}

bool is_reading(std::string_view method) {
    return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

model::CallError read_only_error() {
    return {
        .status = 403,
        .code = "ReadOnly",
        .message = "This session only reads; switch that off to change anything"};
}

std::shared_ptr<Session> Gate::find(const http::RequestHead& head) const {
    return sessions_.find(cookie_of(head, kCookie));
}

std::optional<model::CallError> Gate::refuse_origin(const http::RequestHead& head) const {
    const auto origin = head.find("Origin");
    if (origin) {
        const bool same =
            http::equal_ignoring_case(authority_of(*origin), head.find("Host").value_or("-"));
        const bool listed = std::find(hosts_.origins.begin(), hosts_.origins.end(), *origin) !=
                            hosts_.origins.end();
        if (same || listed) {
            return std::nullopt;
        }
        return csrf_error("Requests from pages of another origin are refused");
    }
    // A page on another port of this machine is of the same site and has the cookie.
    const auto site = head.find("Sec-Fetch-Site").value_or("none");
    if (site != "same-origin" && site != "none") {
        return csrf_error("Requests from pages of another origin are refused");
    }
    return std::nullopt;
}

std::optional<model::CallError> Gate::refuse_csrf(
    const http::RequestHead& head, const Session& session
) const {
    if (is_reading(head.method())) {
        return std::nullopt;
    }
    const auto given = head.find(kCsrfHeader).value_or("");
    // Of hashes, so that the time tells nothing.
    if (!equal_in_constant_time(sha256(given), sha256(session.csrf))) {
        return csrf_error("The header " + std::string(kCsrfHeader) + " is missing or wrong");
    }
    return std::nullopt;
}

Gate::Verdict Gate::judge(const http::RequestHead& head, bool other_cookie) const {
    if (other_cookie && !head.find(kCsrfHeader)) {
        return {};
    }
    auto session = find(head);
    if (!session) {
        return {};
    }
    if (auto refused = refuse_origin(head)) {
        return {nullptr, std::move(refused)};
    }
    if (auto refused = refuse_csrf(head, *session)) {
        return {nullptr, std::move(refused)};
    }
    if (!is_reading(head.method()) && session->read_only) {
        return {nullptr, read_only_error()};
    }
    return {std::move(session), {}};
}

}  // namespace gateleg::api::console

#include "outbound/client.h"

#include <algorithm>

#include "outbound/internal/transfer.h"

namespace gateleg::outbound {
namespace {

using internal::Transfer;
using internal::Url;

const std::vector<std::string> kWeb = {"http", "https"};
const std::vector<std::string> kMail = {"smtp", "smtps"};

bool is_redirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// What proves who we are goes to the host it was meant for, and to no other.
void drop_secrets(std::vector<std::string>& headers) {
    std::erase_if(headers, [](const std::string& header) {
        const auto name = plain_host(std::string_view(header).substr(0, header.find(':')));
        return name == "authorization" || name == "cookie";
    });
}

bool breaks_line(std::string_view text) {
    return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

Result<Reply> follow(
    const Options& options,
    const std::atomic<bool>& stopping,
    Request request,
    const Client::Sink* sink
) {
    const auto deadline = std::chrono::steady_clock::now() + request.timeout;
    if (std::any_of(request.headers.begin(), request.headers.end(), breaks_line)) {
        return validation_error("a header holds a line break");
    }
    GATELEG_TRY_ASSIGN(auto url, Url::parse(request.url, kWeb));
    for (int redirects = 0;; ++redirects) {
        if (stopping) {
            return service_unavailable("shutting down");
        }
        GATELEG_TRY_ASSIGN(const auto addresses, internal::resolve(url, options.allow));
        Transfer transfer(options, stopping, deadline);
        GATELEG_TRY_ASSIGN(auto reply, transfer.send(request, url, addresses, sink));
        if (!is_redirect(reply.status) || request.method != "GET") {
            return reply;
        }
        if (redirects >= request.max_redirects) {
            return service_unavailable("there are too many redirects");
        }
        GATELEG_TRY_ASSIGN(auto next, url.follow(std::string(reply.header("location")), kWeb));
        if (next.host() != url.host() || next.port() != url.port()) {
            drop_secrets(request.headers);
        }
        url = std::move(next);
    }
}

}  // namespace

std::string_view Reply::header(std::string_view lower_name) const {
    for (const auto& [name, value] : headers) {
        if (name == lower_name) {
            return value;
        }
    }
    return {};
}

Client::Client(Options options) : options_(std::move(options)) {}

Result<Reply> Client::send(const Request& request) const {
    return follow(options_, stopping_, request, nullptr);
}

Result<Reply> Client::download(const Request& request, const Sink& sink) const {
    return follow(options_, stopping_, request, &sink);
}

Result<void> Client::send_mail(const Mail& mail) const {
    if (breaks_line(mail.to) || breaks_line(mail.from) ||
        mail.to.find_first_of("<> ") != mail.to.npos) {
        return validation_error("this is no mail address");
    }
    GATELEG_TRY_ASSIGN(const auto url, Url::parse(mail.url, kMail));
    GATELEG_TRY_ASSIGN(const auto addresses, internal::resolve(url, options_.allow));
    Transfer transfer(options_, stopping_, std::chrono::steady_clock::now() + mail.timeout);
    return transfer.send_mail(mail, url, addresses);
}

}  // namespace gateleg::outbound

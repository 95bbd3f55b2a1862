// Requests to other servers: providers, webhooks, downloads, mail.
//
// A host is resolved first, an address that is not public is refused unless GATELEG_OUTBOUND_ALLOW
// names host and port, and the connection goes to the very address that was checked: a name that
// resolves otherwise a moment later changes nothing. Redirects pass the same gate. No proxy of the
// environment is used, and certificates are verified.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "outbound/address.h"

namespace gateleg::outbound {

struct Options {
    AllowList allow = {};
    std::string ca_file = {};  // empty: the system's
    std::chrono::milliseconds connect_timeout{10'000};
    std::string user_agent = "gateleg";
};

struct Request {
    std::string method = "POST";  // or GET, PUT, DELETE
    std::string url = {};
    std::vector<std::string> headers = {};  // "Name: value"
    std::string body = {};
    std::chrono::milliseconds timeout{30'000};  // with all redirects
    std::uint64_t max_reply_bytes = 1 << 20;
    int max_redirects = 5;  // of a GET; whatever changes something follows none
};

struct Reply {
    int status = 0;
    std::vector<std::pair<std::string, std::string>> headers = {};  // names in lower case
    std::string body = {};

    // Empty if there is none.
    std::string_view header(std::string_view lower_name) const;
    bool is_success() const { return status >= 200 && status < 300; }
};

struct Mail {
    std::string url = {};  // smtp://user:password@host:port, or smtps://
    std::string from = {};
    std::string to = {};
    std::string message = {};  // head and body, lines that end with CR LF
    std::chrono::milliseconds timeout{30'000};
};

// Thread-safe; calls block. A failure's code is kAccessDenied for an address that is not allowed,
// kRequestTooLarge for a reply that is, kValidation for a URL that cannot be used, and
// kServiceUnavailable for everything that may go better another time.
class Client {
public:
    explicit Client(Options options);

    // A reply of any status.
    Result<Reply> send(const Request& request) const;

    // Hands the body of a success to `sink` piece by piece instead; false from it ends the
    // transfer. The body of any other reply is kept, up to a few kilobytes.
    using Sink = std::function<bool(std::string_view piece)>;
    Result<Reply> download(const Request& request, const Sink& sink) const;

    Result<void> send_mail(const Mail& mail) const;

    // Ends what is under way, and whatever is asked for later.
    void stop() { stopping_ = true; }

private:
    Options options_;
    std::atomic<bool> stopping_ = false;
};

}  // namespace gateleg::outbound

// One exchange with one checked address: a request without its redirects, or a mail.

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>

#include "base/result.h"
#include "outbound/address.h"
#include "outbound/client.h"

namespace gateleg::outbound::internal {

// A URL as libcurl reads it, so that what is checked is what it will do.
class Url {
public:
    // Absolute, of one of `schemes`, without a user name unless they are mail's.
    static Result<Url> parse(const std::string& text, const std::vector<std::string>& schemes);
    // Where a Location header leads.
    Result<Url> follow(const std::string& location, const std::vector<std::string>& schemes) const;

    const std::string& text() const { return text_; }
    const std::string& scheme() const { return scheme_; }
    const std::string& host() const { return host_; }  // an IPv6 address has its brackets
    std::uint16_t port() const { return port_; }

private:
    std::string text_;
    std::string scheme_;
    std::string host_;
    std::uint16_t port_ = 0;
};

// Addresses of the URL's host that may be called, as text. Fails with kAccessDenied if there are
// addresses, but none of that kind.
Result<std::vector<std::string>> resolve(const Url& url, const AllowList& allow);

struct EasyDeleter {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct ListDeleter {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using List = std::unique_ptr<curl_slist, ListDeleter>;

// One thread; used once.
class Transfer {
public:
    using Deadline = std::chrono::steady_clock::time_point;

    Transfer(const Options& options, const std::atomic<bool>& stopping, Deadline deadline);

    // `sink` may be null; the body is then kept, up to `max_bytes`.
    Result<Reply> send(
        const Request& request,
        const Url& url,
        const std::vector<std::string>& addresses,
        const Client::Sink* sink
    );
    Result<void> send_mail(
        const Mail& mail, const Url& url, const std::vector<std::string>& addresses
    );

private:
    void prepare(const Url& url, const std::vector<std::string>& addresses, const char* protocols);
    Result<void> perform();

    static std::size_t take_body(char* from, std::size_t size, std::size_t count, void* self);
    static std::size_t take_header(char* from, std::size_t size, std::size_t count, void* self);
    static std::size_t give_mail(char* to, std::size_t size, std::size_t count, void* self);
    static int watch(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
    static curl_socket_t open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);

    const Options& options_;
    const std::atomic<bool>& stopping_;
    const Deadline deadline_;
    std::unique_ptr<CURL, EasyDeleter> handle_;
    List headers_;
    List pins_;
    List recipients_;
    std::array<char, CURL_ERROR_SIZE> error_text_{};

    bool allowed_ = false;  // host and port are listed: any address will do
    Reply reply_;
    const Client::Sink* sink_ = nullptr;
    std::uint64_t max_bytes_ = 0;
    std::uint64_t taken_bytes_ = 0;
    bool too_large_ = false;
    bool refused_ = false;
    bool unwanted_ = false;
    std::string_view mail_left_;
};

}  // namespace gateleg::outbound::internal

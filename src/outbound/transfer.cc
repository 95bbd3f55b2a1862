#include "outbound/internal/transfer.h"

#include <algorithm>
#include <cstring>

#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include "base/check.h"
#include "base/curl_library.h"

namespace gateleg::outbound::internal {
namespace {

constexpr std::uint64_t kMaxErrorBody = 4096;
constexpr std::size_t kMaxUrl = 4096;
constexpr std::size_t kMaxHeaders = 100;

struct UrlDeleter {
    void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using UrlHandle = std::unique_ptr<CURLU, UrlDeleter>;

std::string part_of(CURLU* url, CURLUPart part, unsigned flags = 0) {
    char* text = nullptr;
    if (curl_url_get(url, part, &text, flags) != CURLUE_OK) {
        return {};
    }
    std::string copy(text);
    curl_free(text);
    return copy;
}

template <class Value>
void set(CURL* handle, CURLoption option, Value value) {
    GATELEG_CHECK(curl_easy_setopt(handle, option, value) == CURLE_OK);
}

std::string lower_case(std::string_view text) {
    std::string lowered(text);
    std::transform(lowered.begin(), lowered.end(), lowered.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return lowered;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    const auto from = text.find_first_not_of(kSpace);
    return from == std::string_view::npos
               ? std::string_view()
               : text.substr(from, text.find_last_not_of(kSpace) + 1 - from);
}

void initialise_curl() {
    static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
    GATELEG_CHECK(initialised == CURLE_OK);
}

}  // namespace

Result<Url> Url::parse(const std::string& text, const std::vector<std::string>& schemes) {
    GATELEG_TRY(load_curl());
    const UrlHandle handle(curl_url());
    GATELEG_CHECK(handle != nullptr);
    if (text.size() > kMaxUrl ||
        curl_url_set(handle.get(), CURLUPART_URL, text.c_str(), CURLU_NON_SUPPORT_SCHEME) !=
            CURLUE_OK) {
        return validation_error("this is no URL that can be called");
    }
    Url url;
    url.text_ = part_of(handle.get(), CURLUPART_URL);
    url.scheme_ = part_of(handle.get(), CURLUPART_SCHEME);
    url.host_ = part_of(handle.get(), CURLUPART_HOST);
    const auto port = part_of(handle.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
    if (std::find(schemes.begin(), schemes.end(), url.scheme_) == schemes.end()) {
        return validation_error("URLs of '" + url.scheme_ + "' are not called");
    }
    const bool web = url.scheme_.starts_with("http");
    if ((web && !part_of(handle.get(), CURLUPART_USER).empty()) || url.host_.empty() ||
        port.empty() || !part_of(handle.get(), CURLUPART_ZONEID).empty()) {
        return validation_error("a URL with a user name, a zone or without a host is not called");
    }
    url.port_ = static_cast<std::uint16_t>(std::stoul(port));  // libcurl has checked its range
    return url;
}

Result<Url> Url::follow(const std::string& location, const std::vector<std::string>& schemes)
    const {
    const UrlHandle handle(curl_url());
    GATELEG_CHECK(handle != nullptr);
    if (location.empty() || location.size() > kMaxUrl ||
        curl_url_set(handle.get(), CURLUPART_URL, text_.c_str(), 0) != CURLUE_OK ||
        curl_url_set(handle.get(), CURLUPART_URL, location.c_str(), CURLU_NON_SUPPORT_SCHEME) !=
            CURLUE_OK) {
        return validation_error("a redirect leads to no URL");
    }
    GATELEG_TRY_ASSIGN(auto next, parse(part_of(handle.get(), CURLUPART_URL), schemes));
    if (scheme_ == "https" && next.scheme_ != "https") {
        return validation_error("a redirect leads from https to http");
    }
    return next;
}

Result<std::vector<std::string>> resolve(const Url& url, const AllowList& allow) {
    const auto host = plain_host(url.host());
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int failed = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, [](addrinfo* list) {
        if (list != nullptr) {
            ::freeaddrinfo(list);
        }
    });
    if (failed != 0) {
        return service_unavailable(
            "the name " + host + " cannot be resolved: " + ::gai_strerror(failed)
        );
    }
    const bool listed = allow.allows(host, url.port());
    std::vector<std::string> addresses;
    for (const auto* one = found; one != nullptr; one = one->ai_next) {
        auto text = address_text(*one->ai_addr);
        const bool known = std::find(addresses.begin(), addresses.end(), text) != addresses.end();
        if (!text.empty() && !known && (listed || is_public(*one->ai_addr))) {
            addresses.push_back(std::move(text));
        }
    }
    if (addresses.empty()) {
        return Error{
            ErrorCode::kAccessDenied,
            host + " has no public address; GATELEG_OUTBOUND_ALLOW does not list it with port " +
                std::to_string(url.port())};
    }
    return addresses;
}

Transfer::Transfer(const Options& options, const std::atomic<bool>& stopping, Deadline deadline)
    : options_(options), stopping_(stopping), deadline_(deadline) {
    initialise_curl();
    handle_.reset(curl_easy_init());
    GATELEG_CHECK(handle_ != nullptr);
}

void Transfer::prepare(
    const Url& url, const std::vector<std::string>& addresses, const char* protocols
) {
    auto* easy = handle_.get();
    allowed_ = options_.allow.allows(url.host(), url.port());
    std::string pin = plain_host(url.host()) + ":" + std::to_string(url.port()) + ":";
    for (const auto& address : addresses) {
        const bool six = address.find(':') != std::string::npos;
        pin += (pin.back() == ':' ? "" : ",") + (six ? "[" + address + "]" : address);
    }
    pins_.reset(curl_slist_append(nullptr, pin.c_str()));
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline_ - std::chrono::steady_clock::now());
    const long millis = std::max<long>(1, static_cast<long>(left.count()));
    set(easy, CURLOPT_URL, url.text().c_str());
    set(easy, CURLOPT_RESOLVE, pins_.get());
    set(easy, CURLOPT_PROTOCOLS_STR, protocols);
    set(easy, CURLOPT_PROXY, "");
    set(easy, CURLOPT_FOLLOWLOCATION, 0L);
    set(easy, CURLOPT_NOSIGNAL, 1L);
    set(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    set(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    set(easy, CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
    if (!options_.ca_file.empty()) {
        set(easy, CURLOPT_CAINFO, options_.ca_file.c_str());
    }
    set(easy, CURLOPT_TIMEOUT_MS, millis);
    set(easy,
        CURLOPT_CONNECTTIMEOUT_MS,
        std::min(millis, static_cast<long>(options_.connect_timeout.count())));
    set(easy, CURLOPT_ERRORBUFFER, error_text_.data());
    set(easy, CURLOPT_NOPROGRESS, 0L);
    set(easy, CURLOPT_XFERINFOFUNCTION, &Transfer::watch);
    set(easy, CURLOPT_XFERINFODATA, static_cast<void*>(this));
    set(easy, CURLOPT_OPENSOCKETFUNCTION, &Transfer::open_socket);
    set(easy, CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
    set(easy, CURLOPT_WRITEFUNCTION, &Transfer::take_body);
    set(easy, CURLOPT_WRITEDATA, static_cast<void*>(this));
    set(easy, CURLOPT_HEADERFUNCTION, &Transfer::take_header);
    set(easy, CURLOPT_HEADERDATA, static_cast<void*>(this));
}

Result<void> Transfer::perform() {
    const auto code = curl_easy_perform(handle_.get());
    if (too_large_) {
        return Error{ErrorCode::kRequestTooLarge, "the answer is too large"};
    }
    if (refused_) {
        return Error{ErrorCode::kAccessDenied, "the connection would go to a private address"};
    }
    if (unwanted_) {
        return service_unavailable("the content could not be taken");
    }
    if (code != CURLE_OK) {
        return service_unavailable(
            error_text_[0] != '\0' ? error_text_.data() : curl_easy_strerror(code)
        );
    }
    return {};
}

Result<Reply> Transfer::send(
    const Request& request,
    const Url& url,
    const std::vector<std::string>& addresses,
    const Client::Sink* sink
) {
    prepare(url, addresses, "http,https");
    auto* easy = handle_.get();
    sink_ = sink;
    max_bytes_ = request.max_reply_bytes;
    curl_slist* list = nullptr;
    for (const auto& header : request.headers) {
        list = curl_slist_append(list, header.c_str());
    }
    headers_.reset(curl_slist_append(list, "Expect:"));
    set(easy, CURLOPT_HTTPHEADER, headers_.get());
    set(easy, CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
    set(easy, CURLOPT_USERAGENT, options_.user_agent.c_str());
    if (request.method == "GET") {
        set(easy, CURLOPT_HTTPGET, 1L);
    } else {
        set(easy, CURLOPT_POST, 1L);
        set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
        set(easy, CURLOPT_POSTFIELDS, request.body.c_str());
        if (request.method != "POST") {
            set(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
        }
    }
    GATELEG_TRY(perform());
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    reply_.status = static_cast<int>(status);
    return std::move(reply_);
}

Result<void> Transfer::send_mail(
    const Mail& mail, const Url& url, const std::vector<std::string>& addresses
) {
    prepare(url, addresses, "smtp,smtps");
    auto* easy = handle_.get();
    max_bytes_ = kMaxErrorBody;
    mail_left_ = mail.message;
    recipients_.reset(curl_slist_append(nullptr, ("<" + mail.to + ">").c_str()));
    set(easy, CURLOPT_MAIL_FROM, ("<" + mail.from + ">").c_str());
    set(easy, CURLOPT_MAIL_RCPT, recipients_.get());
    set(easy, CURLOPT_UPLOAD, 1L);
    set(easy, CURLOPT_READFUNCTION, &Transfer::give_mail);
    set(easy, CURLOPT_READDATA, static_cast<void*>(this));
    // A password is never sent in the clear; without one TLS is used where the server offers it.
    const bool has_user = url.text().find('@') != std::string::npos;
    set(easy, CURLOPT_USE_SSL, has_user && !allowed_ ? long{CURLUSESSL_ALL} : long{CURLUSESSL_TRY});
    return perform();
}

std::size_t Transfer::take_body(char* from, std::size_t size, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    const std::string_view piece(from, size * count);
    long status = 0;
    curl_easy_getinfo(transfer.handle_.get(), CURLINFO_RESPONSE_CODE, &status);
    const bool success = status >= 200 && status < 300;
    if (transfer.sink_ != nullptr && !success) {
        // What a server says about its failure is for the log: a part of it will do.
        auto& body = transfer.reply_.body;
        body.append(piece.substr(0, kMaxErrorBody - std::min(body.size(), kMaxErrorBody)));
        return piece.size();
    }
    if (piece.size() > transfer.max_bytes_ - transfer.taken_bytes_) {
        transfer.too_large_ = true;
        return 0;
    }
    transfer.taken_bytes_ += piece.size();
    if (transfer.sink_ == nullptr) {
        transfer.reply_.body.append(piece);
        return piece.size();
    }
    transfer.unwanted_ = !(*transfer.sink_)(piece);
    return transfer.unwanted_ ? 0 : piece.size();
}

std::size_t Transfer::take_header(char* from, std::size_t size, std::size_t count, void* self) {
    auto& headers = static_cast<Transfer*>(self)->reply_.headers;
    const std::string_view line(from, size * count);
    if (line.starts_with("HTTP/")) {
        headers.clear();  // those before it belong to an interim answer
    } else if (const auto colon = line.find(':');
               colon != std::string_view::npos && headers.size() < kMaxHeaders) {
        headers.emplace_back(lower_case(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
    }
    return line.size();
}

std::size_t Transfer::give_mail(char* to, std::size_t size, std::size_t count, void* self) {
    auto& left = static_cast<Transfer*>(self)->mail_left_;
    const auto length = std::min(size * count, left.size());
    left.copy(to, length);
    left.remove_prefix(length);
    return length;
}

int Transfer::watch(
    void* self, curl_off_t /*total*/, curl_off_t /*now*/, curl_off_t /*up*/, curl_off_t /*sent*/
) {
    return static_cast<Transfer*>(self)->stopping_ ? 1 : 0;
}

// The last word: whatever libcurl has made of the URL, this is where it would connect.
curl_socket_t Transfer::open_socket(void* self, curlsocktype /*purpose*/, curl_sockaddr* address) {
    auto& transfer = *static_cast<Transfer*>(self);
    if (!transfer.allowed_ && !is_public(address->addr)) {
        transfer.refused_ = true;
        return CURL_SOCKET_BAD;
    }
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

}  // namespace gateleg::outbound::internal

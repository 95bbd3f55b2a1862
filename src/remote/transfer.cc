#include "remote/internal/transfer.h"

#include <algorithm>

#include "base/check.h"

namespace gateleg::remote::internal {
namespace {

// Shorter than services keep idle connections open, so that they are seldom dead when used.
constexpr long kMaxIdleSeconds = 30;

template <class Value>
void set(CURL* handle, CURLoption option, Value value) {
    // Fails only for options this libcurl does not know.
    GATELEG_CHECK(curl_easy_setopt(handle, option, value) == CURLE_OK);
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n";
    const auto start = text.find_first_not_of(kBlank);
    if (start == std::string_view::npos) {
        return {};
    }
    return text.substr(start, text.find_last_not_of(kBlank) - start + 1);
}

std::string lower_case(std::string_view text) {
    std::string lowered(text);
    std::transform(lowered.begin(), lowered.end(), lowered.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return lowered;
}

long millis_until(SteadyTime time) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(time - std::chrono::steady_clock::now());
    return std::max<long>(1, static_cast<long>(left.count()));
}

}  // namespace

void Transfer::prepare(EasyHandle handle, const HttpClientOptions& options) {
    handle_ = std::move(handle);
    max_reply_bytes_ = options.max_reply_bytes;
    auto* easy = handle_.get();
    curl_easy_reset(easy);

    curl_slist* list = nullptr;
    for (const auto& header : request_.headers) {
        list = curl_slist_append(list, header.c_str());
    }
    // A server that does not know it costs a second before a large body is sent.
    list = curl_slist_append(list, "Expect:");
    list = curl_slist_append(list, "Accept:");
    headers_.reset(list);

    set(easy, CURLOPT_URL, request_.url.c_str());
    set(easy, CURLOPT_HTTPHEADER, headers_.get());
    set(easy, CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
    set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    set(easy, CURLOPT_FOLLOWLOCATION, 0L);
    set(easy, CURLOPT_NOSIGNAL, 1L);
    set(easy, CURLOPT_TCP_NODELAY, 1L);
    set(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    set(easy, CURLOPT_MAXAGE_CONN, kMaxIdleSeconds);
    set(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    set(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    set(easy, CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
    if (!options.ca_file.empty()) {
        set(easy, CURLOPT_CAINFO, options.ca_file.c_str());
    }
    if (!request_.unix_socket.empty()) {
        set(easy, CURLOPT_UNIX_SOCKET_PATH, request_.unix_socket.c_str());
    }
    if (request_.direct) {
        set(easy, CURLOPT_NOPROXY, "*");
    }
    const long left = millis_until(request_.deadline);
    set(easy, CURLOPT_TIMEOUT_MS, left);
    set(easy,
        CURLOPT_CONNECTTIMEOUT_MS,
        std::min(left, static_cast<long>(options.connect_timeout.count())));
    set(easy, CURLOPT_ERRORBUFFER, error_text_.data());
    set(easy, CURLOPT_PRIVATE, static_cast<void*>(this));
    set(easy, CURLOPT_WRITEFUNCTION, &Transfer::take_body);
    set(easy, CURLOPT_WRITEDATA, static_cast<void*>(this));
    set(easy, CURLOPT_HEADERFUNCTION, &Transfer::take_header);
    set(easy, CURLOPT_HEADERDATA, static_cast<void*>(this));
    set_method();
}

void Transfer::set_method() {
    auto* easy = handle_.get();
    if (request_.method == "GET") {
        set(easy, CURLOPT_HTTPGET, 1L);
        return;
    }
    if (request_.method == "HEAD") {
        set(easy, CURLOPT_NOBODY, 1L);
        return;
    }
    // When a kept connection dies under a request, libcurl sends the request again by itself. It
    // cannot if the body comes from a function that will not start over, so that nothing is sent
    // twice without our knowing.
    set(easy, CURLOPT_POST, 1L);
    set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    set(easy, CURLOPT_READFUNCTION, &Transfer::read_body);
    set(easy, CURLOPT_READDATA, static_cast<void*>(this));
    set(easy, CURLOPT_SEEKFUNCTION, &Transfer::refuse_rewind);
    set(easy, CURLOPT_SEEKDATA, static_cast<void*>(this));
    if (request_.method != "POST") {
        set(easy, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
    }
}

std::size_t Transfer::read_body(char* to, std::size_t size, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    const auto& body = transfer.request_.body;
    const auto length = std::min(size * count, body.size() - transfer.body_read_);
    if (length == 0 && !body.empty()) {
        return CURL_READFUNC_ABORT;
    }
    body.copy(to, length, transfer.body_read_);
    transfer.body_read_ += length;
    return length;
}

int Transfer::refuse_rewind(void* /*self*/, curl_off_t /*offset*/, int /*origin*/) {
    return CURL_SEEKFUNC_FAIL;
}

std::size_t Transfer::take_body(char* from, std::size_t size, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    auto& body = transfer.reply_.body;
    if (size * count > transfer.max_reply_bytes_ - body.size()) {
        transfer.too_large_ = true;
        return 0;
    }
    body.append(from, size * count);
    return size * count;
}

std::size_t Transfer::take_header(char* from, std::size_t size, std::size_t count, void* self) {
    auto& headers = static_cast<Transfer*>(self)->reply_.headers;
    const std::string_view line(from, size * count);
    if (line.starts_with("HTTP/")) {
        // Those before it belong to an interim answer.
        headers.clear();
    } else if (const auto colon = line.find(':'); colon != std::string_view::npos) {
        headers.emplace_back(lower_case(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
    }
    return line.size();
}

void Transfer::finish(CURLcode code) {
    if (code != CURLE_OK) {
        done_(failure(code));
        return;
    }
    long status = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
    reply_.status = static_cast<int>(status);
    done_(std::move(reply_));
}

void Transfer::fail(HttpFailure::Kind kind, std::string reason) {
    done_(HttpFailure{kind, handle_ != nullptr && may_have_arrived(), std::move(reason)});
}

bool Transfer::may_have_arrived() const {
    if (!request_.body.empty()) {
        return body_read_ == request_.body.size();
    }
    long sent = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_REQUEST_SIZE, &sent);
    return sent > 0;
}

HttpFailure Transfer::failure(CURLcode code) const {
    using Kind = HttpFailure::Kind;
    const bool arrived = may_have_arrived();
    std::string reason = error_text_[0] != '\0' ? error_text_.data() : curl_easy_strerror(code);
    if (too_large_) {
        return {Kind::kTooLarge, arrived, "the answer is too large"};
    }
    if (code == CURLE_PEER_FAILED_VERIFICATION) {
        return {Kind::kUntrusted, false, std::move(reason)};
    }
    // A connection that takes too long to open may be tried again; an answer that does not come
    // has had all the time there was.
    const bool timed_out = code == CURLE_OPERATION_TIMEDOUT && arrived;
    if (timed_out || std::chrono::steady_clock::now() >= request_.deadline) {
        return {Kind::kTimedOut, arrived, std::move(reason)};
    }
    return {arrived ? Kind::kLost : Kind::kUnreachable, arrived, std::move(reason)};
}

}  // namespace gateleg::remote::internal

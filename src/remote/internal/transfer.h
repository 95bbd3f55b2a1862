// One request on a libcurl handle. The name curl stops at this folder's http_client.cc and
// transfer.cc.

#pragma once

#include <array>
#include <memory>
#include <string>

#include <curl/curl.h>

#include "remote/http_client.h"

namespace gateleg::remote::internal {

struct CurlDeleter {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using EasyHandle = std::unique_ptr<CURL, CurlDeleter>;
using HeaderList = std::unique_ptr<curl_slist, CurlDeleter>;

// One thread at a time. Stays where it is: the handle points to it.
class Transfer {
public:
    Transfer(HttpRequest request, HttpDone done)
        : request_(std::move(request)), done_(std::move(done)) {}
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    SteadyTime deadline() const { return request_.deadline; }

    // Takes a handle and makes it ready to be added to a multi handle.
    void prepare(EasyHandle handle, const HttpClientOptions& options);
    CURL* handle() const { return handle_.get(); }
    EasyHandle take_handle() { return std::move(handle_); }

    // Tells whoever waits. The transfer is over then.
    void finish(CURLcode code);
    void fail(HttpFailure::Kind kind, std::string reason);

private:
    static std::size_t read_body(char* to, std::size_t size, std::size_t count, void* self);
    static int refuse_rewind(void* self, curl_off_t offset, int origin);
    static std::size_t take_body(char* from, std::size_t size, std::size_t count, void* self);
    static std::size_t take_header(char* from, std::size_t size, std::size_t count, void* self);

    void set_method();
    bool may_have_arrived() const;
    HttpFailure failure(CURLcode code) const;

    HttpRequest request_;
    HttpDone done_;
    EasyHandle handle_;
    HeaderList headers_;
    std::size_t body_read_ = 0;
    std::size_t max_reply_bytes_ = 0;
    bool too_large_ = false;
    HttpReply reply_;
    std::array<char, CURL_ERROR_SIZE> error_text_{};
};

}  // namespace gateleg::remote::internal

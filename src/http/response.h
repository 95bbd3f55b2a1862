// A reply before it becomes bytes.

#pragma once

#include <string>
#include <string_view>

namespace gateleg::http {

struct Response {
    int status = 200;
    // Must live until reply() returns; usually a literal. Empty: no Content-Type line.
    std::string_view content_type = {};
    // Further lines, each "Name: value\r\n". Content-Length and Connection are not among them.
    std::string headers = {};
    std::string body = {};
    // Close the connection behind this reply.
    bool close = false;
};

// "Not Found" for 404; "Status" for a number without a name.
std::string_view reason_phrase(int status);

// What the client's request asks of the form of its reply.
struct ReplyForm {
    bool head_only = false;  // the answer to HEAD
    bool http_1_0 = false;
    bool close = false;
};

// Appends everything up to the body.
void append_response_head(std::string& out, const Response& response, ReplyForm form);

// False for HEAD and for statuses that never have one.
bool sends_body(const Response& response, ReplyForm form);

}  // namespace gateleg::http

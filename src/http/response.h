// A reply before it becomes bytes.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gateleg::http {

// A body that lies in files and is read while it is sent, on the connection's I/O thread.
class FileBody {
public:
    struct Stretch {
        int fd = -1;
        std::uint64_t offset = 0;
        std::uint64_t bytes = 0;  // at least one
    };

    explicit FileBody(std::uint64_t bytes) : bytes_(bytes) {}
    virtual ~FileBody() = default;
    std::uint64_t bytes() const { return bytes_; }

    // Where the body goes on after its first `sent` bytes; the descriptor is good until the next
    // call. Nothing if that cannot be read: the connection is cut then. This one, which has no
    // bytes at all, is for answers to HEAD.
    virtual std::optional<Stretch> stretch(std::uint64_t /*sent*/) { return std::nullopt; }

private:
    std::uint64_t bytes_;
};

struct Response {
    int status = 200;
    // Must live until reply() returns; usually a literal. Empty: no Content-Type line.
    std::string_view content_type = {};
    // Further lines, each "Name: value\r\n". Content-Length and Connection are not among them.
    std::string headers = {};
    std::string body = {};
    // If set, it is sent in the place of `body`.
    std::unique_ptr<FileBody> file = nullptr;
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
    bool live = false;  // its body ends with the connection
};

// Appends everything up to the body.
void append_response_head(std::string& out, const Response& response, ReplyForm form);

// False for HEAD and for statuses that never have one.
bool sends_body(const Response& response, ReplyForm form);

}  // namespace gateleg::http

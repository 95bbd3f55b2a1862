// A server on a bare socket that answers by a script: also with what no proper server would send.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gateleg::remote {

// What happens to one request.
struct Answer {
    std::string bytes;  // sent as they are
    std::chrono::milliseconds delay{0};
    enum class Then { kKeep, kClose, kReset } then = Then::kKeep;
};

// A request as it came: head with the empty line, and body.
struct SeenRequest {
    std::string head;
    std::string body;
    int connection = 0;  // counts from 0

    bool has(std::string_view text) const { return head.find(text) != std::string::npos; }
};

// A whole reply with Content-Length.
std::string http_reply(int status, std::string_view body, std::string_view headers = "");
// {"__type": "...#TYPE", "message": "..."} with its status.
Answer store_error(int status, std::string_view type, std::string_view message = "scripted");
Answer ok(std::string_view body = "{}");

// Answers each request with what `script` says, on a thread per connection.
class TestServer {
public:
    using Script = std::function<Answer(const SeenRequest& request, int number)>;

    explicit TestServer(Script script);
    ~TestServer();
    TestServer(const TestServer&) = delete;
    TestServer& operator=(const TestServer&) = delete;

    std::uint16_t port() const;
    std::string url() const { return "http://127.0.0.1:" + std::to_string(port()); }
    std::vector<SeenRequest> seen() const;
    std::size_t count() const { return seen().size(); }

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace gateleg::remote

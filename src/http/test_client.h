// A blocking client on a bare socket, for tests that must send what no library would.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace gateleg::http {

class TestClient {
public:
    explicit TestClient(std::uint16_t port, int receive_buffer_bytes = 0);
    ~TestClient();
    TestClient(const TestClient&) = delete;
    TestClient& operator=(const TestClient&) = delete;

    // False once the server refuses to take more.
    bool send(std::string_view bytes);
    void end_sending();
    // The next reply, head and body as they came; empty if the connection ended without one.
    std::string read_reply(bool head_only = false);
    // All until the server closes. "reset" or "timeout" is appended if it ended that way.
    std::string read_to_end();
    // True if the server closes within a second without sending anything.
    bool is_closed_soon();

private:
    bool receive();

    int descriptor_;
    std::string received_;
    std::string ending_;
};

}  // namespace gateleg::http

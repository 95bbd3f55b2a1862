// A request as it stands in the connection's buffer: views, nothing copied.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace gateleg::http {

inline constexpr std::size_t kMaxHeaders = 100;
// Readable bytes behind every body, as simdjson wants them. Their content is arbitrary.
inline constexpr std::size_t kBodyPadding = 64;

struct Header {
    std::string_view name, value;
};

// ASCII letters compare without case, all else byte by byte.
bool equal_ignoring_case(std::string_view left, std::string_view right);

// Request line and headers, already checked: see RequestParser for what is refused.
// The views point into the buffer it was parsed from. One thread at a time while parsed into,
// immutable afterwards.
class RequestHead {
public:
    std::string_view method() const { return method_; }
    // As sent: "/path?query", or "*" for OPTIONS. Nothing is decoded.
    std::string_view target() const { return target_; }
    std::string_view path() const { return target_.substr(0, path_bytes_); }
    // Without its '?'; empty if there is none.
    std::string_view query() const {
        return path_bytes_ == target_.size() ? std::string_view() : target_.substr(path_bytes_ + 1);
    }
    // HTTP/1.0 or HTTP/1.1: 0 or 1.
    int minor_version() const { return minor_version_; }

    // In the order sent, values without surrounding blanks.
    std::span<const Header> headers() const { return {headers_.data(), header_count_}; }
    // The first of that name, in any case.
    std::optional<std::string_view> find(std::string_view name) const;

    // What the client would like; the server may still close.
    bool keep_alive() const { return keep_alive_; }
    std::optional<std::uint64_t> content_length() const { return content_length_; }
    bool chunked() const { return chunked_; }
    bool expects_continue() const { return expects_continue_; }

private:
    friend class RequestParser;

    std::string_view method_;
    std::string_view target_;
    std::size_t path_bytes_ = 0;
    std::size_t header_count_ = 0;
    std::optional<std::uint64_t> content_length_;
    int minor_version_ = 1;
    bool keep_alive_ = true;
    bool chunked_ = false;
    bool expects_continue_ = false;
    std::array<Header, kMaxHeaders> headers_;
};

struct Request {
    RequestHead head;
    // Whole and unchunked, with kBodyPadding readable bytes behind it.
    std::string_view body;
    // The peer's IP address as text, without a port.
    std::string_view remote_address;
    bool tls = false;
};

}  // namespace gateleg::http

// The strict parser of HTTP/1.x request heads. It allocates nothing and guesses nothing: what two
// readers might understand differently is refused.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/request.h"

namespace gateleg::http {

// One head at a time; reset() before the next. One thread at a time.
class RequestParser {
public:
    enum class State : std::uint8_t { kNeedMore, kComplete, kBad };

    explicit RequestParser(
        std::size_t max_head_bytes = std::size_t{16} * 1024, std::size_t max_headers = kMaxHeaders
    );

    void reset();

    // `data` is the request from its first byte. After kNeedMore call again with the same bytes
    // and more, which may have moved meanwhile. `head` is whole after kComplete only, and then
    // points into `data`.
    State feed(std::string_view data, RequestHead& head);

    // After kComplete: where the body starts.
    std::size_t head_bytes() const { return line_start_; }
    // After kBad: the status to answer and why.
    int status() const { return status_; }
    std::string_view reason() const { return reason_; }

private:
    State fail(int status, std::string_view reason);
    bool parse_lines(std::string_view data, RequestHead& head);
    bool parse_request_line(std::string_view line, RequestHead& head);
    bool parse_header(std::string_view line, RequestHead& head);
    bool note_header(const Header& header, RequestHead& head);
    bool note_content_length(std::string_view value, RequestHead& head);
    bool note_connection(std::string_view value, RequestHead& head);
    bool check_framing(const RequestHead& head);

    std::size_t max_head_bytes_;
    std::size_t max_headers_;
    std::size_t scanned_ = 0;
    std::size_t line_start_ = 0;
    std::size_t line_count_ = 0;
    int status_ = 0;
    std::string_view reason_;
    bool has_host_ = false;
    bool has_transfer_encoding_ = false;
    // Where each line's CR stands. 32 bits: max_head_bytes is checked against it.
    std::array<std::uint32_t, kMaxHeaders + 1> line_ends_;
};

}  // namespace gateleg::http

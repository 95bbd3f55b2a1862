#include "http/request_parser.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace gateleg::http {
namespace {

enum CharClass : std::uint8_t { kTokenChar = 1, kTargetChar = 2, kValueChar = 4 };

constexpr std::array<std::uint8_t, 256> make_classes() {
    std::array<std::uint8_t, 256> classes{};
    for (std::size_t c = 0; c < classes.size(); ++c) {
        const bool visible = c > 0x20 && c < 0x7f;
        const bool alphanumeric =
            (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        const bool mark = std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) !=
                          std::string_view::npos;
        classes[c] = static_cast<std::uint8_t>(
            (alphanumeric || (visible && mark) ? kTokenChar : 0) |
            (visible && c != '#' ? kTargetChar : 0) |
            (visible || c == ' ' || c == '\t' || c >= 0x80 ? kValueChar : 0)
        );
    }
    return classes;
}
constexpr auto kClasses = make_classes();

bool all_of_class(std::string_view text, CharClass wanted) {
    std::uint8_t common = wanted;
    for (const char c : text) {
        common &= kClasses[static_cast<unsigned char>(c)];
    }
    return common != 0;
}

// Nearly every value holds visible ASCII alone: eight bytes at a time tell.
bool is_value(std::string_view text) {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    std::uint64_t marks = 0;
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, sizeof word);
        // Set for a byte below a blank, for DEL, and for one above ASCII.
        marks |= (word - kOnes * 0x20) | (word + kOnes) | word;
    }
    return (marks & kOnes * 0x80) == 0 ? all_of_class(text.substr(at), kValueChar)
                                       : all_of_class(text, kValueChar);
}

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

}  // namespace

RequestParser::RequestParser(std::size_t max_head_bytes, std::size_t max_headers)
    : max_head_bytes_(max_head_bytes), max_headers_(max_headers) {
    GATELEG_CHECK(max_headers <= kMaxHeaders && max_head_bytes <= UINT32_MAX);
}

void RequestParser::reset() {
    scanned_ = line_start_ = line_count_ = 0;
    status_ = 0;
    has_host_ = has_transfer_encoding_ = false;
}

RequestParser::State RequestParser::fail(int status, std::string_view reason) {
    status_ = status;
    reason_ = reason;
    return State::kBad;
}

// Finds the line ends only, so that bytes which trickle in are looked at once. The lines are
// parsed when the last one is there.
RequestParser::State RequestParser::feed(std::string_view data, RequestHead& head) {
    const auto window = data.substr(0, max_head_bytes_);
    while (scanned_ < window.size()) {
        const void* found = std::memchr(window.data() + scanned_, '\n', window.size() - scanned_);
        if (found == nullptr) {
            scanned_ = window.size();
            break;
        }
        const auto newline =
            static_cast<std::size_t>(static_cast<const char*>(found) - window.data());
        if (newline == line_start_ || window[newline - 1] != '\r') {
            return fail(400, "A line ends without carriage return");
        }
        scanned_ = newline + 1;
        const bool empty = newline == line_start_ + 1;
        if (empty && line_count_ == 0) {
            return fail(400, "The request line is empty");
        }
        if (!empty && line_count_ > max_headers_) {
            return fail(431, "Too many header fields");
        }
        if (empty) {
            line_start_ = scanned_;
            return parse_lines(window, head) ? State::kComplete : State::kBad;
        }
        line_ends_[line_count_++] = static_cast<std::uint32_t>(newline - 1);
        line_start_ = scanned_;
    }
    if (data.size() >= max_head_bytes_) {
        return fail(431, "The request line and headers are too long");
    }
    return State::kNeedMore;
}

bool RequestParser::parse_lines(std::string_view data, RequestHead& head) {
    head.header_count_ = 0;
    head.content_length_.reset();
    head.chunked_ = head.expects_continue_ = false;
    std::size_t start = 0;
    for (std::size_t i = 0; i < line_count_; ++i) {
        const auto line = data.substr(start, line_ends_[i] - start);
        if (!(i == 0 ? parse_request_line(line, head) : parse_header(line, head))) {
            return false;
        }
        start = line_ends_[i] + std::size_t{2};
    }
    return check_framing(head);
}

bool RequestParser::parse_request_line(std::string_view line, RequestHead& head) {
    const auto bad = [this](int status, std::string_view reason) {
        fail(status, reason);
        return false;
    };
    const auto first = line.find(' ');
    const auto last = line.rfind(' ');
    if (first == std::string_view::npos || first == last) {
        return bad(400, "The request line needs method, target and version");
    }
    head.method_ = line.substr(0, first);
    head.target_ = line.substr(first + 1, last - first - 1);
    const auto version = line.substr(last + 1);
    if (head.method_.empty() || !all_of_class(head.method_, kTokenChar)) {
        return bad(400, "The method is not a token");
    }
    if (head.target_.empty() || !all_of_class(head.target_, kTargetChar)) {
        return bad(400, "The request target holds a character it may not");
    }
    if (head.target_.front() != '/' && !(head.target_ == "*" && head.method_ == "OPTIONS")) {
        return bad(400, "The request target must start with '/'");
    }
    head.path_bytes_ = std::min(head.target_.find('?'), head.target_.size());
    if (version == "HTTP/1.1") {
        head.minor_version_ = 1;
    } else if (version == "HTTP/1.0") {
        head.minor_version_ = 0;
    } else {
        return version.starts_with("HTTP/") ? bad(505, "Only HTTP/1.0 and HTTP/1.1 are spoken")
                                            : bad(400, "The protocol version is malformed");
    }
    head.keep_alive_ = head.minor_version_ == 1;
    return true;
}

bool RequestParser::parse_header(std::string_view line, RequestHead& head) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) {
        fail(400, "A header line has no name or no colon");
        return false;
    }
    Header header{line.substr(0, colon), line.substr(colon + 1)};
    // Also catches folded lines and blanks before the colon: a blank is no token character.
    if (!all_of_class(header.name, kTokenChar)) {
        fail(400, "A header name holds a character it may not");
        return false;
    }
    if (!header.value.empty() && !is_value(header.value)) {
        fail(400, "A header value holds a control character");
        return false;
    }
    header.value = trimmed(header.value);
    head.headers_[head.header_count_++] = header;
    return note_header(header, head);
}

bool RequestParser::note_header(const Header& header, RequestHead& head) {
    const auto is = [&header](std::string_view name) {
        return equal_ignoring_case(header.name, name);
    };
    switch (header.name.size()) {
        case 4:
            if (is("Host")) {
                if (has_host_) {
                    fail(400, "Host is given twice");
                    return false;
                }
                has_host_ = true;
            }
            return true;
        case 6:
            if (is("Expect")) {
                head.expects_continue_ = equal_ignoring_case(header.value, "100-continue");
                if (!head.expects_continue_) {
                    fail(417, "The only expectation met is 100-continue");
                    return false;
                }
            }
            return true;
        case 10:
            return !is("Connection") || note_connection(header.value, head);
        case 14:
            return !is("Content-Length") || note_content_length(header.value, head);
        case 17:
            if (is("Transfer-Encoding")) {
                if (has_transfer_encoding_) {
                    fail(400, "Transfer-Encoding is given twice");
                    return false;
                }
                has_transfer_encoding_ = true;
                head.chunked_ = equal_ignoring_case(header.value, "chunked");
            }
            return true;
        default:
            return true;
    }
}

bool RequestParser::note_content_length(std::string_view value, RequestHead& head) {
    // 18 digits cannot overflow, and nobody has an exabyte to send.
    const bool digits =
        !value.empty() && value.size() <= 18 &&
        std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits || head.content_length_) {
        fail(400, digits ? "Content-Length is given twice" : "Content-Length is not a number");
        return false;
    }
    std::uint64_t length = 0;
    for (const char c : value) {
        length = length * 10 + static_cast<std::uint64_t>(c - '0');
    }
    head.content_length_ = length;
    return true;
}

bool RequestParser::note_connection(std::string_view value, RequestHead& head) {
    while (!value.empty()) {
        const auto comma = std::min(value.find(','), value.size());
        const auto option = trimmed(value.substr(0, comma));
        if (equal_ignoring_case(option, "close")) {
            head.keep_alive_ = false;
            return true;
        }
        if (head.minor_version_ == 0 && equal_ignoring_case(option, "keep-alive")) {
            head.keep_alive_ = true;
        }
        value.remove_prefix(std::min(comma + 1, value.size()));
    }
    return true;
}

bool RequestParser::check_framing(const RequestHead& head) {
    if (has_transfer_encoding_ && head.content_length_) {
        fail(400, "Content-Length and Transfer-Encoding exclude each other");
    } else if (has_transfer_encoding_ && head.minor_version_ == 0) {
        fail(400, "HTTP/1.0 has no Transfer-Encoding");
    } else if (has_transfer_encoding_ && !head.chunked_) {
        fail(501, "The only Transfer-Encoding understood is chunked");
    } else if (!has_host_ && head.minor_version_ == 1) {
        fail(400, "Host is missing");
    }
    return status_ == 0;
}

}  // namespace gateleg::http

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "http/chunked_decoder.h"
#include "http/host_policy.h"
#include "http/request_parser.h"

namespace {

using gateleg::http::ChunkedDecoder;
using gateleg::http::RequestHead;
using gateleg::http::RequestParser;

// Two readings of the same bytes, whole and byte by byte, must not differ.
void parse_both_ways(std::string_view bytes) {
    RequestHead whole_head;
    RequestParser whole;
    const auto whole_state = whole.feed(bytes, whole_head);

    RequestHead piece_head;
    RequestParser pieces;
    auto state = RequestParser::State::kNeedMore;
    for (std::size_t size = 1; size <= bytes.size(); ++size) {
        state = pieces.feed(bytes.substr(0, size), piece_head);
        if (state != RequestParser::State::kNeedMore) {
            break;
        }
    }
    if (state != whole_state) {
        std::abort();
    }
    if (state != RequestParser::State::kComplete) {
        return;
    }
    if (whole.head_bytes() != pieces.head_bytes() ||
        whole_head.headers().size() != piece_head.headers().size()) {
        std::abort();
    }
    check_host(whole_head, {{"example.com:80"}, {}});

    ChunkedDecoder decoder;
    std::string_view body = bytes.substr(whole.head_bytes());
    std::string_view piece;
    while (decoder.next(body, piece) == ChunkedDecoder::Event::kData) {
        if (piece.empty()) {
            std::abort();
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    parse_both_ways({reinterpret_cast<const char*>(data), size});
    return 0;
}

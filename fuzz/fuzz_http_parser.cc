#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/chunked_decoder.h"
#include "http/host_policy.h"
#include "http/request_parser.h"

namespace {

using gateleg::http::ChunkedDecoder;
using gateleg::http::RequestHead;
using gateleg::http::RequestParser;

std::string text_of(const RequestHead& head) {
    std::string text;
    text.append(head.method()).append(" ").append(head.target()).append("\n");
    for (const auto& header : head.headers()) {
        text.append(header.name).append(":").append(header.value).append("\n");
    }
    return text;
}

// Sizes of pieces, drawn from the input itself.
class Cuts {
public:
    explicit Cuts(std::string_view bytes) : state_(bytes.size() * 2654435761U + 1) {
        for (const auto each : bytes) {
            state_ = state_ * 31 + static_cast<unsigned char>(each);
        }
    }
    std::size_t next() {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return 1 + (state_ >> 60);
    }

private:
    std::uint64_t state_;
};

// The decoded body and how it ended, from pieces of any size.
std::string decode_chunks(std::string_view body, bool whole) {
    ChunkedDecoder decoder;
    Cuts cuts(body);
    std::string out;
    while (!body.empty()) {
        const auto size = whole ? body.size() : std::min(body.size(), cuts.next());
        auto input = body.substr(0, size);
        body.remove_prefix(size);
        auto event = ChunkedDecoder::Event::kData;
        while (event == ChunkedDecoder::Event::kData) {
            std::string_view piece;
            event = decoder.next(input, piece);
            if (event == ChunkedDecoder::Event::kData) {
                out.append(piece);
            }
        }
        if (event != ChunkedDecoder::Event::kNeedMore) {
            return out + (event == ChunkedDecoder::Event::kEnd ? "|end" : "|bad");
        }
        if (!input.empty()) {
            std::abort();
        }
    }
    return out + "|more";
}

// Two readings of the same bytes, whole and in pieces, must not differ.
void parse_in_pieces(std::string_view bytes) {
    RequestHead whole_head;
    RequestParser whole;
    const auto whole_state = whole.feed(bytes, whole_head);
    RequestHead piece_head;
    RequestParser pieces;
    Cuts cuts(bytes);
    auto state = RequestParser::State::kNeedMore;
    for (std::size_t size = 0; size < bytes.size() && state == RequestParser::State::kNeedMore;) {
        size = std::min(bytes.size(), size + cuts.next());
        state = pieces.feed(bytes.substr(0, size), piece_head);
    }
    if (state != whole_state ||
        (state == RequestParser::State::kComplete && (text_of(whole_head) != text_of(piece_head) ||
                                                      whole.head_bytes() != pieces.head_bytes()))) {
        std::abort();
    }
}

// And whole and byte by byte.
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
    check_host(whole_head, {{"example.com:80", "example.org", "[::5]"}, {"https://app.example"}});

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
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    parse_both_ways(bytes);
    parse_in_pieces(bytes);
    if (decode_chunks(bytes, true) != decode_chunks(bytes, false)) {
        std::abort();
    }
    return 0;
}

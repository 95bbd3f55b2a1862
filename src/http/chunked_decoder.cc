#include "http/chunked_decoder.h"

#include <algorithm>

namespace gateleg::http {
namespace {

// More digits would overflow 64 bits, or pad with zeros to no purpose.
constexpr int kMaxSizeDigits = 15;

int hex_value(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool is_text(char c) {
    return (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) || c == '\t';
}

}  // namespace

ChunkedDecoder::Event ChunkedDecoder::next(std::string_view& input, std::string_view& piece) {
    while (state_ != State::kEnd && state_ != State::kBad && !input.empty()) {
        if (state_ == State::kData) {
            piece = input.substr(0, std::min<std::uint64_t>(remaining_, input.size()));
            input.remove_prefix(piece.size());
            remaining_ -= piece.size();
            if (remaining_ == 0) {
                state_ = State::kDataCr;
            }
            return Event::kData;
        }
        state_ = step(input.front());
        input.remove_prefix(1);
    }
    if (state_ == State::kBad) {
        return Event::kBad;
    }
    return state_ == State::kEnd ? Event::kEnd : Event::kNeedMore;
}

ChunkedDecoder::State ChunkedDecoder::step_size(char c) {
    if (const int digit = hex_value(c); digit >= 0) {
        remaining_ = remaining_ * 16 + static_cast<std::uint64_t>(digit);
        return ++digits_ <= kMaxSizeDigits ? State::kSize : State::kBad;
    }
    if (state_ == State::kSizeFirst) {
        return State::kBad;
    }
    if (c == ';') {
        extension_bytes_ = 0;
        return State::kExtension;
    }
    return c == '\r' ? State::kSizeLf : State::kBad;
}

ChunkedDecoder::State ChunkedDecoder::step(char c) {
    switch (state_) {
        case State::kSizeFirst:
            remaining_ = 0;
            digits_ = 0;
            return step_size(c);
        case State::kSize:
            return step_size(c);
        case State::kExtension:
            if (c == '\r') {
                return State::kSizeLf;
            }
            return is_text(c) && ++extension_bytes_ <= kMaxExtensionBytes ? State::kExtension
                                                                          : State::kBad;
        case State::kSizeLf:
            if (c != '\n') {
                return State::kBad;
            }
            return remaining_ == 0 ? State::kTrailerFirst : State::kData;
        case State::kDataCr:
            return c == '\r' ? State::kDataLf : State::kBad;
        case State::kDataLf:
            return c == '\n' ? State::kSizeFirst : State::kBad;
        case State::kTrailerFirst:
            if (c == '\r') {
                return State::kEndLf;
            }
            // A blank would fold the line into the one before.
            return is_text(c) && c != ' ' && c != '\t' ? State::kTrailer : State::kBad;
        case State::kTrailer:
            if (c == '\r') {
                return State::kTrailerLf;
            }
            return is_text(c) && ++trailer_bytes_ <= kMaxTrailerBytes ? State::kTrailer
                                                                      : State::kBad;
        case State::kTrailerLf:
            return c == '\n' ? State::kTrailerFirst : State::kBad;
        case State::kEndLf:
            return c == '\n' ? State::kEnd : State::kBad;
        case State::kData:
        case State::kEnd:
        case State::kBad:
            break;
    }
    return state_;
}

}  // namespace gateleg::http

// Takes a chunked body apart (RFC 9112 section 7.1), strictly and without copying.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gateleg::http {

// One body; one thread at a time.
class ChunkedDecoder {
public:
    static constexpr std::size_t kMaxExtensionBytes = 256;
    static constexpr std::size_t kMaxTrailerBytes = 4096;

    enum class Event : std::uint8_t { kNeedMore, kData, kEnd, kBad };

    // Takes what it can from the front of `input`. With kData, `piece` is the next part of the
    // body, a view into the input; call again until kNeedMore. Trailers are checked and dropped.
    Event next(std::string_view& input, std::string_view& piece);

private:
    enum class State : std::uint8_t {
        kSizeFirst,
        kSize,
        kExtension,
        kSizeLf,
        kData,
        kDataCr,
        kDataLf,
        kTrailerFirst,
        kTrailer,
        kTrailerLf,
        kEndLf,
        kEnd,
        kBad,
    };
    State step(char c);
    State step_size(char c);

    State state_ = State::kSizeFirst;
    int digits_ = 0;
    std::uint64_t remaining_ = 0;
    std::size_t extension_bytes_ = 0;
    std::size_t trailer_bytes_ = 0;
};

}  // namespace gateleg::http

// Bodies in the aws-chunked form: chunks with or without signatures, and trailers behind them.
//
//     5;chunk-signature=HEX\r\nhello\r\n0;chunk-signature=HEX\r\n
//     x-amz-checksum-crc32:NhCmhg==\r\nx-amz-trailer-signature:HEX\r\n\r\n

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/s3_signature.h"
#include "base/result.h"

namespace gateleg::auth {

struct AwsChunkedOptions {
    bool signed_chunks = false;
    bool with_trailer = false;
    // The names that x-amz-trailer announces, lower case; each must come, and no other may.
    std::vector<std::string> trailers;
    // Without it signatures must have the right form and are not compared.
    std::optional<ChunkSigner> signer;
};

// One body, fed in pieces of any size. One thread at a time. Errors are those of s3_error.h; after
// one the decoder is of no more use.
class AwsChunkedDecoder {
public:
    explicit AwsChunkedDecoder(AwsChunkedOptions options);
    ~AwsChunkedDecoder();

    // Takes from the front of `input`. With a result that is not empty, those are the next bytes
    // of the body, a view into the input; call again until the input is used up. The bytes of a
    // chunk come before its signature is known to be right: keep them from sight until finish().
    Result<std::string_view> next(std::string_view& input);

    // The last byte is there: everything must be complete.
    Result<void> finish() const;

    const std::vector<std::pair<std::string, std::string>>& trailers() const { return trailers_; }

private:
    enum class State : std::uint8_t { kLine, kData, kDataEnd, kTrailer, kEnd };

    Result<void> take_line(std::string_view line);
    Result<void> begin_chunk(std::string_view line);
    Result<void> take_trailer(std::string_view line);
    Result<void> end_chunk();
    Result<void> end_trailers();
    Result<void> check_signature(std::string_view given, const std::string& text);

    struct Hasher;

    AwsChunkedOptions options_;
    State state_ = State::kLine;
    std::string line_;
    std::uint64_t left_ = 0;
    bool last_chunk_ = false;
    std::string chunk_signature_;
    std::string trailer_signature_;
    std::string previous_signature_;
    std::unique_ptr<Hasher> hasher_;
    std::vector<std::pair<std::string, std::string>> trailers_;
};

}  // namespace gateleg::auth

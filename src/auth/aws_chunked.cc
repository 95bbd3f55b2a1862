#include "auth/aws_chunked.h"

#include <algorithm>
#include <charconv>

#include <openssl/evp.h>

#include "auth/s3_error.h"
#include "base/check.h"

namespace gateleg::auth {
namespace {

// The longest line there is: a trailer with its name and a checksum, or a size with a signature.
constexpr std::size_t kMaxLineBytes = 512;
constexpr std::size_t kMaxTrailers = 8;
constexpr std::size_t kMaxSizeDigits = 15;
constexpr std::string_view kSignatureName = "chunk-signature=";
constexpr std::string_view kTrailerSignature = "x-amz-trailer-signature";

Error malformed(std::string_view why) {
    return s3_error(
        400, "IncompleteBody", "The aws-chunked body is malformed: " + std::string(why)
    );
}

Error malformed_trailer() {
    return s3_error(
        400,
        "MalformedTrailerError",
        "The request contained trailing data that was not well-formed or did not conform to our "
        "published schema."
    );
}

Error mismatch() {
    return s3_error(
        403,
        "SignatureDoesNotMatch",
        "The chunk signature we calculated does not match the signature you provided."
    );
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
        text.remove_prefix(1);
    }
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
        text.remove_suffix(1);
    }
    return text;
}

}  // namespace

struct AwsChunkedDecoder::Hasher {
    Hasher() : context(EVP_MD_CTX_new()) {
        GATELEG_CHECK(context != nullptr);
        begin();
    }
    ~Hasher() { EVP_MD_CTX_free(context); }
    Hasher(const Hasher&) = delete;
    Hasher& operator=(const Hasher&) = delete;

    void begin() { GATELEG_CHECK(EVP_DigestInit_ex(context, EVP_sha256(), nullptr) == 1); }
    void update(std::string_view bytes) {
        GATELEG_CHECK(EVP_DigestUpdate(context, bytes.data(), bytes.size()) == 1);
    }
    Sha256Digest finish() {
        Sha256Digest digest{};
        GATELEG_CHECK(EVP_DigestFinal_ex(context, digest.data(), nullptr) == 1);
        begin();
        return digest;
    }

    EVP_MD_CTX* context;
};

AwsChunkedDecoder::AwsChunkedDecoder(AwsChunkedOptions options) : options_(std::move(options)) {
    if (options_.signed_chunks && options_.signer) {
        hasher_ = std::make_unique<Hasher>();
        previous_signature_ = options_.signer->seed;
    }
}

AwsChunkedDecoder::~AwsChunkedDecoder() = default;

Result<std::string_view> AwsChunkedDecoder::next(std::string_view& input) {
    while (!input.empty()) {
        if (state_ == State::kEnd) {
            return malformed("there are bytes behind its end");
        }
        if (state_ == State::kData) {
            const auto piece = input.substr(0, std::min<std::uint64_t>(left_, input.size()));
            input.remove_prefix(piece.size());
            left_ -= piece.size();
            if (hasher_) {
                hasher_->update(piece);
            }
            if (left_ == 0) {
                state_ = State::kDataEnd;
            }
            return piece;
        }
        const auto feed = input.find('\n');
        const auto part = input.substr(0, feed);
        if (line_.size() + part.size() > kMaxLineBytes) {
            return malformed("a line is too long");
        }
        line_.append(part);
        input.remove_prefix(std::min(part.size() + 1, input.size()));
        if (feed == std::string_view::npos) {
            break;
        }
        if (!line_.ends_with('\r')) {
            return malformed("a line ends without CR LF");
        }
        line_.pop_back();
        GATELEG_TRY(take_line(line_));
        line_.clear();
    }
    return std::string_view();
}

Result<void> AwsChunkedDecoder::take_line(std::string_view line) {
    switch (state_) {
        case State::kLine:
            return begin_chunk(line);
        case State::kDataEnd:
            if (!line.empty()) {
                return malformed("a chunk is longer than its size");
            }
            state_ = State::kLine;
            return end_chunk();
        case State::kTrailer:
            return take_trailer(line);
        case State::kData:
        case State::kEnd:
            break;
    }
    return malformed("it has no end");
}

Result<void> AwsChunkedDecoder::begin_chunk(std::string_view line) {
    const auto semicolon = std::min(line.find(';'), line.size());
    const auto digits = line.substr(0, semicolon);
    const auto* end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, left_, 16);
    if (digits.empty() || digits.size() > kMaxSizeDigits || parsed.ec != std::errc() ||
        parsed.ptr != end) {
        return malformed("a chunk has no size");
    }
    auto extension = line.substr(semicolon);
    chunk_signature_.clear();
    if (options_.signed_chunks) {
        if (!extension.starts_with(';') || !extension.substr(1).starts_with(kSignatureName)) {
            return mismatch();
        }
        extension.remove_prefix(1 + kSignatureName.size());
        if (!parse_hex_digest(extension)) {
            return mismatch();
        }
        chunk_signature_ = extension;
    } else if (!extension.empty()) {
        return malformed("a chunk has an extension that was not announced");
    }
    last_chunk_ = left_ == 0;
    if (!last_chunk_) {
        state_ = State::kData;
        return {};
    }
    state_ = State::kTrailer;
    return end_chunk();
}

Result<void> AwsChunkedDecoder::end_chunk() {
    if (!hasher_) {
        return {};
    }
    std::string text = "AWS4-HMAC-SHA256-PAYLOAD\n";
    text.append(options_.signer->amz_date).append("\n").append(options_.signer->scope);
    text.append("\n").append(previous_signature_).append("\n");
    append_hex(text, sha256(""));
    text.push_back('\n');
    append_hex(text, hasher_->finish());
    return check_signature(chunk_signature_, text);
}

Result<void> AwsChunkedDecoder::check_signature(std::string_view given, const std::string& text) {
    const auto computed = options_.signer->key.sign(text);
    if (!equal_in_constant_time(computed, parse_hex_digest(given).value_or(Sha256Digest{}))) {
        return mismatch();
    }
    previous_signature_ = given;
    return {};
}

Result<void> AwsChunkedDecoder::take_trailer(std::string_view line) {
    if (line.empty()) {
        state_ = State::kEnd;
        return end_trailers();
    }
    const auto colon = line.find(':');
    if (!options_.with_trailer || colon == std::string_view::npos || colon == 0 ||
        trailers_.size() >= kMaxTrailers || line.find('\r') != std::string_view::npos) {
        return malformed_trailer();
    }
    std::string name(line.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    const auto value = trimmed(line.substr(colon + 1));
    if (options_.signed_chunks && name == kTrailerSignature) {
        if (!trailer_signature_.empty() || value.empty()) {
            return malformed_trailer();
        }
        trailer_signature_ = value;
        return {};
    }
    const auto& announced = options_.trailers;
    const bool again = std::any_of(trailers_.begin(), trailers_.end(), [&](const auto& known) {
        return known.first == name;
    });
    if (again || !trailer_signature_.empty() ||
        std::find(announced.begin(), announced.end(), name) == announced.end()) {
        return malformed_trailer();
    }
    trailers_.emplace_back(std::move(name), value);
    return {};
}

Result<void> AwsChunkedDecoder::end_trailers() {
    if (!options_.with_trailer) {
        return {};
    }
    if (trailers_.size() != options_.trailers.size()) {
        return malformed_trailer();
    }
    if (!options_.signed_chunks) {
        return {};
    }
    if (!parse_hex_digest(trailer_signature_)) {
        return mismatch();
    }
    if (!options_.signer) {
        return {};
    }
    std::string canonical;
    for (const auto& [name, value] : trailers_) {
        canonical.append(name).append(":").append(value).append("\n");
    }
    std::string text = "AWS4-HMAC-SHA256-TRAILER\n";
    text.append(options_.signer->amz_date).append("\n").append(options_.signer->scope);
    text.append("\n").append(previous_signature_).append("\n");
    append_hex(text, sha256(canonical));
    return check_signature(trailer_signature_, text);
}

Result<void> AwsChunkedDecoder::finish() const {
    if (state_ != State::kEnd) {
        return s3_error(
            400,
            "IncompleteBody",
            "The request body terminated unexpectedly: the final chunk is missing"
        );
    }
    return {};
}

}  // namespace gateleg::auth

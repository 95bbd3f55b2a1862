#include "api/s3/body.h"

#include <algorithm>
#include <charconv>

#include "base/base64.h"
#include "objects/errors.h"

namespace gateleg::api::s3 {
namespace {

using objects::ChecksumAlgorithm;
using objects::Reason;

bool is_chunked_form(auth::PayloadForm form) {
    return form != auth::PayloadForm::kHashed && form != auth::PayloadForm::kUnsigned;
}

std::optional<ChecksumAlgorithm> algorithm_of_header(std::string_view name) {
    for (const auto algorithm : objects::kChecksumAlgorithms) {
        if (name == objects::header_name(algorithm)) {
            return algorithm;
        }
    }
    return std::nullopt;
}

// The names of x-amz-trailer, lower case.
std::vector<std::string> announced_trailers(const Call& call) {
    std::vector<std::string> names;
    std::string name;
    for (const char c : call.header("x-amz-trailer") + ",") {
        if (c == ',') {
            if (!name.empty()) {
                names.push_back(std::move(name));
            }
            name.clear();
        } else if (c != ' ' && c != '\t') {
            name.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c);
        }
    }
    return names;
}

void add_algorithm(std::vector<ChecksumAlgorithm>& list, ChecksumAlgorithm algorithm) {
    if (std::find(list.begin(), list.end(), algorithm) == list.end()) {
        list.push_back(algorithm);
    }
}

Result<std::optional<std::uint64_t>> read_length(const Call& call) {
    const auto missing = auth::s3_error(
        411, "MissingContentLength", "You must provide the Content-Length HTTP header."
    );
    if (!call.head().content_length() && !call.head().chunked()) {
        return missing;
    }
    if (!is_chunked_form(call.signature.payload)) {
        const auto length = call.head().content_length();
        return length ? std::optional<std::uint64_t>(*length) : std::nullopt;
    }
    const auto text = call.header("x-amz-decoded-content-length");
    if (text.empty()) {
        return missing;
    }
    std::uint64_t length = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, length);
    if (parsed.ec != std::errc() || parsed.ptr != end) {
        return invalid_argument("x-amz-decoded-content-length is not a number");
    }
    return std::optional(length);
}

}  // namespace

Result<BodyPromises> read_promises(const Call& call) {
    BodyPromises promises;
    GATELEG_TRY_ASSIGN(promises.bytes, read_length(call));
    if (const auto md5 = call.head().find("content-md5")) {
        promises.content_md5 = std::string(*md5);
    }
    promises.payload_sha256 = call.signature.payload_sha256;
    GATELEG_TRY_ASSIGN(auto checksum, read_checksum(call.head()));
    if (checksum) {
        if (!objects::is_digest_text(checksum->algorithm, checksum->value)) {
            return invalid_request(
                "Value for " + std::string(objects::header_name(checksum->algorithm)) +
                " header is invalid."
            );
        }
        promises.algorithms.push_back(checksum->algorithm);
        promises.checksums.push_back(*std::move(checksum));
    }
    for (const auto& name : announced_trailers(call)) {
        const auto algorithm = algorithm_of_header(name);
        if (!algorithm) {
            return invalid_request(
                "The value specified in the x-amz-trailer header is not supported"
            );
        }
        add_algorithm(promises.algorithms, *algorithm);
    }
    // SDKs put the checksum of an empty body into a presigned URL, since they have no other one
    // yet: it is not asked for. Which algorithm is wanted still counts.
    auto wanted = call.header("x-amz-sdk-checksum-algorithm");
    if (wanted.empty()) {
        wanted = call.target.query.get("x-amz-sdk-checksum-algorithm");
    }
    GATELEG_TRY_ASSIGN(const auto algorithm, read_algorithm(wanted));
    if (algorithm) {
        add_algorithm(promises.algorithms, *algorithm);
    }
    return promises;
}

Result<BodyDecoder> BodyDecoder::make(const Call& call) {
    BodyDecoder decoder;
    const auto form = call.signature.payload;
    if (!is_chunked_form(form)) {
        return decoder;
    }
    auth::AwsChunkedOptions options;
    options.signed_chunks = form != auth::PayloadForm::kUnsignedChunksTrailer;
    options.with_trailer = form != auth::PayloadForm::kSignedChunks;
    options.trailers = announced_trailers(call);
    options.signer = call.signature.chunks;
    decoder.chunks_ = std::make_unique<auth::AwsChunkedDecoder>(std::move(options));
    return decoder;
}

Result<std::string_view> BodyDecoder::next(std::string_view& input) {
    if (chunks_) {
        return chunks_->next(input);
    }
    const auto piece = input;
    input = {};
    return piece;
}

Result<std::vector<objects::Checksum>> BodyDecoder::finish() const {
    std::vector<objects::Checksum> checksums;
    if (!chunks_) {
        return checksums;
    }
    GATELEG_TRY(chunks_->finish());
    for (const auto& [name, value] : chunks_->trailers()) {
        const auto algorithm = algorithm_of_header(name);
        if (!algorithm || !objects::is_digest_text(*algorithm, value)) {
            return invalid_request("Value for " + name + " trailing header is invalid.");
        }
        checksums.push_back({*algorithm, objects::ChecksumType::kFullObject, value});
    }
    return checksums;
}

Result<void> check_promises(
    std::string_view body,
    const BodyPromises& promises,
    const std::vector<objects::Checksum>& trailers
) {
    if (promises.bytes && *promises.bytes != body.size()) {
        return objects::object_error(Reason::kIncompleteBody);
    }
    if (promises.payload_sha256 && sha256(body) != *promises.payload_sha256) {
        return objects::object_error(Reason::kPayloadMismatch);
    }
    if (promises.content_md5 && encode_base64(objects::md5_of(body)) != *promises.content_md5) {
        return objects::object_error(Reason::kBadDigest);
    }
    for (const auto* list : {&promises.checksums, &trailers}) {
        for (const auto& checksum : *list) {
            if (encode_base64(objects::digest_of(checksum.algorithm, body)) != checksum.value) {
                return objects::object_error(Reason::kBadDigest);
            }
        }
    }
    return {};
}

}  // namespace gateleg::api::s3

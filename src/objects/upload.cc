#include "objects/upload.h"

#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "objects/errors.h"
#include "objects/internal/body_writer.h"

namespace gateleg::objects {

namespace internal {

namespace {

constexpr std::size_t kMd5Bytes = 16;

}  // namespace

BodyWriter::BodyWriter(std::unique_ptr<BodyFile> file, UploadOptions options)
    : file_(std::move(file)), options_(std::move(options)), md5_(make_md5()) {
    for (const auto algorithm : options_.checksums) {
        digesters_.push_back(make_digester(algorithm));
    }
    if (options_.payload_sha256) {
        payload_ = make_digester(ChecksumAlgorithm::kSha256);
    }
}

Result<void> BodyWriter::append(std::string_view bytes) {
    const auto total = file_->size() + bytes.size();
    if (total > options_.max_bytes || total > options_.expected_bytes.value_or(total)) {
        return object_error(Reason::kEntityTooLarge);
    }
    md5_->update(bytes);
    for (const auto& digester : digesters_) {
        digester->update(bytes);
    }
    if (payload_) {
        payload_->update(bytes);
    }
    return file_->append(bytes);
}

Result<void> BodyWriter::check(const FinishUpload& finish) {
    if (options_.expected_bytes && file_->size() != *options_.expected_bytes) {
        return object_error(Reason::kIncompleteBody);
    }
    md5_digest_ = md5_->finish();
    for (const auto& digester : digesters_) {
        digests_.push_back(digester->finish());
    }
    if (finish.payload_sha256) {
        const std::string expected(finish.payload_sha256->begin(), finish.payload_sha256->end());
        if (!payload_ || payload_->finish() != expected) {
            return object_error(Reason::kPayloadMismatch);
        }
    }
    if (finish.content_md5) {
        std::string expected;
        if (!append_decoded_base64(expected, *finish.content_md5) || expected.size() != kMd5Bytes) {
            return object_error(Reason::kInvalidDigest);
        }
        if (expected != md5_digest_) {
            return object_error(Reason::kBadDigest);
        }
    }
    for (const auto& checksum : finish.checksums) {
        if (!is_digest_text(checksum.algorithm, checksum.value)) {
            return object_error(
                Reason::kInvalidRequest,
                "Value for " + std::string(header_name(checksum.algorithm)) + " header is invalid."
            );
        }
        const auto found =
            std::find(options_.checksums.begin(), options_.checksums.end(), checksum.algorithm);
        if (found == options_.checksums.end()) {
            return object_error(Reason::kInvalidRequest, "A checksum was not announced.");
        }
        const auto& digest = digests_[static_cast<std::size_t>(found - options_.checksums.begin())];
        if (encode_base64(digest) != checksum.value) {
            return object_error(
                Reason::kBadDigest,
                "The " + std::string(to_text(checksum.algorithm)) +
                    " you specified did not match the calculated checksum."
            );
        }
    }
    return {};
}

Result<SealedBody> BodyWriter::seal(const FinishUpload& finish) {
    GATELEG_TRY(check(finish));
    GATELEG_TRY(file_->seal());
    std::optional<Checksum> kept;
    if (!digests_.empty()) {
        kept = Checksum{
            options_.checksums.front(), ChecksumType::kFullObject, encode_base64(digests_.front())};
    }
    return SealedBody{
        {file_->flight().name(), file_->size()}, md5_digest_, std::move(kept), file_->flight()};
}

}  // namespace internal

Upload::Upload(
    std::unique_ptr<internal::BodyWriter> writer, std::unique_ptr<internal::UploadTarget> target
)
    : writer_(std::move(writer)), target_(std::move(target)) {}
Upload::~Upload() = default;
Upload::Upload(Upload&&) noexcept = default;
Upload& Upload::operator=(Upload&&) noexcept = default;

Result<void> Upload::append(std::string_view bytes) {
    if (!writer_) {
        return failed_.value_or(object_error(Reason::kInvalidRequest, "The upload is over."));
    }
    auto result = writer_->append(bytes);
    if (!result) {
        failed_ = result.error();
        abandon();
    }
    return result;
}

std::uint64_t Upload::bytes() const {
    return writer_ ? writer_->bytes() : 0;
}

Result<Written> Upload::finish(const FinishUpload& finish) {
    if (!writer_) {
        return failed_.value_or(object_error(Reason::kInvalidRequest, "The upload is over."));
    }
    const auto writer = std::exchange(writer_, nullptr);
    const auto target = std::exchange(target_, nullptr);
    GATELEG_TRY(target->check(finish));
    GATELEG_TRY_ASSIGN(auto body, writer->seal(finish));
    return target->commit(body, finish);
}

void Upload::abandon() {
    writer_.reset();
    target_.reset();
}

}  // namespace gateleg::objects

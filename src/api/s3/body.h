// The body of a request: taken out of its aws-chunked form, and what was promised about it.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/s3/call.h"
#include "auth/aws_chunked.h"
#include "base/result.h"
#include "objects/checksum.h"

namespace gateleg::api::s3 {

struct BodyPromises {
    std::optional<std::string> content_md5;
    std::vector<objects::Checksum> checksums;  // from the head
    // Those of `checksums`, of announced trailers, and of x-amz-sdk-checksum-algorithm.
    std::vector<objects::ChecksumAlgorithm> algorithms;
    std::optional<Sha256Digest> payload_sha256;
    // What is left once the form of its transport is taken off; absent if the client did not say.
    std::optional<std::uint64_t> bytes;
};

// 411 MissingContentLength if nothing tells where the body ends.
Result<BodyPromises> read_promises(const Call& call);

// One body; one thread at a time.
class BodyDecoder {
public:
    static Result<BodyDecoder> make(const Call& call);

    // Takes from the front of `input`; the result is the next piece of the body. Call again until
    // the input is used up.
    Result<std::string_view> next(std::string_view& input);
    // After the last byte: the checksums that came as trailers.
    Result<std::vector<objects::Checksum>> finish() const;

private:
    std::unique_ptr<auth::AwsChunkedDecoder> chunks_;  // null: the body travels as it is
};

// Everything promised of a body that is at hand.
Result<void> check_promises(
    std::string_view body,
    const BodyPromises& promises,
    const std::vector<objects::Checksum>& trailers
);

}  // namespace gateleg::api::s3

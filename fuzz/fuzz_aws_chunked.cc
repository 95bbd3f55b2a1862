#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "auth/aws_chunked.h"
#include "auth/signing_key.h"

namespace {

using gateleg::auth::AwsChunkedDecoder;
using gateleg::auth::AwsChunkedOptions;

AwsChunkedOptions options_of(unsigned form) {
    AwsChunkedOptions options;
    options.signed_chunks = (form & 1) != 0;
    options.with_trailer = (form & 2) != 0;
    if (options.with_trailer) {
        options.trailers = {"x-amz-checksum-crc32"};
    }
    if ((form & 4) != 0) {
        options.signer = gateleg::auth::ChunkSigner{
            gateleg::auth::derive_signing_key("secret", {"20130524", "us-east-1", "s3"}),
            "20130524T000000Z",
            "20130524/us-east-1/s3/aws4_request",
            std::string(64, '0')};
    }
    return options;
}

// The body and how it ended, as one text.
std::string decode(std::string_view bytes, unsigned form, std::size_t at_once) {
    AwsChunkedDecoder decoder(options_of(form));
    std::string out;
    for (std::size_t at = 0; at < bytes.size(); at += at_once) {
        auto input = bytes.substr(at, at_once);
        while (!input.empty()) {
            const auto before = input.size();
            const auto piece = decoder.next(input);
            if (!piece) {
                return "bad";
            }
            if (input.size() >= before) {
                std::abort();
            }
            out.append(*piece);
        }
    }
    if (!decoder.finish()) {
        return "bad";
    }
    for (const auto& [name, value] : decoder.trailers()) {
        out.append("|").append(name).append("=").append(value);
    }
    return out;
}

}  // namespace

// The first byte chooses the form; the rest must mean the same however it is cut up.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto whole = decode(body, data[0], size);
    if (decode(body, data[0], 1) != whole || decode(body, data[0], 7) != whole) {
        std::abort();
    }
    return 0;
}

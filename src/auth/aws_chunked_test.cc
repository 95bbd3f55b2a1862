#include "auth/aws_chunked.h"

#include <string>

#include <gtest/gtest.h>

#include "auth/s3_error.h"
#include "auth/signing_key.h"

namespace gateleg::auth {
namespace {

// The seed and signatures of the example in Amazon's description of chunked uploads.
ChunkSigner example_signer() {
    return {
        derive_signing_key(
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", {"20130524", "us-east-1", "s3"}
        ),
        "20130524T000000Z",
        "20130524/us-east-1/s3/aws4_request",
        "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9"};
}

std::string example_body() {
    return "10000;chunk-signature="
           "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n" +
           std::string(65536, 'a') +
           "\r\n400;chunk-signature="
           "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497\r\n" +
           std::string(1024, 'a') +
           "\r\n0;chunk-signature="
           "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n\r\n";
}

AwsChunkedOptions signed_options() {
    AwsChunkedOptions options;
    options.signed_chunks = true;
    options.signer = example_signer();
    return options;
}

AwsChunkedOptions trailer_options() {
    AwsChunkedOptions options;
    options.with_trailer = true;
    options.trailers = {"x-amz-checksum-crc32"};
    return options;
}

// "ok BODY" or the error's code.
std::string decode(std::string_view body, const AwsChunkedOptions& options, std::size_t at_once) {
    AwsChunkedDecoder decoder(options);
    std::string out = "ok ";
    const auto code = [](const Error& error) { return s3_detail(error)->code; };
    for (std::size_t at = 0; at < body.size(); at += at_once) {
        auto input = body.substr(at, at_once);
        while (!input.empty()) {
            const auto piece = decoder.next(input);
            if (!piece) {
                return code(piece.error());
            }
            out.append(*piece);
        }
    }
    if (const auto done = decoder.finish(); !done) {
        return code(done.error());
    }
    for (const auto& [name, value] : decoder.trailers()) {
        out.append("|").append(name).append("=").append(value);
    }
    return out;
}

TEST(AwsChunkedTest, SignedExampleIsDecodedInAnySplit) {
    const auto wanted = "ok " + std::string(66560, 'a');
    for (const std::size_t at_once : {1, 7, 4096, 1'000'000}) {
        EXPECT_TRUE(decode(example_body(), signed_options(), at_once) == wanted) << at_once;
    }
}

TEST(AwsChunkedTest, EveryChangeOfASignedBodyIsSeen) {
    const auto good = example_body();
    const auto change = [&](std::size_t at) {
        auto bad = good;
        bad[at] = bad[at] == 'b' ? 'c' : 'b';
        return decode(bad, signed_options(), 1000);
    };
    EXPECT_EQ(change(30), "SignatureDoesNotMatch");
    EXPECT_EQ(change(200), "SignatureDoesNotMatch");
    EXPECT_EQ(change(good.size() - 10), "SignatureDoesNotMatch");
    EXPECT_EQ(decode(good.substr(0, good.size() - 88), signed_options(), 1000), "IncompleteBody");
    EXPECT_EQ(decode(good.substr(0, 66'000), signed_options(), 1000), "IncompleteBody");
    EXPECT_EQ(decode(good + "x", signed_options(), 1000), "IncompleteBody");
    EXPECT_EQ(decode("5\r\nhello\r\n0\r\n\r\n", signed_options(), 1000), "SignatureDoesNotMatch");
}

TEST(AwsChunkedTest, UnsignedChunksWithTheirTrailer) {
    const std::string good = "5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n";
    EXPECT_EQ(decode(good, trailer_options(), 3), "ok hello|x-amz-checksum-crc32=NhCmhg==");
    EXPECT_EQ(decode("5\r\nhello\r\n0\r\n\r\n", trailer_options(), 100), "MalformedTrailerError");
    EXPECT_EQ(
        decode("0\r\nx-amz-checksum-sha1:a\r\n\r\n", trailer_options(), 100),
        "MalformedTrailerError"
    );
    EXPECT_EQ(
        decode(
            "0\r\nx-amz-checksum-crc32:a\r\nX-Amz-Checksum-CRC32:b\r\n\r\n", trailer_options(), 100
        ),
        "MalformedTrailerError"
    );
    EXPECT_EQ(decode("6\r\nhello\r\n0\r\n", trailer_options(), 100), "IncompleteBody");
    EXPECT_EQ(decode("4\r\nhello\r\n0\r\n", trailer_options(), 100), "IncompleteBody");
    EXPECT_EQ(decode("5;a=b\r\nhello\r\n", trailer_options(), 100), "IncompleteBody");
    EXPECT_EQ(decode("\r\n", trailer_options(), 100), "IncompleteBody");
    EXPECT_EQ(decode("-5\r\n", trailer_options(), 100), "IncompleteBody");
    EXPECT_EQ(decode(std::string(20, 'f') + "\r\n", trailer_options(), 100), "IncompleteBody");
    EXPECT_EQ(decode(std::string(5000, '0'), trailer_options(), 100), "IncompleteBody");
}

TEST(AwsChunkedTest, SignedTrailerCoversTheChunksBefore) {
    // The example of Amazon's description of trailers.
    AwsChunkedOptions options;
    options.signed_chunks = options.with_trailer = true;
    options.trailers = {"x-amz-checksum-crc32c"};
    options.signer = example_signer();
    options.signer->seed = "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e";
    const std::string body =
        "10000;chunk-signature=b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2"
        "\r\n" +
        std::string(65536, 'a') +
        "\r\n400;chunk-signature="
        "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7\r\n" +
        std::string(1024, 'a') +
        "\r\n0;chunk-signature="
        "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n"
        "x-amz-checksum-crc32c:sOO8/Q==\r\n"
        "x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435"
        "\r\n\r\n";
    EXPECT_TRUE(
        decode(body, options, 999) ==
        "ok " + std::string(66560, 'a') + "|x-amz-checksum-crc32c=sOO8/Q=="
    );
    auto changed = body;
    changed.replace(changed.find("sOO8"), 4, "sOO9");
    EXPECT_EQ(decode(changed, options, 999), "SignatureDoesNotMatch");
    auto unsigned_trailer = body.substr(0, body.find("x-amz-trailer-signature")) + "\r\n";
    EXPECT_EQ(decode(unsigned_trailer, options, 999), "SignatureDoesNotMatch");
}

}  // namespace
}  // namespace gateleg::auth

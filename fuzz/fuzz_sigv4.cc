// Requests from bytes: method, target and headers a line each, an empty line, the body.
//
// Two properties: nobody gets in without the secret, and what the client side signs the server
// side accepts.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "auth/sigv4.h"

namespace {

using gateleg::auth::Credentials;
using gateleg::auth::HeaderField;
using gateleg::auth::SignedRequest;

constexpr std::int64_t kNow = 1440938160;  // 20150830T123600Z

const Credentials& credentials() {
    static const auto loaded = Credentials::parse(
        "[fuzz]\naws_access_key_id=AKIDEXAMPLE\naws_secret_access_key=not-in-the-corpus", "fuzz"
    );
    return *loaded;
}

std::string_view take_line(std::string_view& rest) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() < rest.size() ? line.size() + 1 : rest.size());
    return line;
}

SignedRequest request_from(std::string_view bytes) {
    SignedRequest request;
    request.method = take_line(bytes);
    request.target = take_line(bytes);
    for (auto line = take_line(bytes); !line.empty(); line = take_line(bytes)) {
        const auto colon = line.find(':');
        if (colon != std::string_view::npos) {
            request.headers.push_back({line.substr(0, colon), line.substr(colon + 1)});
        }
    }
    request.body = bytes;
    return request;
}

// True if HTTP lets the name through and it is not one that verifying treats on its own.
bool is_plain_name(std::string_view name) {
    constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-";
    std::string lower(name);
    for (auto& c : lower) {
        c = static_cast<char>(c | 0x20);
    }
    return !name.empty() && name.find_first_not_of(kAllowed) == name.npos &&
           lower != "authorization" && lower != "x-amz-date" && lower != "x-amz-security-token";
}

void expect_signed_request_is_accepted(SignedRequest request) {
    std::erase_if(request.headers, [](const HeaderField& header) {
        return !is_plain_name(header.name);
    });
    request.target = request.target.substr(0, request.target.find('?'));
    if (!request.target.starts_with('/')) {
        request.target = "/";
    }
    request.headers.push_back({"host", "localhost"});
    const auto made = gateleg::auth::sign_sigv4(
        request, "AKIDEXAMPLE", "not-in-the-corpus", "us-east-1", "dynamodb", kNow
    );
    request.headers.push_back({"x-amz-date", made.amz_date});
    request.headers.push_back({"authorization", made.authorization});
    if (!verify_sigv4(request, credentials(), {.now_seconds = kNow})) {
        std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto request = request_from(bytes);
    for (const auto* service : {"dynamodb", "s3"}) {
        if (verify_sigv4(request, credentials(), {.service = service, .now_seconds = kNow})) {
            std::abort();
        }
    }
    expect_signed_request_is_accepted(request);
    static_cast<void>(Credentials::parse(bytes, "fuzz"));
    return 0;
}

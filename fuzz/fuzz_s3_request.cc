#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/s3/operations.h"
#include "api/s3/target.h"
#include "api/s3/xml.h"
#include "auth/credentials.h"
#include "auth/s3_signature.h"
#include "http/request_parser.h"

namespace {

namespace s3 = gateleg::api::s3;

void write(s3::XmlWriter& writer, const s3::XmlNode& node) {
    writer.element("t", node.text);
    for (const auto& child : node.children) {
        write(writer, child);
    }
}

// What was read can be written, and what was written can be read.
void check_xml(std::string_view text) {
    const auto root = s3::parse_xml(text);
    if (!root) {
        return;
    }
    s3::XmlWriter writer("a");
    write(writer, *root);
    const auto again = s3::parse_xml(std::move(writer).finish());
    if (again && again->text_of("t") != root->text) {
        std::abort();
    }
}

// With a list of keys only those on it come in, and the corpus has requests that one of them
// signed. A signature that is not theirs opens nothing.
void check_known(const gateleg::auth::SignedRequest& request, gateleg::auth::S3Policy policy) {
    static const gateleg::auth::Credentials kKnown({
        {.profile = "known",
         .access_key_id = "AKIDKNOWN",
         .secret_access_key = "a secret that the corpus knows"},
        {.profile = "unknown",
         .access_key_id = "AKIDUNKNOWN",
         .secret_access_key = "a secret that no input knows"},
    });
    policy.credentials = &kKnown;
    const auto verified = gateleg::auth::verify_s3(request, policy);
    if (verified && verified->identity.access_key_id != "AKIDKNOWN") {
        std::abort();
    }
    policy.allow_anonymous = true;
    const auto anybody = gateleg::auth::verify_s3(request, policy);
    if (anybody && !anybody->anonymous && anybody->identity.access_key_id != "AKIDKNOWN") {
        std::abort();
    }
}

void check_request(std::string_view bytes) {
    gateleg::http::RequestHead head;
    gateleg::http::RequestParser parser;
    if (parser.feed(bytes, head) != gateleg::http::RequestParser::State::kComplete) {
        return;
    }
    const auto target = s3::read_target(head, {.hosts = {"s3.example.com"}, .origins = {}});
    if (target) {
        static_cast<void>(s3::find_operation(head, *target));
        if (s3::decode(s3::encode(target->key, true)) != target->key) {
            std::abort();
        }
    }
    static_cast<void>(s3::read_copy_source(head.find("x-amz-copy-source").value_or("")));
    gateleg::auth::SignedRequest request{
        .method = head.method(), .target = head.target(), .headers = {}, .body = {}};
    for (const auto& header : head.headers()) {
        request.headers.push_back({header.name, header.value});
    }
    gateleg::auth::S3Policy policy;
    policy.own = {"GATELEGOWN", "a secret that no input knows"};
    policy.real_seconds = policy.now_seconds = 1369353600;
    const auto verified = gateleg::auth::verify_s3(request, policy);
    if (verified && verified->identity.access_key_id == policy.own.access_key_id) {
        std::abort();
    }
    check_known(request, policy);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    bytes.starts_with('<') ? check_xml(bytes) : check_request(bytes);
    return 0;
}

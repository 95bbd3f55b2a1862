#include "objects/presign.h"

#include <algorithm>
#include <utility>

#include "auth/amz_date.h"
#include "auth/canonical_request.h"
#include "auth/signing_key.h"
#include "base/sha256.h"

namespace gateleg::objects {

namespace {

constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";
constexpr std::string_view kService = "s3";

std::string encode_but(std::string_view text, std::string_view kept) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || kept.find(c) != std::string_view::npos;
        if (plain) {
            out += c;
        } else {
            out += '%';
            out += kDigits[byte >> 4];
            out += kDigits[byte & 15];
        }
    }
    return out;
}

std::string_view host_of(std::string_view base_url) {
    const auto scheme = base_url.find("://");
    return scheme == std::string_view::npos ? base_url : base_url.substr(scheme + 3);
}

}  // namespace

std::string encode_key_path(std::string_view key) {
    return encode_but(key, "-._~/");
}

std::string encode_query_text(std::string_view text) {
    return encode_but(text, "-._~");
}

std::string presign_url(const PresignUrl& request) {
    const auto date = auth::render_amz_date(request.now_seconds);
    const auto day = date.substr(0, 8);
    const auth::SigningScope scope{day, request.region, kService};

    std::vector<auth::HeaderField> headers = {{"host", host_of(request.base_url)}};
    for (const auto& [name, value] : request.headers) {
        headers.push_back({name, value});
    }
    std::vector<std::string_view> names;
    for (const auto& header : headers) {
        names.push_back(header.name);
    }
    std::sort(names.begin(), names.end());
    std::string joined;
    for (const auto name : names) {
        joined += joined.empty() ? "" : ";";
        joined += name;
    }

    auto query = request.query;
    query.emplace_back("X-Amz-Algorithm", auth::kAlgorithm);
    query.emplace_back("X-Amz-Credential", request.access_key_id + "/" + auth::render_scope(scope));
    query.emplace_back("X-Amz-Date", date);
    query.emplace_back("X-Amz-Expires", std::to_string(request.expires_seconds));
    query.emplace_back("X-Amz-SignedHeaders", joined);
    if (!request.session_token.empty()) {
        query.emplace_back("X-Amz-Security-Token", request.session_token);
    }
    auto target = request.path;
    char separator = '?';
    for (const auto& [name, value] : query) {
        target += std::exchange(separator, '&');
        target += encode_query_text(name) + "=" + encode_query_text(value);
    }
    const auto canonical = auth::canonical_request(
        {request.method, target, headers, {}}, names, kUnsignedPayload, auth::PathForm::kLiteral
    );
    const auto key = auth::derive_signing_key(request.secret_access_key, scope);
    const auto signature = to_hex(key.sign(auth::string_to_sign(date, scope, canonical)));
    return request.base_url + target + "&X-Amz-Signature=" + signature;
}

}  // namespace gateleg::objects

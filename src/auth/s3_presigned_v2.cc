#include "auth/s3_presigned_v2.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "auth/s3_error.h"
#include "base/base64.h"

namespace gateleg::auth {
namespace {

constexpr std::string_view kAmzPrefix = "x-amz-";
constexpr std::string_view kSecurityToken = "x-amz-security-token";

// Parameters that change what is asked for, and so are part of what is signed.
constexpr std::array<std::string_view, 26> kSubresources = {
    "accelerate", "acl",      "analytics",   "cors",           "delete",       "inventory",
    "lifecycle",  "location", "logging",     "metrics",        "notification", "object-lock",
    "partNumber", "policy",   "replication", "requestPayment", "restore",      "select",
    "tagging",    "torrent",  "uploadId",    "uploads",        "versionId",    "versioning",
    "versions",   "website",
};

bool is_subresource(std::string_view name) {
    return name.starts_with("response-") ||
           std::find(kSubresources.begin(), kSubresources.end(), name) != kSubresources.end();
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return lower;
}

int hex_value(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string decoded(std::string_view text) {
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape = text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
                            hex_value(text[i + 2]) >= 0;
        if (escape) {
            bytes.push_back(static_cast<char>(hex_value(text[i + 1]) << 4 | hex_value(text[i + 2]))
            );
            i += 2;
        } else {
            bytes.push_back(text[i] == '+' ? ' ' : text[i]);
        }
    }
    return bytes;
}

struct Parameter {
    std::string name;
    std::optional<std::string> value;  // nothing: no '=' was sent
};

std::vector<Parameter> parameters_of(std::string_view target) {
    std::vector<Parameter> found;
    const auto question = target.find('?');
    if (question == std::string_view::npos) {
        return found;
    }
    std::string_view rest = target.substr(question + 1);
    while (!rest.empty()) {
        const auto end = std::min(rest.find('&'), rest.size());
        const auto one = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const auto equals = one.find('=');
        auto& parameter = found.emplace_back(Parameter{decoded(one.substr(0, equals)), {}});
        if (equals != std::string_view::npos) {
            parameter.value = decoded(one.substr(equals + 1));
        }
    }
    return found;
}

// The one value of a parameter; nothing if it is not there or there twice.
std::optional<std::string> single(const std::vector<Parameter>& parameters, std::string_view name) {
    std::optional<std::string> value;
    for (const auto& parameter : parameters) {
        if (parameter.name == name) {
            if (value) {
                return std::nullopt;
            }
            value = parameter.value.value_or("");
        }
    }
    return value;
}

// Client libraries put signed headers into the query as well; sent as a header it counts.
std::string header_or_parameter(
    const SignedRequest& request,
    const std::vector<Parameter>& parameters,
    std::string_view lower_name
) {
    if (const auto header = find_header(request.headers, lower_name)) {
        return std::string(*header);
    }
    for (const auto& parameter : parameters) {
        if (lower_case(parameter.name) == lower_name) {
            return parameter.value.value_or("");
        }
    }
    return {};
}

std::string amz_headers(const SignedRequest& request, const std::vector<Parameter>& parameters) {
    std::map<std::string, std::string> values;
    for (const auto& header : request.headers) {
        auto name = lower_case(header.name);
        if (name.starts_with(kAmzPrefix)) {
            auto& value = values[std::move(name)];
            value.append(value.empty() ? "" : ",").append(header.value);
        }
    }
    for (const auto& parameter : parameters) {
        auto name = lower_case(parameter.name);
        if (name.starts_with(kAmzPrefix)) {
            values.emplace(std::move(name), parameter.value.value_or(""));
        }
    }
    std::string text;
    for (const auto& [name, value] : values) {
        text.append(name).append(":").append(value).append("\n");
    }
    return text;
}

std::string resource(
    std::string_view target, std::vector<Parameter> parameters, std::string_view host_bucket
) {
    std::string text;
    if (!host_bucket.empty()) {
        text.append("/").append(host_bucket);
    }
    text.append(target.substr(0, target.find('?')));
    std::erase_if(parameters, [](const Parameter& one) { return !is_subresource(one.name); });
    std::stable_sort(parameters.begin(), parameters.end(), [](const auto& a, const auto& b) {
        return a.name < b.name;
    });
    char between = '?';
    for (const auto& parameter : parameters) {
        text.push_back(std::exchange(between, '&'));
        text.append(parameter.name);
        if (parameter.value) {
            text.append("=").append(*parameter.value);
        }
    }
    return text;
}

Error access_denied(std::string message) {
    return s3_error(403, "AccessDenied", std::move(message));
}

Result<void> check_expires(std::string_view expires, std::int64_t now_seconds) {
    std::int64_t seconds = 0;
    const auto* end = expires.data() + expires.size();
    const auto [last, status] = std::from_chars(expires.data(), end, seconds);
    if (status != std::errc() || last != end || seconds < 0) {
        return access_denied(
            "Invalid date (should be seconds since epoch): " + std::string(expires)
        );
    }
    if (now_seconds > seconds) {
        return access_denied("Request has expired");
    }
    return {};
}

// The text separates its parts by line feeds, so none may hide inside a part.
bool holds_line_feed(const SignedRequest& request, const std::vector<Parameter>& parameters) {
    const auto in = [](std::string_view text) { return text.find('\n') != std::string_view::npos; };
    return in(request.method) ||
           std::any_of(
               request.headers.begin(),
               request.headers.end(),
               [&](const auto& header) { return in(header.value); }
           ) ||
           std::any_of(parameters.begin(), parameters.end(), [&](const auto& parameter) {
               return in(parameter.name) || in(parameter.value.value_or(""));
           });
}

}  // namespace

std::string string_to_sign_v2(
    const SignedRequest& request, std::string_view expires, std::string_view host_bucket
) {
    const auto parameters = parameters_of(request.target);
    std::string text(request.method);
    for (const auto* const name : {"content-md5", "content-type"}) {
        text.append("\n").append(header_or_parameter(request, parameters, name));
    }
    text.append("\n").append(expires).append("\n");
    text.append(amz_headers(request, parameters));
    text.append(resource(request.target, parameters, host_bucket));
    return text;
}

std::string sign_v2(std::string_view secret_access_key, std::string_view text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    HMAC(
        EVP_sha1(),
        secret_access_key.data(),
        static_cast<int>(secret_access_key.size()),
        reinterpret_cast<const unsigned char*>(text.data()),
        text.size(),
        digest.data(),
        &size
    );
    return encode_base64({reinterpret_cast<const char*>(digest.data()), size});
}

Result<S3Signature> verify_presigned_v2(const SignedRequest& request, const S3Policy& policy) {
    const auto parameters = parameters_of(request.target);
    const auto key_id = single(parameters, "AWSAccessKeyId");
    const auto signature = single(parameters, "Signature");
    const auto expires = single(parameters, "Expires");
    if (!key_id || !signature || !expires) {
        return access_denied(
            "Query-string authentication requires the Signature, Expires and AWSAccessKeyId "
            "parameters"
        );
    }
    GATELEG_TRY(check_expires(*expires, policy.now_seconds));
    S3Signature out;
    out.presigned = true;
    out.identity.access_key_id = *key_id;
    // What these say would be signed and then not be done.
    for (const auto& parameter : parameters) {
        const auto name = lower_case(parameter.name);
        if (name.starts_with(kAmzPrefix) && name != kSecurityToken &&
            !find_header(request.headers, name)) {
            return s3_error(
                501,
                "NotImplemented",
                "A URL of Signature Version 2 cannot carry headers in its query; presign with "
                "AWS4-HMAC-SHA256."
            );
        }
    }
    const auto content_hash = find_header(request.headers, "x-amz-content-sha256");
    if (content_hash && *content_hash != "UNSIGNED-PAYLOAD") {
        return s3_error(
            400, "InvalidRequest", "A URL of Signature Version 2 does not sign the body."
        );
    }
    const bool own = !policy.own.access_key_id.empty() && *key_id == policy.own.access_key_id;
    if (!own && policy.credentials == nullptr) {
        out.identity.scope = Scope::full();
        return out;
    }
    if (holds_line_feed(request, parameters)) {
        return s3_error(400, "InvalidRequest", "A signed part of the request holds a line feed.");
    }
    const auto* known = own ? nullptr : policy.credentials->find(*key_id, policy.real_seconds);
    // A key that nobody has takes as long as a wrong secret.
    const std::string_view secret = own                ? policy.own.secret_access_key
                                    : known != nullptr ? std::string_view(known->secret_access_key)
                                                       : std::string_view("nobody");
    const auto computed = sign_v2(secret, string_to_sign_v2(request, *expires, policy.host_bucket));
    const bool matches = computed.size() == signature->size() &&
                         CRYPTO_memcmp(computed.data(), signature->data(), computed.size()) == 0;
    if (!own && known == nullptr) {
        return s3_error(
            403,
            "InvalidAccessKeyId",
            "The AWS Access Key Id you provided does not exist in our records."
        );
    }
    if (!matches) {
        return s3_error(
            403,
            "SignatureDoesNotMatch",
            "The request signature we calculated does not match the signature you provided. Check "
            "your key and signing method."
        );
    }
    if (single(parameters, kSecurityToken) || find_header(request.headers, kSecurityToken)) {
        return s3_error(
            400, "InvalidToken", "The provided token is malformed or otherwise invalid."
        );
    }
    out.identity.scope = own ? Scope::full() : known->scope;
    if (known != nullptr) {
        known->note_use(policy.real_seconds);
        out.identity.profile = known->profile;
    }
    return out;
}

}  // namespace gateleg::auth

#include "auth/sigv4.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "auth/amz_date.h"
#include "auth/authorization_header.h"
#include "base/base64.h"
#include "base/sha256.h"

namespace gateleg::auth {
namespace {

constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";
constexpr std::string_view kContentSha256 = "x-amz-content-sha256";

Error missing_token() {
    return {ErrorCode::kMissingAuthenticationToken, "Request is missing Authentication Token"};
}

Error unrecognized_client() {
    return {
        ErrorCode::kUnrecognizedClient, "The security token included in the request is invalid."};
}

Error incomplete_signature(std::string message) {
    return {ErrorCode::kIncompleteSignature, std::move(message)};
}

Error invalid_signature(std::string message) {
    return {ErrorCode::kInvalidSignature, std::move(message)};
}

Error signature_mismatch() {
    return invalid_signature(
        "The request signature we calculated does not match the signature you provided. Check "
        "your AWS Secret Access Key and signing method. Consult the service documentation for "
        "details."
    );
}

constexpr char to_lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), to_lower);
    return lower;
}

bool is_amz_header(std::string_view name) {
    constexpr std::string_view kPrefix = "x-amz-";
    return name.size() >= kPrefix.size() &&
           std::equal(kPrefix.begin(), kPrefix.end(), name.begin(), [](char a, char b) {
               return a == to_lower(b);
           });
}

// The canonical text separates its parts by line feeds, so none may hide inside a part. HTTP
// forbids them as well; this is the second lock.
Result<void> check_shape(const SignedRequest& request) {
    const auto holds_line_feed = [](std::string_view text) {
        return text.find('\n') != std::string_view::npos;
    };
    const bool odd =
        holds_line_feed(request.method) || !request.target.starts_with('/') ||
        std::any_of(request.headers.begin(), request.headers.end(), [&](const HeaderField& header) {
            return holds_line_feed(header.value);
        });
    if (odd) {
        return signature_mismatch();
    }
    return {};
}

// The value of a header that may come once at most.
Result<std::optional<std::string_view>> get_single_header(
    const SignedRequest& request, std::string_view lower_name
) {
    if (count_headers(request.headers, lower_name) > 1) {
        return invalid_signature(
            "More than one '" + std::string(lower_name) + "' header was sent."
        );
    }
    return find_header(request.headers, lower_name);
}

// The header's value, having made sure that no credentials are anywhere else.
Result<std::string_view> get_authorization(const SignedRequest& request) {
    GATELEG_TRY_ASSIGN(const auto value, get_single_header(request, "authorization"));
    if (!value || value->empty()) {
        return missing_token();
    }
    // The last two are of Signature Version 2.
    constexpr std::array<std::string_view, 5> kQueryCredentials = {
        "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "AWSAccessKeyId", "Signature"};
    for (const auto name : kQueryCredentials) {
        if (has_query_parameter(request.target, name)) {
            return invalid_signature(
                "Found both '" + std::string(name) +
                "' as a query-string param and 'Authorization' as HTTP header."
            );
        }
    }
    return *value;
}

// AWS names everything that is missing at once, and shows a hash of what it was sent.
Result<void> check_complete(
    const AuthorizationHeader& header, bool has_date, std::string_view authorization
) {
    std::string message;
    const auto require = [&](std::string_view name, std::string_view value) {
        if (value.empty()) {
            message.append("Authorization header requires '").append(name);
            message.append("' parameter. ");
        }
    };
    require("Credential", header.credential);
    require("Signature", header.signature);
    require("SignedHeaders", header.signed_headers);
    if (!has_date) {
        message.append(
            "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
        );
    }
    if (message.empty()) {
        return {};
    }
    const auto hash = sha256(authorization);
    message.append("(Hashed with SHA-256 and encoded with Base64) Authorization=");
    append_base64(message, {reinterpret_cast<const char*>(hash.data()), hash.size()});
    return incomplete_signature(std::move(message));
}

Result<void> check_clock(std::string_view amz_date, std::int64_t now) {
    const auto time = parse_amz_date(amz_date);
    if (!time) {
        return incomplete_signature(
            "Date must be in ISO-8601 'basic format'. Got '" + printable(amz_date) +
            "'. See http://en.wikipedia.org/wiki/ISO_8601"
        );
    }
    if (*time < now - kMaxClockSkewSeconds) {
        return invalid_signature(
            "Signature expired: " + std::string(amz_date) + " is now earlier than " +
            render_amz_date(now - kMaxClockSkewSeconds) + " (" + render_amz_date(now) +
            " - 15 min.)"
        );
    }
    if (*time > now + kMaxClockSkewSeconds) {
        return invalid_signature(
            "Signature not yet current: " + std::string(amz_date) + " is still later than " +
            render_amz_date(now + kMaxClockSkewSeconds) + " (" + render_amz_date(now) +
            " + 15 min.)"
        );
    }
    return {};
}

// Every sentence ends in a space, as AWS sends them.
Result<void> check_scope(
    const CredentialParts& credential, std::string_view amz_date, const SigV4Policy& policy
) {
    std::string message;
    const auto& scope = credential.scope;
    if (scope.region != policy.region) {
        message.append("Credential should be scoped to a valid region. ");
    }
    if (scope.service != policy.service) {
        message.append("Credential should be scoped to correct service: '");
        message.append(policy.service).append("'. ");
    }
    if (credential.terminator != kScopeTerminator) {
        message.append("Credential should be scoped with a valid terminator: 'aws4_request', not '"
        );
        message.append(printable(credential.terminator)).append("'. ");
    }
    if (scope.date != amz_date.substr(0, 8)) {
        message.append(
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from "
            "HTTP: '"
        );
        message.append(printable(scope.date)).append("' != '").append(amz_date.substr(0, 8));
        message.append("', from '").append(amz_date).append("'. ");
    }
    if (!message.empty()) {
        return invalid_signature(std::move(message));
    }
    return {};
}

Result<void> check_signed_headers(
    const SignedRequest& request, std::span<const std::string_view> signed_names
) {
    const auto is_signed = [&](std::string_view lower_name) {
        return std::binary_search(signed_names.begin(), signed_names.end(), lower_name);
    };
    if (!is_signed("host")) {
        return invalid_signature(
            "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization."
        );
    }
    for (const auto& header : request.headers) {
        if (!is_amz_header(header.name)) {
            continue;
        }
        const auto name = lower_case(header.name);
        if (name != kContentSha256 && !is_signed(name)) {
            return invalid_signature(
                "'" + printable(name) + "' must be a 'SignedHeader' in the AWS Authorization."
            );
        }
    }
    for (const auto name : signed_names) {
        if (!find_header(request.headers, name)) {
            return invalid_signature(
                "'" + printable(name) + "' is a 'SignedHeader' but the request has no such header."
            );
        }
    }
    return {};
}

// The last line of the canonical request: the hash of the body that arrived, whatever was claimed.
Result<std::string> get_payload_hash(const SignedRequest& request, const SigV4Policy& policy) {
    GATELEG_TRY_ASSIGN(const auto claimed, get_single_header(request, kContentSha256));
    if (claimed == kUnsignedPayload) {
        if (policy.allow_unsigned_payload) {
            return std::string(kUnsignedPayload);
        }
        return invalid_signature("The body must be signed: UNSIGNED-PAYLOAD is not accepted.");
    }
    auto hash = to_hex(sha256(request.body));
    if (claimed && *claimed != hash) {
        return invalid_signature(
            "The provided 'x-amz-content-sha256' header does not match what was computed."
        );
    }
    return hash;
}

Sha256Digest compute_signature(
    const SignedRequest& request,
    std::span<const std::string_view> signed_names,
    std::string_view payload_hash,
    std::string_view amz_date,
    const SigningScope& scope,
    const HmacKey& key
) {
    const auto canonical =
        canonical_request(request, signed_names, payload_hash, path_form_of(scope.service));
    return key.sign(string_to_sign(amz_date, scope, canonical));
}

// Headers that a proxy or the HTTP library may add or change on the way.
bool is_signable(std::string_view lower_name) {
    constexpr std::array<std::string_view, 14> kUnsignable = {
        "accept-encoding",
        "authorization",
        "cache-control",
        "connection",
        "expect",
        "keep-alive",
        "pragma",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "user-agent",
        "x-amz-date",
        "x-amzn-trace-id"};
    return !std::binary_search(kUnsignable.begin(), kUnsignable.end(), lower_name);
}

}  // namespace

Result<Identity> verify_sigv4(
    const SignedRequest& request, const Credentials& credentials, const SigV4Policy& policy
) {
    GATELEG_TRY(check_shape(request));
    GATELEG_TRY_ASSIGN(const auto authorization, get_authorization(request));
    GATELEG_TRY_ASSIGN(const auto header, parse_authorization(authorization));
    GATELEG_TRY_ASSIGN(auto amz_date, get_single_header(request, "x-amz-date"));
    if (!amz_date) {
        GATELEG_TRY_ASSIGN(amz_date, get_single_header(request, "date"));
    }
    GATELEG_TRY(check_complete(header, amz_date.has_value(), authorization));
    GATELEG_TRY_ASSIGN(const auto credential, parse_credential(header.credential));
    // AWS looks at the clock before it looks at the key.
    GATELEG_TRY(check_clock(*amz_date, policy.now_seconds));
    GATELEG_TRY(check_scope(credential, *amz_date, policy));
    GATELEG_TRY_ASSIGN(const auto signed_names, parse_signed_headers(header.signed_headers));
    GATELEG_TRY(check_signed_headers(request, signed_names));
    GATELEG_TRY_ASSIGN(const auto payload_hash, get_payload_hash(request, policy));

    const auto* known = credentials.find(credential.access_key_id, policy.now_seconds);
    const auto key = known != nullptr ? credentials.signing_key(*known, credential.scope)
                                      : credentials.decoy_key();
    const auto computed =
        compute_signature(request, signed_names, payload_hash, *amz_date, credential.scope, key);
    const auto given = parse_hex_digest(header.signature);
    const bool matches = equal_in_constant_time(computed, given.value_or(Sha256Digest{}));
    // We issue no temporary credentials, so a session token belongs to someone else's key.
    if (known == nullptr || find_header(request.headers, "x-amz-security-token")) {
        return unrecognized_client();
    }
    if (!given || !matches) {
        return signature_mismatch();
    }
    known->note_use(policy.now_seconds);
    return Identity{known->access_key_id, known->profile, known->scope};
}

SigV4Headers sign_sigv4(
    const SignedRequest& request,
    std::string_view access_key_id,
    std::string_view secret_access_key,
    std::string_view region,
    std::string_view service,
    std::int64_t now_seconds
) {
    const auto date = render_amz_date(now_seconds).substr(0, 8);
    const SigningScope scope{date, region, service};
    const auto key = derive_signing_key(secret_access_key, scope);
    return sign_sigv4(request, access_key_id, key, scope, now_seconds);
}

SigV4Headers sign_sigv4(
    const SignedRequest& request,
    std::string_view access_key_id,
    const HmacKey& signing_key,
    const SigningScope& scope,
    std::int64_t now_seconds
) {
    SigV4Headers result{render_amz_date(now_seconds), {}};
    SignedRequest dated = request;
    std::erase_if(dated.headers, [](const HeaderField& header) {
        return !is_signable(lower_case(header.name));
    });
    dated.headers.push_back({"x-amz-date", result.amz_date});

    std::vector<std::string> lower_names;
    for (const auto& header : dated.headers) {
        lower_names.push_back(lower_case(header.name));
    }
    std::vector<std::string_view> signed_names(lower_names.begin(), lower_names.end());
    std::sort(signed_names.begin(), signed_names.end());
    signed_names.erase(std::unique(signed_names.begin(), signed_names.end()), signed_names.end());

    const auto claimed = find_header(dated.headers, kContentSha256);
    const auto payload_hash = claimed ? std::string(*claimed) : to_hex(sha256(request.body));
    const auto signature =
        compute_signature(dated, signed_names, payload_hash, result.amz_date, scope, signing_key);

    auto& text = result.authorization;
    text.append(kAlgorithm).append(" Credential=").append(access_key_id).append("/");
    text.append(render_scope(scope)).append(", SignedHeaders=");
    for (std::size_t i = 0; i < signed_names.size(); ++i) {
        text.append(i == 0 ? "" : ";").append(signed_names[i]);
    }
    text.append(", Signature=");
    append_hex(text, signature);
    return result;
}

}  // namespace gateleg::auth

#include "auth/s3_signature.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>
#include <vector>

#include "auth/amz_date.h"
#include "auth/authorization_header.h"
#include "auth/s3_error.h"
#include "auth/s3_presigned_v2.h"

namespace gateleg::auth {
namespace {

constexpr std::string_view kContentSha256 = "x-amz-content-sha256";
constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";

Error access_denied(std::string message = "Access Denied", std::string extra = {}) {
    return s3_error(403, "AccessDenied", std::move(message), std::move(extra));
}

Error signature_mismatch() {
    return s3_error(
        403,
        "SignatureDoesNotMatch",
        "The request signature we calculated does not match the signature you provided. Check "
        "your key and signing method."
    );
}

Error malformed_header(const std::string& why, std::string extra = {}) {
    return s3_error(
        400,
        "AuthorizationHeaderMalformed",
        "The authorization header is malformed; " + why,
        std::move(extra)
    );
}

Error malformed_query(std::string message) {
    return s3_error(400, "AuthorizationQueryParametersError", std::move(message));
}

Error unknown_key() {
    return s3_error(
        403,
        "InvalidAccessKeyId",
        "The AWS Access Key Id you provided does not exist in our records."
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

// The canonical text separates its parts by line feeds, so none may hide inside a part.
bool has_odd_shape(const SignedRequest& request) {
    const auto holds_line_feed = [](std::string_view text) {
        return text.find('\n') != std::string_view::npos;
    };
    return holds_line_feed(request.method) || !request.target.starts_with('/') ||
           std::any_of(
               request.headers.begin(),
               request.headers.end(),
               [&](const HeaderField& header) { return holds_line_feed(header.value); }
           );
}

// --- the parameters of a presigned URL -----------------------------------------------------------

int hex_value(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const char lower = to_lower(c);
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
            bytes.push_back(text[i]);
        }
    }
    return bytes;
}

struct PresignedQuery {
    std::string algorithm, credential, date, expires, signed_headers, signature;
    std::optional<std::string> content_sha256;
    std::optional<std::string> security_token;
    std::string target;  // the request's, without its signature
};

std::string* find_parameter(PresignedQuery& query, std::string_view name) {
    const std::array<std::pair<std::string_view, std::string*>, 6> kParameters = {{
        {"X-Amz-Algorithm", &query.algorithm},
        {"X-Amz-Credential", &query.credential},
        {"X-Amz-Date", &query.date},
        {"X-Amz-Expires", &query.expires},
        {"X-Amz-SignedHeaders", &query.signed_headers},
        {"X-Amz-Signature", &query.signature},
    }};
    for (const auto& [known, place] : kParameters) {
        if (known == name) {
            return place;
        }
    }
    if (name == "X-Amz-Content-Sha256") {
        return &query.content_sha256.emplace();
    }
    return name == "X-Amz-Security-Token" ? &query.security_token.emplace() : nullptr;
}

Result<PresignedQuery> parse_presigned(std::string_view target) {
    const auto mark = std::min(target.find('?'), target.size());
    auto rest = target.substr(std::min(mark + 1, target.size()));
    PresignedQuery query;
    query.target = target.substr(0, mark);
    char separator = '?';
    while (!rest.empty()) {
        const auto piece = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(piece.size() + 1, rest.size()));
        const auto equals = std::min(piece.find('='), piece.size());
        const auto name = decoded(piece.substr(0, equals));
        const bool again = (name == "X-Amz-Content-Sha256" && query.content_sha256) ||
                           (name == "X-Amz-Security-Token" && query.security_token);
        if (auto* place = again ? nullptr : find_parameter(query, name)) {
            if (!place->empty()) {
                return malformed_query("Query-string authentication: " + name + " comes twice");
            }
            *place = decoded(piece.substr(std::min(equals + 1, piece.size())));
        } else if (again) {
            return malformed_query("Query-string authentication: " + name + " comes twice");
        }
        if (name != "X-Amz-Signature") {
            query.target.push_back(separator);
            query.target.append(piece);
            separator = '&';
        }
    }
    const bool complete = !query.algorithm.empty() && !query.credential.empty() &&
                          !query.date.empty() && !query.expires.empty() &&
                          !query.signed_headers.empty() && !query.signature.empty();
    if (!complete) {
        return malformed_query(
            "Query-string authentication version 4 requires the X-Amz-Algorithm, "
            "X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and "
            "X-Amz-Expires parameters."
        );
    }
    if (query.algorithm != kAlgorithm) {
        return malformed_query("X-Amz-Algorithm only supports \"AWS4-HMAC-SHA256\"");
    }
    return query;
}

Result<void> check_expiry(const PresignedQuery& query, std::int64_t now) {
    const auto signed_at = parse_amz_date(query.date);
    if (!signed_at) {
        return malformed_query(
            "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\""
        );
    }
    std::int64_t expires = 0;
    const auto* end = query.expires.data() + query.expires.size();
    const auto parsed = std::from_chars(query.expires.data(), end, expires);
    if (parsed.ec == std::errc::invalid_argument || parsed.ptr != end) {
        return malformed_query("X-Amz-Expires should be a number");
    }
    if (parsed.ec != std::errc() || expires > kMaxPresignedSeconds) {
        return malformed_query(
            "X-Amz-Expires must be less than a week (in seconds); that is, the "
            "given X-Amz-Expires must be less than 604800 seconds"
        );
    }
    if (expires < 1) {
        return malformed_query("X-Amz-Expires must be positive");
    }
    if (now > *signed_at + expires) {
        return access_denied(
            "Request has expired", "<X-Amz-Expires>" + std::to_string(expires) + "</X-Amz-Expires>"
        );
    }
    if (*signed_at > now + kMaxClockSkewSeconds) {
        return access_denied("Request is not yet valid");
    }
    return {};
}

// --- what both forms share -----------------------------------------------------------------------

struct Claim {
    CredentialParts credential;
    std::string_view amz_date;
    std::string_view signed_headers;
    std::string_view signature;
    bool presigned = false;
};

Result<void> check_scope(const Claim& claim, const S3Policy& policy) {
    const auto& scope = claim.credential.scope;
    const auto fail = [&](const std::string& why, const std::string& extra = {}) {
        return claim.presigned
                   ? malformed_query("Error parsing the X-Amz-Credential parameter; " + why)
                   : malformed_header(why, extra);
    };
    if (scope.region != policy.region) {
        return fail(
            "the region '" + printable(scope.region) + "' is wrong; expecting '" +
                std::string(policy.region) + "'",
            "<Region>" + std::string(policy.region) + "</Region>"
        );
    }
    if (scope.service != "s3") {
        return fail(
            "incorrect service \"" + printable(scope.service) +
            "\". This endpoint belongs to \"s3\"."
        );
    }
    if (claim.credential.terminator != kScopeTerminator) {
        return fail(
            "incorrect terminal \"" + printable(claim.credential.terminator) +
            "\". This endpoint uses \"aws4_request\"."
        );
    }
    if (scope.date != claim.amz_date.substr(0, 8)) {
        return fail("incorrect date in the credential scope");
    }
    return {};
}

Result<std::vector<std::string_view>> check_signed_headers(
    const SignedRequest& request, const Claim& claim
) {
    auto names = parse_signed_headers(claim.signed_headers);
    if (!names) {
        return claim.presigned ? malformed_query(names.error().message)
                               : malformed_header(names.error().message);
    }
    const auto is_signed = [&](std::string_view lower_name) {
        return std::binary_search(names->begin(), names->end(), lower_name);
    };
    std::string missing = is_signed("host") ? "" : "host";
    for (const auto& header : request.headers) {
        const auto name = lower_case(header.name);
        // The payload's hash is part of the canonical request in any case.
        const bool covered =
            !name.starts_with("x-amz-") || is_signed(name) ||
            (name == kContentSha256 && (!claim.presigned || header.value == kUnsignedPayload));
        if (!covered) {
            missing.append(missing.empty() ? "" : ", ").append(printable(name));
        }
    }
    if (!missing.empty()) {
        return access_denied(
            "There were headers present in the request which were not signed",
            "<HeadersNotSigned>" + missing + "</HeadersNotSigned>"
        );
    }
    for (const auto name : *names) {
        if (!find_header(request.headers, name)) {
            return signature_mismatch();
        }
    }
    return names;
}

Result<void> read_payload_form(std::string_view claimed, S3Signature& out) {
    constexpr std::array<std::pair<std::string_view, PayloadForm>, 4> kForms = {{
        {kUnsignedPayload, PayloadForm::kUnsigned},
        {"STREAMING-AWS4-HMAC-SHA256-PAYLOAD", PayloadForm::kSignedChunks},
        {"STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", PayloadForm::kSignedChunksTrailer},
        {"STREAMING-UNSIGNED-PAYLOAD-TRAILER", PayloadForm::kUnsignedChunksTrailer},
    }};
    for (const auto& [text, form] : kForms) {
        if (claimed == text) {
            out.payload = form;
            return {};
        }
    }
    out.payload = PayloadForm::kHashed;
    out.payload_sha256 = parse_hex_digest(lower_case(claimed));
    if (!out.payload_sha256) {
        return s3_error(
            400,
            "InvalidArgument",
            "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, "
            "STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER or a "
            "valid sha256 value."
        );
    }
    return {};
}

// The last line of the canonical request, having set the payload form in `out`. Nothing: the
// header is required and was not sent.
Result<std::optional<std::string>> get_payload(const SignedRequest& request, S3Signature& out) {
    if (count_headers(request.headers, kContentSha256) > 1) {
        return s3_error(400, "InvalidArgument", "x-amz-content-sha256 was sent more than once");
    }
    const auto claimed = find_header(request.headers, kContentSha256);
    if (!claimed) {
        return std::optional<std::string>();
    }
    GATELEG_TRY(read_payload_form(*claimed, out));
    return std::optional<std::string>(*claimed);
}

// Verifies the signature, if its key is one that is verified. `target` is what was signed.
Result<void> verify_claim(
    const SignedRequest& request,
    const Claim& claim,
    std::string_view payload_hash,
    const S3Policy& policy,
    S3Signature& out
) {
    const auto& parts = claim.credential;
    const bool own =
        !policy.own.access_key_id.empty() && parts.access_key_id == policy.own.access_key_id;
    out.identity.access_key_id = parts.access_key_id;
    if (!own && policy.credentials == nullptr) {
        out.identity.scope = Scope::full();
        return {};
    }
    GATELEG_TRY(check_scope(claim, policy));
    GATELEG_TRY_ASSIGN(const auto names, check_signed_headers(request, claim));
    const auto* known =
        own ? nullptr : policy.credentials->find(parts.access_key_id, policy.real_seconds);
    const auto key = own ? derive_signing_key(policy.own.secret_access_key, parts.scope)
                     : known != nullptr ? policy.credentials->signing_key(*known, parts.scope)
                                        : policy.credentials->decoy_key();
    const auto canonical = canonical_request(request, names, payload_hash, PathForm::kLiteral);
    const auto computed = key.sign(string_to_sign(claim.amz_date, parts.scope, canonical));
    const auto given = parse_hex_digest(claim.signature);
    const bool matches = equal_in_constant_time(computed, given.value_or(Sha256Digest{}));
    if (!own && known == nullptr) {
        return unknown_key();
    }
    if (!given || !matches) {
        return signature_mismatch();
    }
    out.identity.scope = own ? Scope::full() : known->scope;
    if (known != nullptr) {
        known->note_use(policy.real_seconds);
        out.identity.profile = known->profile;
    }
    out.chunks =
        ChunkSigner{key, std::string(claim.amz_date), render_scope(parts.scope), to_hex(computed)};
    return {};
}

// We issue no temporary credentials, so a session token belongs to someone else's key.
Result<void> check_token(bool has_token, const S3Signature& signature) {
    if (has_token && signature.chunks) {
        return s3_error(
            400, "InvalidToken", "The provided token is malformed or otherwise invalid."
        );
    }
    return {};
}

Result<S3Signature> verify_presigned(const SignedRequest& request, const S3Policy& policy) {
    GATELEG_TRY_ASSIGN(const auto query, parse_presigned(request.target));
    auto credential = parse_credential(query.credential);
    if (!credential) {
        return malformed_query(
            "Error parsing the X-Amz-Credential parameter; the Credential is mal-formed; expecting "
            "\"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\"."
        );
    }
    GATELEG_TRY(check_expiry(query, policy.now_seconds));
    S3Signature out;
    out.presigned = true;
    GATELEG_TRY_ASSIGN(const auto claimed, get_payload(request, out));
    // The presigner of the JavaScript SDK says UNSIGNED-PAYLOAD in the query.
    if (!claimed && query.content_sha256) {
        GATELEG_TRY(read_payload_form(*query.content_sha256, out));
    }
    const auto payload_hash =
        claimed.value_or(query.content_sha256.value_or(std::string(kUnsignedPayload)));
    SignedRequest covered = request;
    covered.target = query.target;
    const Claim claim{*credential, query.date, query.signed_headers, query.signature, true};
    GATELEG_TRY(verify_claim(covered, claim, payload_hash, policy, out));
    GATELEG_TRY(check_token(
        query.security_token.has_value() ||
            find_header(request.headers, "x-amz-security-token").has_value(),
        out
    ));
    if (out.payload != PayloadForm::kHashed && out.payload != PayloadForm::kUnsigned) {
        return s3_error(
            400, "InvalidRequest", "The body of a presigned URL cannot be sent in signed chunks."
        );
    }
    return out;
}

Result<void> check_clock(std::string_view amz_date, std::int64_t now) {
    const auto time = parse_amz_date(amz_date);
    if (!time) {
        return access_denied("AWS authentication requires a valid Date or x-amz-date header");
    }
    if (*time < now - kMaxClockSkewSeconds || *time > now + kMaxClockSkewSeconds) {
        return s3_error(
            403,
            "RequestTimeTooSkewed",
            "The difference between the request time and the current time is too large.",
            "<MaxAllowedSkewMilliseconds>900000</MaxAllowedSkewMilliseconds>"
        );
    }
    return {};
}

Result<S3Signature> verify_header(
    const SignedRequest& request, std::string_view authorization, const S3Policy& policy
) {
    S3Signature out;
    const auto header = parse_authorization(authorization);
    const auto credential =
        header ? parse_credential(header->credential) : Result<CredentialParts>(header.error());
    const bool own = credential && !policy.own.access_key_id.empty() &&
                     credential->access_key_id == policy.own.access_key_id;
    if (policy.credentials == nullptr && !own) {
        out.identity.access_key_id = credential ? std::string(credential->access_key_id) : "";
        out.identity.scope = Scope::full();
        GATELEG_TRY(get_payload(request, out));
        return out;
    }
    if (!header && header.error().code == ErrorCode::kMissingAuthenticationToken) {
        return s3_error(
            400,
            "InvalidRequest",
            "The authorization mechanism you have provided is not supported. Please use "
            "AWS4-HMAC-SHA256."
        );
    }
    if (!header || !credential || header->signed_headers.empty() || header->signature.empty()) {
        return malformed_header(
            "it needs Credential=KEY/DATE/REGION/s3/aws4_request, SignedHeaders and Signature."
        );
    }
    if (count_headers(request.headers, "x-amz-date") > 1) {
        return access_denied("AWS authentication requires a valid Date or x-amz-date header");
    }
    auto amz_date = find_header(request.headers, "x-amz-date");
    if (!amz_date) {
        amz_date = find_header(request.headers, "date");
    }
    GATELEG_TRY(check_clock(amz_date.value_or(""), policy.real_seconds));
    GATELEG_TRY_ASSIGN(const auto claimed, get_payload(request, out));
    if (!claimed) {
        return s3_error(
            400, "InvalidRequest", "Missing required header for this request: x-amz-content-sha256"
        );
    }
    const Claim claim{*credential, *amz_date, header->signed_headers, header->signature, false};
    GATELEG_TRY(verify_claim(request, claim, *claimed, policy, out));
    GATELEG_TRY(check_token(find_header(request.headers, "x-amz-security-token").has_value(), out));
    return out;
}

}  // namespace

Result<S3Signature> verify_s3(const SignedRequest& request, const S3Policy& policy) {
    if (has_odd_shape(request)) {
        return signature_mismatch();
    }
    constexpr std::array<std::string_view, 3> kQueryCredentials = {
        "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature"};
    const bool in_query =
        std::any_of(kQueryCredentials.begin(), kQueryCredentials.end(), [&](std::string_view name) {
            return has_query_parameter(request.target, name);
        });
    const bool version_2 = has_query_parameter(request.target, "AWSAccessKeyId");
    const auto in_headers = count_headers(request.headers, "authorization");
    if (in_headers + (in_query ? 1 : 0) + (version_2 ? 1 : 0) > 1) {
        return s3_error(
            400,
            "InvalidArgument",
            "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature "
            "query string parameter or the Authorization header should be specified"
        );
    }
    if (in_query) {
        return verify_presigned(request, policy);
    }
    if (in_headers == 1) {
        return verify_header(request, *find_header(request.headers, "authorization"), policy);
    }
    if (version_2) {
        return verify_presigned_v2(request, policy);
    }
    if (!policy.allow_anonymous) {
        return access_denied();
    }
    S3Signature out;
    out.anonymous = true;
    out.identity.scope = Scope::full();
    GATELEG_TRY(get_payload(request, out));
    return out;
}

}  // namespace gateleg::auth

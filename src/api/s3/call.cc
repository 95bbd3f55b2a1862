#include "api/s3/call.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

#include "api/s3/xml.h"
#include "base/time_text.h"
#include "objects/errors.h"

namespace gateleg::api::s3 {
namespace {

constexpr std::string_view kXml = "application/xml";
constexpr std::string_view kMetaPrefix = "x-amz-meta-";

struct WireError {
    std::string code;
    int status = 500;
    std::string extra;
};

WireError wire_error(const Error& error) {
    if (const auto* detail = auth::s3_detail(error)) {
        return {detail->code, detail->status, detail->extra};
    }
    if (const auto reason = objects::reason_of(error)) {
        return {std::string(objects::s3_code(*reason)), objects::s3_status(*reason), {}};
    }
    switch (error.code) {
        case ErrorCode::kServiceUnavailable:
        case ErrorCode::kThrottling:
            return {"SlowDown", 503, {}};
        case ErrorCode::kAccessDenied:
            return {"AccessDenied", 403, {}};
        case ErrorCode::kValidation:
            return {"InvalidRequest", 400, {}};
        default:
            return {"InternalError", 500, {}};
    }
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    });
    return lower;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
        text.remove_prefix(1);
    }
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
        text.remove_suffix(1);
    }
    return text;
}

// "aws-chunked" tells how the body travelled, not what it is.
std::string without_aws_chunked(std::string_view encodings) {
    std::string kept;
    while (!encodings.empty()) {
        const auto piece = encodings.substr(0, encodings.find(','));
        encodings.remove_prefix(std::min(piece.size() + 1, encodings.size()));
        const auto name = trimmed(piece);
        if (!name.empty() && !http::equal_ignoring_case(name, "aws-chunked")) {
            kept.append(kept.empty() ? "" : ",").append(name);
        }
    }
    return kept;
}

std::vector<std::string> read_etags(std::string_view list) {
    std::vector<std::string> etags;
    while (!list.empty()) {
        const auto piece = list.substr(0, list.find(','));
        list.remove_prefix(std::min(piece.size() + 1, list.size()));
        auto etag = trimmed(piece);
        if (etag.starts_with("W/")) {
            etag.remove_prefix(2);
        }
        if (!etag.empty()) {
            etags.push_back(unquoted(etag));
        }
    }
    return etags;
}

}  // namespace

std::string Call::header(std::string_view name) const {
    return std::string(head().find(name).value_or(""));
}

http::Response xml_response(std::string xml) {
    http::Response response;
    response.content_type = kXml;
    response.body = std::move(xml);
    return response;
}

http::Response empty_response(int status) {
    http::Response response;
    response.status = status;
    return response;
}

http::Response error_response(const Error& error, std::string_view resource, std::string_view id) {
    const auto wire = wire_error(error);
    // What broke is for the log; a client learns only that it was not its fault.
    const auto& message = wire.code == "InternalError"
                              ? std::string("We encountered an internal error. Please try again.")
                              : error.message;
    XmlWriter xml("Error", false);
    xml.element("Code", wire.code).element("Message", message).raw(wire.extra);
    xml.element("Resource", resource).element("RequestId", id);
    auto response = xml_response(std::move(xml).finish());
    response.status = wire.status;
    return response;
}

Error invalid_argument(std::string message) {
    return auth::s3_error(400, "InvalidArgument", std::move(message));
}

Error invalid_request(std::string message) {
    return auth::s3_error(400, "InvalidRequest", std::move(message));
}

Error not_implemented() {
    return auth::s3_error(
        501, "NotImplemented", "A header or parameter you provided is not implemented here."
    );
}

void add_header(std::string& headers, std::string_view name, std::string_view value) {
    const bool odd = std::any_of(value.begin(), value.end(), [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
    });
    if (!value.empty() && !odd) {
        headers.append(name).append(": ").append(value).append("\r\n");
    }
}

void add_etag(std::string& headers, std::string_view etag) {
    headers.append("ETag: \"").append(etag).append("\"\r\n");
}

void add_checksum(std::string& headers, const objects::Checksum& checksum) {
    add_header(headers, objects::header_name(checksum.algorithm), checksum.value);
    add_header(headers, "x-amz-checksum-type", objects::to_text(checksum.type));
}

std::string render_http_date(std::int64_t millis) {
    const std::time_t seconds = millis / 1000;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 64> text{};
    const auto length =
        std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return {text.data(), length};
}

std::optional<std::int64_t> parse_http_date(const std::string& text) {
    for (const char* form : {"%a, %d %b %Y %H:%M:%S GMT", "%Y-%m-%dT%H:%M:%SZ"}) {
        std::tm parts{};
        const char* end = strptime(text.c_str(), form, &parts);
        if (end != nullptr && *end == '\0') {
            return timegm(&parts);
        }
    }
    return std::nullopt;
}

std::string render_time(std::int64_t millis) {
    return render_rfc3339(millis);
}

std::string unquoted(std::string_view etag) {
    if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"') {
        etag = etag.substr(1, etag.size() - 2);
    }
    return std::string(etag);
}

objects::ObjectMetadata read_metadata(const http::RequestHead& head) {
    const auto get = [&](std::string_view name) {
        return std::string(head.find(name).value_or(""));
    };
    objects::ObjectMetadata metadata;
    metadata.content_type = get("content-type");
    metadata.content_encoding = without_aws_chunked(head.find("content-encoding").value_or(""));
    metadata.content_disposition = get("content-disposition");
    metadata.content_language = get("content-language");
    metadata.cache_control = get("cache-control");
    metadata.expires = get("expires");
    for (const auto& header : head.headers()) {
        auto name = lower_case(header.name);
        if (!name.starts_with(kMetaPrefix)) {
            continue;
        }
        name.erase(0, kMetaPrefix.size());
        const auto known =
            std::find_if(metadata.user.begin(), metadata.user.end(), [&](const auto& entry) {
                return entry.first == name;
            });
        if (known != metadata.user.end()) {
            known->second.append(",").append(header.value);
        } else {
            metadata.user.emplace_back(std::move(name), header.value);
        }
    }
    return metadata;
}

Result<std::vector<objects::NamedText>> read_tagging(std::string_view text) {
    std::vector<objects::NamedText> tags;
    while (!text.empty()) {
        const auto piece = text.substr(0, text.find('&'));
        text.remove_prefix(std::min(piece.size() + 1, text.size()));
        const auto equals = std::min(piece.find('='), piece.size());
        auto name = decode(piece.substr(0, equals), true);
        auto value = decode(piece.substr(std::min(equals + 1, piece.size())), true);
        if (!name || !value || name->empty()) {
            return invalid_argument(
                "The header 'x-amz-tagging' shall be encoded as UTF-8 then "
                "URLEncoded URL query parameters without tag name duplicates."
            );
        }
        tags.emplace_back(*std::move(name), *std::move(value));
    }
    return tags;
}

objects::WriteCondition read_write_condition(const Call& call) {
    objects::WriteCondition condition;
    if (const auto value = call.head().find("if-match")) {
        condition.if_match = unquoted(*value);
    }
    if (const auto value = call.head().find("if-none-match")) {
        condition.if_none_match = unquoted(*value);
    }
    return condition;
}

objects::ReadCondition read_condition(const Call& call, const std::string& prefix) {
    objects::ReadCondition condition;
    condition.if_match = read_etags(call.header(prefix + "if-match"));
    condition.if_none_match = read_etags(call.header(prefix + "if-none-match"));
    condition.if_modified_since = parse_http_date(call.header(prefix + "if-modified-since"));
    condition.if_unmodified_since = parse_http_date(call.header(prefix + "if-unmodified-since"));
    return condition;
}

Result<std::optional<objects::Checksum>> read_checksum(const http::RequestHead& head) {
    std::optional<objects::Checksum> found;
    for (const auto algorithm : objects::kChecksumAlgorithms) {
        const auto name = objects::header_name(algorithm);
        const auto value = head.find(name);
        if (!value) {
            continue;
        }
        if (found) {
            return invalid_request(
                "Expecting a single x-amz-checksum- header. Multiple checksum Types are not "
                "allowed."
            );
        }
        found =
            objects::Checksum{algorithm, objects::ChecksumType::kFullObject, std::string(*value)};
    }
    return found;
}

Result<std::optional<objects::ChecksumAlgorithm>> read_algorithm(std::string_view text) {
    if (text.empty()) {
        return std::optional<objects::ChecksumAlgorithm>();
    }
    const auto algorithm = objects::parse_checksum_algorithm(text);
    if (!algorithm) {
        return invalid_request(
            "Checksum algorithm provided is unsupported. Please try again with any of the valid "
            "types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]"
        );
    }
    return algorithm;
}

Result<std::uint64_t> read_number(
    const Query& query,
    std::string_view name,
    std::uint64_t least,
    std::uint64_t most,
    std::uint64_t otherwise
) {
    const auto* text = query.find(name);
    if (text == nullptr || text->empty()) {
        return otherwise;
    }
    std::uint64_t number = 0;
    const auto* end = text->data() + text->size();
    const auto parsed = std::from_chars(text->data(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end || number < least || number > most) {
        return invalid_argument(
            "Provided " + std::string(name) + " not an integer or within integer range"
        );
    }
    return number;
}

}  // namespace gateleg::api::s3

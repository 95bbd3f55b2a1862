// One request that passed the gate, and the small things every operation does with it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/s3/target.h"
#include "auth/s3_error.h"
#include "auth/s3_signature.h"
#include "http/handler.h"
#include "objects/store.h"

namespace gateleg::api::s3 {

struct Call {
    explicit Call(http::Exchange from) : exchange(std::move(from)) {}

    http::Exchange exchange;
    Target target;
    auth::S3Signature signature;
    std::string request_id;
    std::string cors;  // header lines that a page's request gets with any answer

    const http::RequestHead& head() const { return exchange.request().head; }
    // The header's value, or an empty text.
    std::string header(std::string_view name) const;
};

struct Context {
    objects::ObjectStore& store;
    std::string region;
};

// Every operation answers with a response, or with an error that becomes S3's XML.
using Answer = Result<http::Response>;

http::Response xml_response(std::string xml);
http::Response empty_response(int status = 200);
http::Response error_response(const Error& error, std::string_view resource, std::string_view id);

Error invalid_argument(std::string message);
Error invalid_request(std::string message);
Error not_implemented();

// Adds "Name: value" unless the value is empty. Values with control characters are left out.
void add_header(std::string& headers, std::string_view name, std::string_view value);
void add_etag(std::string& headers, std::string_view etag);
void add_checksum(std::string& headers, const objects::Checksum& checksum);

// "Wed, 21 Oct 2015 07:28:00 GMT", to and from milliseconds and seconds.
std::string render_http_date(std::int64_t millis);
std::optional<std::int64_t> parse_http_date(const std::string& text);
// "2015-10-21T07:28:00.000Z".
std::string render_time(std::int64_t millis);

std::string unquoted(std::string_view etag);

// Content-Type, Cache-Control and their like, and x-amz-meta-*.
objects::ObjectMetadata read_metadata(const http::RequestHead& head);
// x-amz-tagging: "a=b&c=d".
Result<std::vector<objects::NamedText>> read_tagging(std::string_view text);
objects::WriteCondition read_write_condition(const Call& call);
// With "" or "x-amz-copy-source-" before the names.
objects::ReadCondition read_condition(const Call& call, const std::string& prefix);
// x-amz-checksum-* of the request; at most one.
Result<std::optional<objects::Checksum>> read_checksum(const http::RequestHead& head);
Result<std::optional<objects::ChecksumAlgorithm>> read_algorithm(std::string_view text);
// A number in [least, most], or the default if the parameter is absent.
Result<std::uint64_t> read_number(
    const Query& query,
    std::string_view name,
    std::uint64_t least,
    std::uint64_t most,
    std::uint64_t otherwise
);

}  // namespace gateleg::api::s3

// GetObject, HeadObject and GetObjectAttributes.

#include <array>
#include <charconv>
#include <memory>

#include "api/s3/operations.h"
#include "api/s3/xml.h"
#include "objects/errors.h"
#include "objects/sniff.h"

namespace gateleg::api::s3 {
namespace {

// Smaller ones are read into the reply, which then leaves in one piece.
constexpr std::uint64_t kReadWholeBytes = std::uint64_t{64} * 1024;

class ObjectBody final : public http::FileBody {
public:
    ObjectBody(objects::ObjectReader reader, objects::ByteRange range)
        : FileBody(range.size), reader_(std::move(reader)), offset_(range.offset) {}

    std::optional<Stretch> stretch(std::uint64_t sent) override {
        const auto found = reader_.stretch(offset_ + sent, bytes() - sent);
        if (!found) {
            return std::nullopt;
        }
        return Stretch{found->fd, found->offset, found->size};
    }

private:
    objects::ObjectReader reader_;
    std::uint64_t offset_;
};

enum class RangeVerdict : std::uint8_t { kWhole, kPart, kUnsatisfiable };

bool read_digits(std::string_view text, std::uint64_t& out) {
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, out);
    if (parsed.ec == std::errc::result_out_of_range) {
        out = UINT64_MAX;
        return parsed.ptr == end;
    }
    return parsed.ec == std::errc() && parsed.ptr == end;
}

// One range of bytes. What is no such range is passed over, as HTTP has it; so are several.
RangeVerdict read_range(std::string_view text, std::uint64_t size, objects::ByteRange& range) {
    constexpr std::string_view kUnit = "bytes=";
    if (!text.starts_with(kUnit)) {
        return RangeVerdict::kWhole;
    }
    text.remove_prefix(kUnit.size());
    const auto dash = text.find('-');
    if (dash == std::string_view::npos || text.find(',') != std::string_view::npos) {
        return RangeVerdict::kWhole;
    }
    std::uint64_t first = 0;
    std::uint64_t last = UINT64_MAX;
    if (dash == 0) {
        std::uint64_t tail = 0;
        if (!read_digits(text.substr(1), tail)) {
            return RangeVerdict::kWhole;
        }
        range = {size - std::min(size, tail), std::min(size, tail)};
        return range.size == 0 ? RangeVerdict::kUnsatisfiable : RangeVerdict::kPart;
    }
    if (!read_digits(text.substr(0, dash), first) ||
        (dash + 1 != text.size() && !read_digits(text.substr(dash + 1), last)) || last < first) {
        return RangeVerdict::kWhole;
    }
    if (first >= size) {
        return RangeVerdict::kUnsatisfiable;
    }
    range = {first, std::min(last, size - 1) - first + 1};
    return RangeVerdict::kPart;
}

Error invalid_range(std::uint64_t size) {
    return auth::s3_error(
        416,
        "InvalidRange",
        "The requested range is not satisfiable",
        "<ActualObjectSize>" + std::to_string(size) + "</ActualObjectSize>"
    );
}

// An If-Range that names another object asks for all of it.
bool range_still_holds(const Call& call, const objects::ObjectInfo& info) {
    const auto text = call.header("if-range");
    if (text.empty()) {
        return true;
    }
    if (const auto date = parse_http_date(text)) {
        return info.modified_millis / 1000 <= *date;
    }
    return unquoted(text) == info.etag;
}

constexpr std::array<std::string_view, 6> kOverrides = {
    "response-content-type",
    "response-content-language",
    "response-expires",
    "response-cache-control",
    "response-content-disposition",
    "response-content-encoding",
};

Result<void> apply_overrides(const Call& call, objects::ObjectMetadata& metadata) {
    const std::array<std::string*, kOverrides.size()> places = {
        &metadata.content_type,
        &metadata.content_language,
        &metadata.expires,
        &metadata.cache_control,
        &metadata.content_disposition,
        &metadata.content_encoding,
    };
    for (std::size_t i = 0; i < kOverrides.size(); ++i) {
        const auto* value = call.target.query.find(kOverrides[i]);
        if (value == nullptr) {
            continue;
        }
        if (call.signature.anonymous) {
            return invalid_request(
                "Request specific response headers cannot be used for anonymous "
                "GET requests."
            );
        }
        for (const char c : *value) {
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
                return invalid_argument(
                    std::string(kOverrides[i]) + " holds characters that no header may hold"
                );
            }
        }
        *places[i] = *value;
    }
    return {};
}

void write_headers(
    std::string& headers, const objects::ObjectInfo& info, objects::ObjectMetadata metadata
) {
    add_header(headers, "Last-Modified", render_http_date(info.modified_millis));
    add_etag(headers, info.etag);
    add_header(headers, "Accept-Ranges", "bytes");
    if (metadata.content_type.empty()) {
        metadata.content_type = "binary/octet-stream";
    }
    // A page or a drawing of a stranger must not run as code of this origin.
    add_header(headers, "X-Content-Type-Options", "nosniff");
    if (objects::is_active_content(metadata.content_type)) {
        add_header(headers, "Content-Security-Policy", "sandbox; default-src 'none'");
        if (!metadata.content_disposition.starts_with("attachment")) {
            metadata.content_disposition = "attachment";
        }
    }
    add_header(headers, "Content-Type", metadata.content_type);
    add_header(headers, "Content-Encoding", metadata.content_encoding);
    add_header(headers, "Content-Disposition", metadata.content_disposition);
    add_header(headers, "Content-Language", metadata.content_language);
    add_header(headers, "Cache-Control", metadata.cache_control);
    add_header(headers, "Expires", metadata.expires);
    for (const auto& [name, value] : metadata.user) {
        add_header(headers, "x-amz-meta-" + name, value);
    }
    if (!info.tags.empty()) {
        add_header(headers, "x-amz-tagging-count", std::to_string(info.tags.size()));
    }
}

Result<std::string> read_whole(objects::ObjectReader& reader, objects::ByteRange range) {
    std::string body(range.size, '\0');
    GATELEG_TRY_ASSIGN(const auto got, reader.read(range.offset, body));
    if (got != body.size()) {
        return internal_error("an object's body is shorter than its record says");
    }
    return body;
}

// Which bytes are asked for, with status and headers that say so.
Result<objects::ByteRange> choose_range(
    const Call& call, const objects::ObjectReader& reader, http::Response& response
) {
    const auto& info = reader.info();
    objects::ByteRange range{0, info.size};
    bool partial = false;
    if (call.target.query.has("partNumber")) {
        GATELEG_TRY_ASSIGN(const auto number, read_part_number(call.target.query));
        const auto part = reader.part(number);
        if (!part) {
            return auth::s3_error(
                416, "InvalidPartNumber", "The requested partnumber is not satisfiable"
            );
        }
        range = *part;
        partial = true;
        if (info.parts != 0) {
            add_header(response.headers, "x-amz-mp-parts-count", std::to_string(info.parts));
        }
    } else if (range_still_holds(call, info)) {
        const auto verdict = read_range(call.header("range"), info.size, range);
        if (verdict == RangeVerdict::kUnsatisfiable) {
            return invalid_range(info.size);
        }
        partial = verdict == RangeVerdict::kPart;
    }
    if (partial) {
        response.status = 206;
        if (range.size != 0) {
            add_header(
                response.headers,
                "Content-Range",
                "bytes " + std::to_string(range.offset) + "-" +
                    std::to_string(range.offset + range.size - 1) + "/" + std::to_string(info.size)
            );
        }
    }
    return range;
}

Answer answer_object(const Context& context, const Call& call, bool with_body) {
    GATELEG_TRY_ASSIGN(auto reader, context.store.open(call.target.bucket, call.target.key));
    const auto& info = reader.info();
    http::Response response;
    switch (objects::judge(read_condition(call, ""), info)) {
        case objects::ReadVerdict::kProceed:
            break;
        case objects::ReadVerdict::kNotModified:
            response.status = 304;
            add_header(response.headers, "Last-Modified", render_http_date(info.modified_millis));
            add_etag(response.headers, info.etag);
            add_header(response.headers, "Cache-Control", info.metadata.cache_control);
            return response;
        case objects::ReadVerdict::kPreconditionFailed:
            return objects::object_error(objects::Reason::kPreconditionFailed);
    }
    auto metadata = info.metadata;
    GATELEG_TRY(apply_overrides(call, metadata));
    write_headers(response.headers, info, std::move(metadata));
    GATELEG_TRY_ASSIGN(const auto range, choose_range(call, reader, response));
    const bool whole = range.size == info.size;
    if (info.checksum && whole &&
        http::equal_ignoring_case(call.header("x-amz-checksum-mode"), "enabled")) {
        add_checksum(response.headers, *info.checksum);
    }
    if (!with_body) {
        response.file = std::make_unique<http::FileBody>(range.size);
    } else if (range.size <= kReadWholeBytes) {
        GATELEG_TRY_ASSIGN(response.body, read_whole(reader, range));
    } else {
        response.file = std::make_unique<ObjectBody>(std::move(reader), range);
    }
    return response;
}

bool asks_for(std::string_view list, std::string_view wanted) {
    while (!list.empty()) {
        auto piece = list.substr(0, list.find(','));
        list.remove_prefix(std::min(piece.size() + 1, list.size()));
        while (piece.starts_with(' ')) {
            piece.remove_prefix(1);
        }
        while (piece.ends_with(' ')) {
            piece.remove_suffix(1);
        }
        if (piece == wanted) {
            return true;
        }
    }
    return false;
}

}  // namespace

Answer get_object(const Context& context, const Call& call, std::string_view /*body*/) {
    return answer_object(context, call, true);
}

Answer head_object(const Context& context, const Call& call, std::string_view /*body*/) {
    return answer_object(context, call, false);
}

Answer get_object_attributes(const Context& context, const Call& call, std::string_view /*body*/) {
    GATELEG_TRY_ASSIGN(const auto info, context.store.head(call.target.bucket, call.target.key));
    const auto wanted = call.header("x-amz-object-attributes");
    if (wanted.empty()) {
        return invalid_argument("x-amz-object-attributes must name at least one attribute");
    }
    XmlWriter xml("GetObjectAttributesResponse");
    if (asks_for(wanted, "ETag")) {
        xml.element("ETag", info.etag);
    }
    if (asks_for(wanted, "Checksum") && info.checksum) {
        std::string name("Checksum");
        name.append(objects::to_text(info.checksum->algorithm));
        xml.open("Checksum").element(name, info.checksum->value);
        xml.element("ChecksumType", objects::to_text(info.checksum->type)).close("Checksum");
    }
    if (asks_for(wanted, "ObjectParts") && info.parts != 0) {
        xml.open("ObjectParts");
        xml.number("PartsCount", static_cast<std::uint64_t>(info.parts)).close("ObjectParts");
    }
    if (asks_for(wanted, "StorageClass")) {
        xml.element("StorageClass", "STANDARD");
    }
    if (asks_for(wanted, "ObjectSize")) {
        xml.number("ObjectSize", info.size);
    }
    auto response = xml_response(std::move(xml).finish());
    add_header(response.headers, "Last-Modified", render_http_date(info.modified_millis));
    return response;
}

}  // namespace gateleg::api::s3

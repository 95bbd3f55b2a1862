// Uploads in parts, but for the parts' bodies: see upload.h.

#include <charconv>

#include "api/s3/operations.h"
#include "api/s3/xml.h"

namespace gateleg::api::s3 {
namespace {

objects::UploadName upload_name(const Call& call) {
    return {call.target.bucket, call.target.key, call.target.query.get("uploadId")};
}

void write_checksum(XmlWriter& xml, const std::optional<objects::Checksum>& checksum, bool type) {
    if (checksum) {
        std::string name("Checksum");
        name.append(objects::to_text(checksum->algorithm));
        xml.element(name, checksum->value);
        if (type) {
            xml.element("ChecksumType", objects::to_text(checksum->type));
        }
    }
}

std::optional<objects::Checksum> part_checksum(const XmlNode& part) {
    for (const auto algorithm : objects::kChecksumAlgorithms) {
        std::string name("Checksum");
        name.append(objects::to_text(algorithm));
        if (const auto* node = part.find(name)) {
            return objects::Checksum{algorithm, objects::ChecksumType::kFullObject, node->text};
        }
    }
    return std::nullopt;
}

Result<std::optional<objects::ChecksumType>> read_checksum_type(const Call& call) {
    const auto text = call.header("x-amz-checksum-type");
    if (text.empty()) {
        return std::optional<objects::ChecksumType>();
    }
    const auto type = objects::parse_checksum_type(text);
    if (!type) {
        return invalid_request("Value for x-amz-checksum-type header is invalid.");
    }
    return type;
}

Result<std::vector<objects::CompletePart>> read_parts(const XmlNode& root) {
    std::vector<objects::CompletePart> parts;
    for (const auto& node : root.children) {
        if (node.name != "Part") {
            continue;
        }
        objects::CompletePart part;
        const auto number = node.text_of("PartNumber");
        const auto* end = number.data() + number.size();
        const auto parsed = std::from_chars(number.data(), end, part.number);
        if (parsed.ec != std::errc() || parsed.ptr != end || node.find("ETag") == nullptr) {
            return malformed_xml();
        }
        part.etag = unquoted(node.text_of("ETag"));
        part.checksum = part_checksum(node);
        parts.push_back(std::move(part));
    }
    if (root.name != "CompleteMultipartUpload" || parts.empty() ||
        parts.size() > static_cast<std::size_t>(objects::kMaxParts)) {
        return malformed_xml();
    }
    return parts;
}

// "bytes=0-99", both ends given.
Result<std::optional<objects::ByteRange>> read_copy_range(const std::string& text) {
    if (text.empty()) {
        return std::optional<objects::ByteRange>();
    }
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    const std::string_view rest = text;
    const auto dash = rest.find('-');
    const bool shaped = rest.starts_with("bytes=") && dash != std::string_view::npos;
    const auto* middle = text.data() + (shaped ? dash : 0);
    const auto* end = text.data() + text.size();
    if (!shaped || std::from_chars(text.data() + 6, middle, first).ptr != middle ||
        std::from_chars(middle + 1, end, last).ptr != end || middle == text.data() + 6 ||
        middle + 1 == end || last < first || last == UINT64_MAX) {
        return invalid_argument(
            "The x-amz-copy-source-range value must be of the form "
            "bytes=first-last where first and last are the zero-based offsets "
            "of the first and last bytes to copy"
        );
    }
    return std::optional(objects::ByteRange{first, last - first + 1});
}

}  // namespace

Result<int> read_part_number(const Query& query) {
    const auto text = query.get("partNumber");
    int number = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end || number < 1 ||
        number > objects::kMaxParts) {
        return invalid_argument("Part number must be an integer between 1 and 10000, inclusive");
    }
    return number;
}

Answer create_multipart_upload(
    const Context& context, const Call& call, std::string_view /*body*/
) {
    objects::CreateMultipart request;
    request.metadata = read_metadata(call.head());
    GATELEG_TRY_ASSIGN(request.tags, read_tagging(call.header("x-amz-tagging")));
    GATELEG_TRY_ASSIGN(request.algorithm, read_algorithm(call.header("x-amz-checksum-algorithm")));
    GATELEG_TRY_ASSIGN(request.checksum_type, read_checksum_type(call));
    GATELEG_TRY_ASSIGN(
        const auto upload,
        context.store.create_multipart(call.target.bucket, call.target.key, request)
    );
    XmlWriter xml("InitiateMultipartUploadResult");
    xml.element("Bucket", call.target.bucket).element("Key", call.target.key);
    xml.element("UploadId", upload.upload_id);
    auto response = xml_response(std::move(xml).finish());
    if (upload.algorithm) {
        add_header(
            response.headers, "x-amz-checksum-algorithm", objects::to_text(*upload.algorithm)
        );
        add_header(response.headers, "x-amz-checksum-type", objects::to_text(upload.checksum_type));
    }
    return response;
}

Answer complete_multipart_upload(const Context& context, const Call& call, std::string_view body) {
    GATELEG_TRY_ASSIGN(const auto root, parse_xml(body));
    objects::CompleteMultipart request;
    request.upload = upload_name(call);
    GATELEG_TRY_ASSIGN(request.parts, read_parts(root));
    GATELEG_TRY_ASSIGN(request.checksum, read_checksum(call.head()));
    GATELEG_TRY_ASSIGN(const auto type, read_checksum_type(call));
    if (request.checksum) {
        const bool composite = request.checksum->value.find('-') != std::string::npos;
        request.checksum->type = type.value_or(
            composite ? objects::ChecksumType::kComposite : objects::ChecksumType::kFullObject
        );
    }
    if (const auto size = call.header("x-amz-mp-object-size"); !size.empty()) {
        std::uint64_t number = 0;
        const auto* end = size.data() + size.size();
        if (std::from_chars(size.data(), end, number).ptr != end) {
            return invalid_request("Value for x-amz-mp-object-size header is invalid.");
        }
        request.size = number;
    }
    request.condition = read_write_condition(call);
    GATELEG_TRY_ASSIGN(const auto written, context.store.complete_multipart(request));
    XmlWriter xml("CompleteMultipartUploadResult");
    const auto path = "/" + call.target.bucket + "/" + encode(call.target.key, true);
    xml.element("Location", "http://" + call.header("host") + path);
    xml.element("Bucket", call.target.bucket).element("Key", call.target.key);
    xml.element("ETag", "\"" + written.etag + "\"");
    write_checksum(xml, written.checksum, true);
    return xml_response(std::move(xml).finish());
}

Answer abort_multipart_upload(const Context& context, const Call& call, std::string_view /*body*/) {
    GATELEG_TRY(context.store.abort_multipart(upload_name(call)));
    return empty_response(204);
}

Answer upload_part_copy(const Context& context, const Call& call, std::string_view /*body*/) {
    objects::CopyPart request;
    request.upload = upload_name(call);
    GATELEG_TRY_ASSIGN(request.number, read_part_number(call.target.query));
    GATELEG_TRY_ASSIGN(const auto source, read_copy_source(call.header("x-amz-copy-source")));
    request.source_bucket = source.first;
    request.source_key = source.second;
    request.source_condition = read_condition(call, "x-amz-copy-source-");
    GATELEG_TRY_ASSIGN(request.range, read_copy_range(call.header("x-amz-copy-source-range")));
    GATELEG_TRY_ASSIGN(const auto written, context.store.copy_part(request));
    XmlWriter xml("CopyPartResult");
    xml.element("ETag", "\"" + written.etag + "\"");
    xml.element("LastModified", render_time(written.modified_millis));
    write_checksum(xml, written.checksum, false);
    return xml_response(std::move(xml).finish());
}

Answer list_parts(const Context& context, const Call& call, std::string_view /*body*/) {
    const auto& query = call.target.query;
    GATELEG_TRY_ASSIGN(const auto max_parts, read_number(query, "max-parts", 0, INT32_MAX, 1000));
    GATELEG_TRY_ASSIGN(
        const auto marker,
        read_number(query, "part-number-marker", 0, static_cast<std::uint64_t>(INT32_MAX), 0)
    );
    const auto most = std::min<std::size_t>(max_parts, objects::kMaxListed);
    GATELEG_TRY_ASSIGN(
        const auto page, context.store.list_parts(upload_name(call), static_cast<int>(marker), most)
    );
    XmlWriter xml("ListPartsResult");
    xml.element("Bucket", call.target.bucket).element("Key", call.target.key);
    xml.element("UploadId", query.get("uploadId")).number("PartNumberMarker", marker);
    if (page.truncated) {
        xml.number("NextPartNumberMarker", static_cast<std::uint64_t>(page.next_number));
    }
    xml.number("MaxParts", most).boolean("IsTruncated", page.truncated);
    xml.element("StorageClass", "STANDARD");
    if (page.upload.algorithm) {
        xml.element("ChecksumAlgorithm", objects::to_text(*page.upload.algorithm));
        xml.element("ChecksumType", objects::to_text(page.upload.checksum_type));
    }
    for (const auto& part : page.parts) {
        xml.open("Part").number("PartNumber", static_cast<std::uint64_t>(part.number));
        xml.element("LastModified", render_time(part.modified_millis));
        xml.element("ETag", "\"" + part.etag + "\"").number("Size", part.size);
        write_checksum(xml, part.checksum, false);
        xml.close("Part");
    }
    return xml_response(std::move(xml).finish());
}

Answer list_multipart_uploads(const Context& context, const Call& call, std::string_view /*body*/) {
    const auto& query = call.target.query;
    objects::ListUploads request;
    request.prefix = query.get("prefix");
    request.delimiter = query.get("delimiter");
    request.key_marker = query.get("key-marker");
    request.upload_id_marker = query.get("upload-id-marker");
    GATELEG_TRY_ASSIGN(const auto most, read_number(query, "max-uploads", 1, INT32_MAX, 1000));
    request.max_uploads = std::min<std::size_t>(most, objects::kMaxListed);
    const bool url = query.get("encoding-type") == "url";
    const auto text = [url](const std::string& key) { return url ? encode(key, true) : key; };
    GATELEG_TRY_ASSIGN(const auto page, context.store.list_multiparts(call.target.bucket, request));
    XmlWriter xml("ListMultipartUploadsResult");
    xml.element("Bucket", call.target.bucket).element("KeyMarker", text(request.key_marker));
    xml.element("UploadIdMarker", request.upload_id_marker);
    if (page.truncated) {
        xml.element("NextKeyMarker", text(page.next_key_marker));
        xml.element("NextUploadIdMarker", page.next_upload_id_marker);
    }
    xml.element("Prefix", text(request.prefix));
    if (!request.delimiter.empty()) {
        xml.element("Delimiter", text(request.delimiter));
    }
    if (url) {
        xml.element("EncodingType", "url");
    }
    xml.number("MaxUploads", request.max_uploads).boolean("IsTruncated", page.truncated);
    for (const auto& upload : page.uploads) {
        xml.open("Upload").element("Key", text(upload.key)).element("UploadId", upload.upload_id);
        xml.element("StorageClass", "STANDARD");
        xml.element("Initiated", render_time(upload.created_millis)).close("Upload");
    }
    for (const auto& prefix : page.common_prefixes) {
        xml.open("CommonPrefixes").element("Prefix", text(prefix)).close("CommonPrefixes");
    }
    return xml_response(std::move(xml).finish());
}

}  // namespace gateleg::api::s3

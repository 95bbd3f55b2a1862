// DeleteObject, DeleteObjects, CopyObject and the tags of an object.

#include "api/s3/operations.h"
#include "api/s3/xml.h"
#include "objects/errors.h"

namespace gateleg::api::s3 {
namespace {

constexpr std::size_t kMaxDeletes = 1000;

struct ErrorText {
    std::string code;
    std::string message;
};

ErrorText error_text(const Error& error) {
    const auto reason = objects::reason_of(error);
    if (!reason) {
        return {"InternalError", "We encountered an internal error. Please try again."};
    }
    return {std::string(objects::s3_code(*reason)), error.message};
}

// COPY is the default of both directives.
Result<bool> replaces(const Call& call, std::string_view header) {
    const auto directive = call.header(header);
    if (!directive.empty() && directive != "COPY" && directive != "REPLACE") {
        return invalid_argument("Unknown " + std::string(header));
    }
    return directive == "REPLACE";
}

}  // namespace

Answer delete_object(const Context& context, const Call& call, std::string_view /*body*/) {
    GATELEG_TRY(
        context.store.remove(call.target.bucket, call.target.key, read_write_condition(call))
    );
    return empty_response(204);
}

Answer delete_objects(const Context& context, const Call& call, std::string_view body) {
    GATELEG_TRY_ASSIGN(const auto root, parse_xml(body));
    if (root.name != "Delete") {
        return malformed_xml();
    }
    std::vector<std::string> keys;
    for (const auto& node : root.children) {
        if (node.name != "Object") {
            continue;
        }
        const auto* key = node.find("Key");
        const auto version = node.text_of("VersionId");
        if (key == nullptr || key->text.empty() || (!version.empty() && version != "null")) {
            return malformed_xml();
        }
        keys.push_back(key->text);
    }
    if (keys.empty() || keys.size() > kMaxDeletes) {
        return malformed_xml();
    }
    const bool quiet = root.text_of("Quiet") == "true";
    GATELEG_TRY_ASSIGN(const auto verdicts, context.store.remove_many(call.target.bucket, keys));
    XmlWriter xml("DeleteResult");
    for (const auto& verdict : verdicts) {
        if (verdict.error) {
            const auto text = error_text(*verdict.error);
            xml.open("Error").element("Key", verdict.key).element("Code", text.code);
            xml.element("Message", text.message).close("Error");
        } else if (!quiet) {
            xml.open("Deleted").element("Key", verdict.key).close("Deleted");
        }
    }
    return xml_response(std::move(xml).finish());
}

Answer copy_object(const Context& context, const Call& call, std::string_view /*body*/) {
    objects::CopyRequest request;
    GATELEG_TRY_ASSIGN(const auto source, read_copy_source(call.header("x-amz-copy-source")));
    request.source_bucket = source.first;
    request.source_key = source.second;
    request.source_condition = read_condition(call, "x-amz-copy-source-");
    request.bucket = call.target.bucket;
    request.key = call.target.key;
    GATELEG_TRY_ASSIGN(const bool new_metadata, replaces(call, "x-amz-metadata-directive"));
    GATELEG_TRY_ASSIGN(const bool new_tags, replaces(call, "x-amz-tagging-directive"));
    if (new_metadata) {
        request.metadata = read_metadata(call.head());
    } else if (request.source_bucket == request.bucket && request.source_key == request.key) {
        return invalid_request(
            "This copy request is illegal because it is trying to copy an object to itself without "
            "changing the object's metadata, storage class, website redirect location or "
            "encryption attributes."
        );
    }
    if (new_tags) {
        GATELEG_TRY_ASSIGN(request.tags, read_tagging(call.header("x-amz-tagging")));
    }
    GATELEG_TRY_ASSIGN(request.checksum, read_algorithm(call.header("x-amz-checksum-algorithm")));
    request.condition = read_write_condition(call);
    GATELEG_TRY_ASSIGN(const auto written, context.store.copy(request));
    XmlWriter xml("CopyObjectResult");
    xml.element("ETag", "\"" + written.etag + "\"");
    xml.element("LastModified", render_time(written.modified_millis));
    if (written.checksum) {
        std::string name("Checksum");
        name.append(objects::to_text(written.checksum->algorithm));
        xml.element(name, written.checksum->value);
        xml.element("ChecksumType", objects::to_text(written.checksum->type));
    }
    return xml_response(std::move(xml).finish());
}

Answer get_object_tagging(const Context& context, const Call& call, std::string_view /*body*/) {
    GATELEG_TRY_ASSIGN(const auto tags, context.store.tags(call.target.bucket, call.target.key));
    XmlWriter xml("Tagging");
    xml.open("TagSet");
    for (const auto& [name, value] : tags) {
        xml.open("Tag").element("Key", name).element("Value", value).close("Tag");
    }
    xml.close("TagSet");
    return xml_response(std::move(xml).finish());
}

Answer put_object_tagging(const Context& context, const Call& call, std::string_view body) {
    GATELEG_TRY_ASSIGN(const auto root, parse_xml(body));
    const auto* set = root.find("TagSet");
    if (root.name != "Tagging" || set == nullptr) {
        return malformed_xml();
    }
    std::vector<objects::NamedText> tags;
    for (const auto& node : set->children) {
        if (node.name != "Tag" || node.find("Key") == nullptr || node.find("Value") == nullptr) {
            return malformed_xml();
        }
        tags.emplace_back(node.text_of("Key"), node.text_of("Value"));
    }
    GATELEG_TRY(context.store.set_tags(call.target.bucket, call.target.key, std::move(tags)));
    return empty_response();
}

Answer delete_object_tagging(const Context& context, const Call& call, std::string_view /*body*/) {
    GATELEG_TRY(context.store.set_tags(call.target.bucket, call.target.key, {}));
    return empty_response(204);
}

}  // namespace gateleg::api::s3

// ListObjects and ListObjectsV2: the same page in two spellings.

#include "api/s3/operations.h"
#include "api/s3/xml.h"

namespace gateleg::api::s3 {
namespace {

struct Listing {
    objects::ListRequest request;
    bool url_encoded = false;
    std::size_t max_keys = objects::kMaxListed;
};

Result<Listing> read_listing(const Query& query) {
    Listing listing;
    const auto encoding = query.get("encoding-type");
    if (!encoding.empty() && encoding != "url") {
        return invalid_argument("Invalid Encoding Method specified in Request");
    }
    listing.url_encoded = encoding == "url";
    listing.request.prefix = query.get("prefix");
    listing.request.delimiter = query.get("delimiter");
    GATELEG_TRY_ASSIGN(
        listing.max_keys, read_number(query, "max-keys", 0, INT32_MAX, objects::kMaxListed)
    );
    listing.request.max_keys = std::min(listing.max_keys, objects::kMaxListed);
    return listing;
}

class PageWriter {
public:
    PageWriter(const Call& call, const Listing& listing)
        : xml_("ListBucketResult"), listing_(listing) {
        xml_.element("Name", call.target.bucket);
        key("Prefix", listing.request.prefix);
        xml_.number("MaxKeys", listing.request.max_keys);
        if (!listing.request.delimiter.empty()) {
            key("Delimiter", listing.request.delimiter);
        }
        if (listing.url_encoded) {
            xml_.element("EncodingType", "url");
        }
    }

    XmlWriter& xml() { return xml_; }
    void key(std::string_view name, std::string_view text) {
        listing_.url_encoded ? xml_.element(name, encode(text, true)) : xml_.element(name, text);
    }
    http::Response finish(const objects::ListPage& page, bool with_owner) && {
        xml_.boolean("IsTruncated", page.truncated);
        for (const auto& object : page.objects) {
            write(object, with_owner);
        }
        for (const auto& prefix : page.common_prefixes) {
            xml_.open("CommonPrefixes");
            key("Prefix", prefix);
            xml_.close("CommonPrefixes");
        }
        return xml_response(std::move(xml_).finish());
    }

private:
    void write(const objects::ObjectInfo& object, bool with_owner) {
        xml_.open("Contents");
        key("Key", object.key);
        xml_.element("LastModified", render_time(object.modified_millis));
        xml_.element("ETag", "\"" + object.etag + "\"");
        if (object.checksum) {
            xml_.element("ChecksumAlgorithm", objects::to_text(object.checksum->algorithm));
            xml_.element("ChecksumType", objects::to_text(object.checksum->type));
        }
        xml_.number("Size", object.size);
        if (with_owner) {
            xml_.raw("<Owner><ID>gateleg</ID><DisplayName>gateleg</DisplayName></Owner>");
        }
        xml_.element("StorageClass", "STANDARD").close("Contents");
    }

    XmlWriter xml_;
    const Listing& listing_;
};

}  // namespace

Answer list_objects(const Context& context, const Call& call, std::string_view /*body*/) {
    const auto& query = call.target.query;
    GATELEG_TRY_ASSIGN(auto listing, read_listing(query));
    listing.request.start_after = query.get("marker");
    GATELEG_TRY_ASSIGN(const auto page, context.store.list(call.target.bucket, listing.request));
    PageWriter writer(call, listing);
    writer.key("Marker", listing.request.start_after);
    if (page.truncated && !listing.request.delimiter.empty()) {
        writer.key("NextMarker", page.next_marker);
    }
    return std::move(writer).finish(page, true);
}

Answer list_objects_v2(const Context& context, const Call& call, std::string_view /*body*/) {
    const auto& query = call.target.query;
    if (query.get("list-type") != "2") {
        return invalid_argument("Invalid List Type specified in Request");
    }
    GATELEG_TRY_ASSIGN(auto listing, read_listing(query));
    listing.request.start_after = query.get("start-after");
    listing.request.token = query.get("continuation-token");
    if (query.has("continuation-token") && listing.request.token.empty()) {
        return invalid_argument("The continuation token provided is incorrect");
    }
    GATELEG_TRY_ASSIGN(const auto page, context.store.list(call.target.bucket, listing.request));
    PageWriter writer(call, listing);
    writer.xml().number("KeyCount", page.objects.size() + page.common_prefixes.size());
    if (!listing.request.token.empty()) {
        writer.xml().element("ContinuationToken", listing.request.token);
    }
    if (!listing.request.start_after.empty()) {
        writer.key("StartAfter", listing.request.start_after);
    }
    if (page.truncated) {
        writer.xml().element("NextContinuationToken", page.next_token);
    }
    return std::move(writer).finish(page, query.get("fetch-owner") == "true");
}

}  // namespace gateleg::api::s3

// ListBuckets, CreateBucket, DeleteBucket, HeadBucket, and what is asked of a bucket's settings.

#include <array>

#include "api/s3/operations.h"
#include "api/s3/xml.h"

namespace gateleg::api::s3 {
namespace {

constexpr std::string_view kOwner =
    "<Owner><ID>gateleg</ID><DisplayName>gateleg</DisplayName></Owner>";

struct Unset {
    std::string_view parameter, code, message;
};
constexpr std::array<Unset, 8> kUnset = {{
    {"policy", "NoSuchBucketPolicy", "The bucket policy does not exist"},
    {"tagging", "NoSuchTagSet", "The TagSet does not exist"},
    {"lifecycle", "NoSuchLifecycleConfiguration", "The lifecycle configuration does not exist"},
    {"encryption",
     "ServerSideEncryptionConfigurationNotFoundError",
     "The server side encryption configuration was not found"},
    {"object-lock",
     "ObjectLockConfigurationNotFoundError",
     "Object Lock configuration does not exist for this bucket"},
    {"replication",
     "ReplicationConfigurationNotFoundError",
     "The replication configuration was not found"},
    {"website",
     "NoSuchWebsiteConfiguration",
     "The specified bucket does not have a website configuration"},
    {"publicAccessBlock",
     "NoSuchPublicAccessBlockConfiguration",
     "The public access block configuration was not found"},
}};

}  // namespace

Answer list_buckets(const Context& context, const Call& call, std::string_view /*body*/) {
    GATELEG_TRY_ASSIGN(const auto buckets, context.store.list_buckets());
    const auto prefix = call.target.query.get("prefix");
    XmlWriter xml("ListAllMyBucketsResult");
    xml.raw(kOwner).open("Buckets");
    for (const auto& bucket : buckets) {
        if (bucket.name.starts_with(prefix)) {
            xml.open("Bucket").element("Name", bucket.name);
            xml.element("CreationDate", render_time(bucket.created_millis)).close("Bucket");
        }
    }
    xml.close("Buckets");
    return xml_response(std::move(xml).finish());
}

// There is one region, so a LocationConstraint is read and changes nothing.
Answer create_bucket(const Context& context, const Call& call, std::string_view body) {
    if (!body.empty()) {
        GATELEG_TRY_ASSIGN(const auto configuration, parse_xml(body));
        if (configuration.name != "CreateBucketConfiguration") {
            return malformed_xml();
        }
    }
    GATELEG_TRY(context.store.create_bucket(call.target.bucket));
    auto response = empty_response();
    add_header(response.headers, "Location", "/" + call.target.bucket);
    return response;
}

Answer delete_bucket(const Context& context, const Call& call, std::string_view /*body*/) {
    GATELEG_TRY(context.store.delete_bucket(call.target.bucket));
    return empty_response(204);
}

Answer head_bucket(const Context& context, const Call& call, std::string_view /*body*/) {
    GATELEG_TRY(context.store.head_bucket(call.target.bucket));
    auto response = empty_response();
    add_header(response.headers, "x-amz-bucket-region", context.region);
    return response;
}

// S3 answers an empty text for its oldest region.
Answer get_bucket_location(const Context& context, const Call& call, std::string_view /*body*/) {
    GATELEG_TRY(context.store.head_bucket(call.target.bucket));
    XmlWriter xml("LocationConstraint");
    std::string region;
    append_escaped(region, context.region == "us-east-1" ? "" : context.region);
    xml.raw(region);
    return xml_response(std::move(xml).finish());
}

// No status is how S3 says that versioning was never on.
Answer get_bucket_versioning(const Context& context, const Call& call, std::string_view /*body*/) {
    GATELEG_TRY(context.store.head_bucket(call.target.bucket));
    return xml_response(XmlWriter("VersioningConfiguration").finish());
}

Answer get_acl(const Context& context, const Call& call, std::string_view /*body*/) {
    if (call.target.key.empty()) {
        GATELEG_TRY(context.store.head_bucket(call.target.bucket));
    } else {
        GATELEG_TRY(context.store.head(call.target.bucket, call.target.key));
    }
    XmlWriter xml("AccessControlPolicy");
    xml.raw(kOwner);
    xml.raw(
        "<AccessControlList><Grant><Grantee xmlns:xsi=\"http://www.w3.org/2001/"
        "XMLSchema-instance\" xsi:type=\"CanonicalUser\"><ID>gateleg</ID><DisplayName>gateleg"
        "</DisplayName></Grantee><Permission>FULL_CONTROL</Permission></Grant>"
        "</AccessControlList>"
    );
    return xml_response(std::move(xml).finish());
}

Answer get_unset_configuration(
    const Context& context, const Call& call, std::string_view /*body*/
) {
    GATELEG_TRY(context.store.head_bucket(call.target.bucket));
    for (const auto& unset : kUnset) {
        if (call.target.query.has(unset.parameter)) {
            return auth::s3_error(404, unset.code, std::string(unset.message));
        }
    }
    return not_implemented();
}

}  // namespace gateleg::api::s3

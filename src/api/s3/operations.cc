#include "api/s3/operations.h"

#include <algorithm>
#include <array>
#include <span>

namespace gateleg::api::s3 {
namespace {

// Matched from top to bottom: the first whose parameters are all there.
struct Route {
    std::string_view method;
    std::string_view parameter;  // must be in the query, unless empty
    std::string_view second;     // and this one
    std::string_view header;     // and this header
    Operation operation;
};

using enum auth::Action;

constexpr auto kNone = BodyUse::kNone;
constexpr auto kWhole = BodyUse::kWhole;
constexpr auto kStream = BodyUse::kStream;

constexpr std::string_view kCopySource = "x-amz-copy-source";

constexpr std::array kServiceRoutes = {
    Route{"GET", "", "", "", {"ListBuckets", kNone, kRead, list_buckets}},
};

constexpr std::array kBucketRoutes = {
    Route{"GET", "location", "", "", {"GetBucketLocation", kNone, kRead, get_bucket_location}},
    Route{
        "GET", "versioning", "", "", {"GetBucketVersioning", kNone, kRead, get_bucket_versioning}},
    Route{"GET", "cors", "", "", {"GetBucketCors", kNone, kRead, get_bucket_cors}},
    Route{"GET", "acl", "", "", {"GetBucketAcl", kNone, kRead, get_acl}},
    Route{"GET", "uploads", "", "", {"ListMultipartUploads", kNone, kRead, list_multipart_uploads}},
    Route{"GET", "policy", "", "", {"GetBucketPolicy", kNone, kRead, get_unset_configuration}},
    Route{"GET", "tagging", "", "", {"GetBucketTagging", kNone, kRead, get_unset_configuration}},
    Route{"GET", "lifecycle", "", "", {"GetLifecycle", kNone, kRead, get_unset_configuration}},
    Route{"GET", "encryption", "", "", {"GetEncryption", kNone, kRead, get_unset_configuration}},
    Route{"GET", "object-lock", "", "", {"GetObjectLock", kNone, kRead, get_unset_configuration}},
    Route{"GET", "replication", "", "", {"GetReplication", kNone, kRead, get_unset_configuration}},
    Route{"GET", "website", "", "", {"GetWebsite", kNone, kRead, get_unset_configuration}},
    Route{
        "GET",
        "publicAccessBlock",
        "",
        "",
        {"GetPublicAccessBlock", kNone, kRead, get_unset_configuration}},
    Route{"GET", "list-type", "", "", {"ListObjectsV2", kNone, kRead, list_objects_v2}},
    Route{"GET", "", "", "", {"ListObjects", kNone, kRead, list_objects}},
    Route{"HEAD", "", "", "", {"HeadBucket", kNone, kRead, head_bucket}},
    Route{"PUT", "cors", "", "", {"PutBucketCors", kWhole, kAdmin, put_bucket_cors}},
    Route{"PUT", "", "", "", {"CreateBucket", kWhole, kAdmin, create_bucket}},
    Route{"DELETE", "cors", "", "", {"DeleteBucketCors", kNone, kAdmin, delete_bucket_cors}},
    Route{"DELETE", "", "", "", {"DeleteBucket", kNone, kAdmin, delete_bucket}},
    Route{"POST", "delete", "", "", {"DeleteObjects", kWhole, kWrite, delete_objects}},
};

constexpr std::array kObjectRoutes = {
    Route{"GET", "uploadId", "", "", {"ListParts", kNone, kRead, list_parts}},
    Route{"GET", "tagging", "", "", {"GetObjectTagging", kNone, kRead, get_object_tagging}},
    Route{
        "GET", "attributes", "", "", {"GetObjectAttributes", kNone, kRead, get_object_attributes}},
    Route{"GET", "acl", "", "", {"GetObjectAcl", kNone, kRead, get_acl}},
    Route{"GET", "", "", "", {"GetObject", kNone, kRead, get_object}},
    Route{"HEAD", "", "", "", {"HeadObject", kNone, kRead, head_object}},
    Route{
        "PUT",
        "partNumber",
        "uploadId",
        kCopySource,
        {"UploadPartCopy", kNone, kWrite, upload_part_copy}},
    Route{"PUT", "partNumber", "uploadId", "", {"UploadPart", kStream, kWrite, nullptr}},
    Route{"PUT", "tagging", "", "", {"PutObjectTagging", kWhole, kWrite, put_object_tagging}},
    Route{"PUT", "", "", kCopySource, {"CopyObject", kNone, kWrite, copy_object}},
    Route{"PUT", "", "", "", {"PutObject", kStream, kWrite, nullptr}},
    Route{
        "DELETE",
        "uploadId",
        "",
        "",
        {"AbortMultipartUpload", kNone, kWrite, abort_multipart_upload}},
    Route{
        "DELETE", "tagging", "", "", {"DeleteObjectTagging", kNone, kWrite, delete_object_tagging}},
    Route{"DELETE", "", "", "", {"DeleteObject", kNone, kWrite, delete_object}},
    Route{
        "POST",
        "uploads",
        "",
        "",
        {"CreateMultipartUpload", kNone, kWrite, create_multipart_upload}},
    Route{
        "POST",
        "uploadId",
        "",
        "",
        {"CompleteMultipartUpload", kWhole, kWrite, complete_multipart_upload}},
};

// Parameters that ask for something else than the request would do without them.
constexpr std::array<std::string_view, 34> kSubresources = {
    "accelerate",
    "acl",
    "analytics",
    "attributes",
    "cors",
    "delete",
    "encryption",
    "intelligent-tiering",
    "inventory",
    "legal-hold",
    "lifecycle",
    "list-type",
    "location",
    "logging",
    "metrics",
    "notification",
    "object-lock",
    "ownershipControls",
    "policy",
    "policyStatus",
    "publicAccessBlock",
    "renameObject",
    "replication",
    "requestPayment",
    "restore",
    "retention",
    "select",
    "tagging",
    "torrent",
    "uploads",
    "versioning",
    "versions",
    "website",
    "uploadId",
};

// SSE-C: a body we cannot keep as asked must not be kept at all.
constexpr std::array<std::string_view, 2> kUnsupportedHeaders = {
    "x-amz-server-side-encryption-customer-algorithm",
    "x-amz-copy-source-server-side-encryption-customer-algorithm",
};

std::span<const Route> routes_of(const Target& target) {
    if (target.bucket.empty()) {
        return kServiceRoutes;
    }
    return target.key.empty() ? std::span<const Route>(kBucketRoutes)
                              : std::span<const Route>(kObjectRoutes);
}

bool matches(const Route& route, const http::RequestHead& head, const Query& query) {
    return route.method == head.method() &&
           (route.parameter.empty() || query.has(route.parameter)) &&
           (route.second.empty() || query.has(route.second)) &&
           (route.header.empty() || head.find(route.header));
}

// False if the request asks for a subresource that the route does not serve.
bool serves(const Route& route, const Query& query) {
    return std::none_of(kSubresources.begin(), kSubresources.end(), [&](std::string_view name) {
        return name != route.parameter && name != route.second && query.has(name);
    });
}

}  // namespace

Result<const Operation*> find_operation(const http::RequestHead& head, const Target& target) {
    const auto routes = routes_of(target);
    const auto found = std::find_if(routes.begin(), routes.end(), [&](const Route& route) {
        return matches(route, head, target.query);
    });
    if (found == routes.end()) {
        const bool known = head.method() == "POST" || head.method() == "GET" ||
                           head.method() == "PUT" || head.method() == "DELETE" ||
                           head.method() == "HEAD";
        return known && head.method() == "POST"
                   ? not_implemented()
                   : auth::s3_error(
                         405,
                         "MethodNotAllowed",
                         "The specified method is not allowed against this resource."
                     );
    }
    const auto* version = target.query.find("versionId");
    if (version != nullptr && *version != "null" && !version->empty()) {
        return invalid_argument("Invalid version id specified");
    }
    const bool unsupported =
        std::any_of(kUnsupportedHeaders.begin(), kUnsupportedHeaders.end(), [&](auto name) {
            return head.find(name).has_value();
        });
    if (unsupported || !serves(*found, target.query)) {
        return not_implemented();
    }
    return &found->operation;
}

Result<void> check_access(const Call& call, const Operation& operation) {
    const auto& caller = call.signature.identity;
    const auto allows = [&](auth::Action action, std::string_view bucket) {
        return caller.scope != nullptr &&
               caller.scope->allows(action, auth::ResourceKind::kBucket, bucket);
    };
    const auto denied = [&](std::string_view verb, const std::string& resource) {
        const auto action = "s3:" + std::string(verb);
        return auth::s3_error(
            403,
            "AccessDenied",
            "User: arn:aws:iam::123456789012:user/" + caller.profile +
                " is not authorized to perform: " + action + " on resource: \"arn:aws:s3:::" +
                resource + "\" because no identity-based policy allows the " + action + " action"
        );
    };
    const auto& target = call.target;
    const bool all = target.bucket.empty();
    if (!allows(operation.needs.action, all ? auth::kEveryName : target.bucket)) {
        return denied(
            operation.name,
            all                  ? std::string(auth::kEveryName)
            : target.key.empty() ? target.bucket
                                 : target.bucket + "/" + target.key
        );
    }
    if (call.head().find(kCopySource) && !caller.scope->allows_everything()) {
        // What cannot be read here is refused by the operation itself.
        const auto source = read_copy_source(call.header(kCopySource));
        if (source && !allows(kRead, source->first)) {
            return denied("GetObject", source->first + "/" + source->second);
        }
    }
    return {};
}

}  // namespace gateleg::api::s3

// The operations of S3 that exist here, and how a request names one.

#pragma once

#include <cstdint>
#include <string_view>

#include "api/s3/call.h"
#include "auth/scope.h"
#include "base/result.h"

namespace gateleg::api::s3 {

enum class BodyUse : std::uint8_t {
    kNone,    // there is nothing to read
    kWhole,   // XML, bounded
    kStream,  // an object or a part of one
};

// What a key must be allowed to do to the bucket. Has no default, so that an operation which says
// nothing does not compile.
struct Needs {
    constexpr Needs(auth::Action needed) : action(needed) {}  // NOLINT: implicit
    auth::Action action;
};

struct Operation {
    std::string_view name;
    BodyUse body;
    Needs needs;
    // Null for kStream. Called on a worker thread; `body` has arrived whole and is as promised.
    Answer (*run)(const Context& context, const Call& call, std::string_view body) = nullptr;
};

// By method, target, parameters and headers. 405 MethodNotAllowed or 501 NotImplemented.
Result<const Operation*> find_operation(const http::RequestHead& head, const Target& target);

// 403 AccessDenied, in AWS's words, if the caller's scope does not allow it: on the bucket, on all
// of them where none is named, and reading the bucket that is copied from.
Result<void> check_access(const Call& call, const Operation& operation);

// buckets.cc
Answer list_buckets(const Context& context, const Call& call, std::string_view body);
Answer create_bucket(const Context& context, const Call& call, std::string_view body);
Answer delete_bucket(const Context& context, const Call& call, std::string_view body);
Answer head_bucket(const Context& context, const Call& call, std::string_view body);
Answer get_bucket_location(const Context& context, const Call& call, std::string_view body);
Answer get_bucket_versioning(const Context& context, const Call& call, std::string_view body);
Answer get_acl(const Context& context, const Call& call, std::string_view body);
Answer get_unset_configuration(const Context& context, const Call& call, std::string_view body);
// cors.cc
Answer get_bucket_cors(const Context& context, const Call& call, std::string_view body);
Answer put_bucket_cors(const Context& context, const Call& call, std::string_view body);
Answer delete_bucket_cors(const Context& context, const Call& call, std::string_view body);
// list_objects.cc
Answer list_objects(const Context& context, const Call& call, std::string_view body);
Answer list_objects_v2(const Context& context, const Call& call, std::string_view body);
// get_object.cc
Answer get_object(const Context& context, const Call& call, std::string_view body);
Answer head_object(const Context& context, const Call& call, std::string_view body);
Answer get_object_attributes(const Context& context, const Call& call, std::string_view body);
// change_object.cc
Answer delete_object(const Context& context, const Call& call, std::string_view body);
Answer delete_objects(const Context& context, const Call& call, std::string_view body);
Answer copy_object(const Context& context, const Call& call, std::string_view body);
Answer get_object_tagging(const Context& context, const Call& call, std::string_view body);
Answer put_object_tagging(const Context& context, const Call& call, std::string_view body);
Answer delete_object_tagging(const Context& context, const Call& call, std::string_view body);
// multipart.cc
Answer create_multipart_upload(const Context& context, const Call& call, std::string_view body);
Answer complete_multipart_upload(const Context& context, const Call& call, std::string_view body);
Answer abort_multipart_upload(const Context& context, const Call& call, std::string_view body);
Answer upload_part_copy(const Context& context, const Call& call, std::string_view body);
Answer list_parts(const Context& context, const Call& call, std::string_view body);
Answer list_multipart_uploads(const Context& context, const Call& call, std::string_view body);
Result<int> read_part_number(const Query& query);

}  // namespace gateleg::api::s3

// Objects on a remote S3: signed with the credentials of this server's environment.
//
// Neither sockets nor the credential chain are known here; both are given as functions.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "objects/objects.h"

namespace gateleg::objects {

struct S3Credentials {
    std::string access_key_id;
    std::string secret_access_key;
    std::string session_token;  // empty for permanent keys
};

struct S3Call {
    std::string method;
    std::string url;
    std::vector<std::string> headers;  // "Name: value"
    std::string body;
    std::int64_t timeout_seconds = 60;
};

struct S3Answer {
    int status = 0;
    std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
    std::string body;
};

struct RemoteObjectsOptions {
    std::string bucket;
    std::string region = "us-east-1";
    // GATELEG_S3_ENDPOINT: "https://minio.example:9000", the bucket then goes into the path. Empty:
    // AWS, with the bucket in the host name unless that has dots.
    std::string endpoint;
    // Both must be thread-safe and may block.
    std::function<Result<S3Credentials>()> credentials;
    std::function<Result<S3Answer>(S3Call)> call;
    Fetch fetch;
};

// Maker and clock outlive it. Signatures in headers are by the real clock, presigned URLs by
// `clock`, which must be the real one too if the remote side is to accept them.
std::unique_ptr<Objects> make_remote_objects(
    RemoteObjectsOptions options, const ThumbnailMaker& thumbnails, const Clock& clock
);

}  // namespace gateleg::objects

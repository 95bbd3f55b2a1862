// How this process calls a remote S3: connections and the credentials of its environment, as
// functions that the objects module can use.

#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "objects/remote_objects.h"

namespace gateleg::app {

// Thread-safe. Outlives the Objects that were made with its options.
class RemoteS3 {
public:
    // `endpoint` is http://HOST[:PORT] or https://HOST[:PORT], or empty for AWS. An endpoint on
    // loopback gets made-up keys when the environment has none. Throws ConfigError.
    RemoteS3(const std::string& endpoint, const std::string& region);
    ~RemoteS3();
    RemoteS3(const RemoteS3&) = delete;
    RemoteS3& operator=(const RemoteS3&) = delete;

    objects::RemoteObjectsOptions options(const std::string& bucket, objects::Fetch fetch) const;

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace gateleg::app

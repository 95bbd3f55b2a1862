// Uploads: a media item begins as pending with a signed address to put its bytes at, and is
// finished when the bytes are there.

#pragma once

#include "model/native.h"
#include "model/runtime.h"
#include "systems/services.h"

namespace gateleg::systems::gallery {

// Thread-safe. Runtime and services outlive it.
class Uploads {
public:
    using Reply = model::CallResult<model::OperationReply>;

    Uploads(model::Runtime& runtime, const Services& services);

    Reply start(const model::NativeCall& call);
    Reply complete(const model::NativeCall& call);
    Reply retry(const model::NativeCall& call);
    // Redirects to a signed address.
    Reply content(const model::NativeCall& call);

private:
    Reply with_upload_url(model::OperationReply reply, const std::string& owner);
    // The media if it is the caller's own.
    model::CallResult<model::Found> get_own(const model::NativeCall& call);
    Reply finish(model::Arguments arguments, const model::Caller& caller);

    model::Runtime& runtime_;
    const Services& services_;
    std::int64_t max_bytes_;
    std::int64_t link_seconds_;
};

}  // namespace gateleg::systems::gallery

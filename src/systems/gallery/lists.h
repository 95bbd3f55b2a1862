// Lists that no single index gives, and requests about many items at once.

#pragma once

#include "base/sha256.h"
#include "model/native.h"
#include "model/runtime.h"
#include "systems/services.h"

namespace gateleg::systems::gallery {

// Thread-safe. The runtime outlives it.
class Lists {
public:
    using Reply = model::CallResult<model::OperationReply>;

    Lists(model::Runtime& runtime, const Services& services);

    // Public media of those the caller follows, newest first.
    Reply home_feed(const model::NativeCall& call);
    Reply interactions_with(const model::NativeCall& call);
    Reply search_users(const model::NativeCall& call);
    // A job by our id or the provider's.
    Reply video_job(const model::NativeCall& call);
    // Each media of an album is added, removed or moved by itself; the answer says how each went.
    Reply bulk_media(const model::NativeCall& call);

private:
    model::Runtime& runtime_;
    HmacKey key_;
};

}  // namespace gateleg::systems::gallery

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
    // What an object store says of bytes that have arrived (WH-13), in the form of S3's events.
    Reply stored(const model::NativeCall& call);
    // Redirects to a signed address.
    Reply content(const model::NativeCall& call);

private:
    Reply with_upload_url(model::OperationReply reply, const std::string& owner);
    // The media if it is the caller's own.
    model::CallResult<model::Found> get_own(const model::NativeCall& call);
    // Looks at the bytes and finishes the upload: as uploaded, or as failed if there are too many.
    Reply take(const value::Item& media, model::Arguments arguments);
    Reply finish(const value::Item& media, model::Arguments arguments);
    // Whether this was the object of an upload that waited for it.
    model::CallResult<bool> finish_stored(const std::string& key);

    model::Runtime& runtime_;
    const Services& services_;
    std::int64_t max_bytes_;
    std::int64_t link_seconds_;
};

}  // namespace gateleg::systems::gallery

// The migrations of data that is older than the model. Each may be repeated, broken off and gone on
// with, and runs beside live writes: every change is a transaction with its own conditions.

#pragma once

#include "model/native.h"
#include "model/runtime.h"

namespace gateleg::systems::gallery {

// Thread-safe. The runtime outlives it.
class Migrations {
public:
    using Reply = model::CallResult<model::OperationReply>;

    explicit Migrations(model::Runtime& runtime) : runtime_(runtime) {}

    // One call does a part. Only one runs a migration at a time; a dry run changes and keeps
    // nothing.
    Reply run(const model::NativeCall& call);

    // Of one item: changed if the list it should be in did not show it.
    Reply backfill_album(const model::NativeCall& call);
    Reply backfill_user(const model::NativeCall& call);

private:
    struct Part {
        std::size_t job = 0;
        std::optional<std::string> cursor = {};
        std::int64_t scanned = 0;
        std::int64_t changed = 0;
        std::int64_t skipped = 0;
        bool done = false;
    };
    model::CallResult<Part> walk_jobs(const model::NativeCall& call, Part part);
    Reply answer(const Part& part) const;

    model::Runtime& runtime_;
};

}  // namespace gateleg::systems::gallery

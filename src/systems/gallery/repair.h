// Counters from the edges they stand for, and edges whose ends are gone.

#pragma once

#include <string>

#include "base/sha256.h"
#include "model/native.h"
#include "model/runtime.h"
#include "systems/services.h"

namespace gateleg::systems::gallery {

// Thread-safe. The runtime outlives it.
class Repair {
public:
    Repair(model::Runtime& runtime, const Services& services);

    // Does a part of the work; the cursor of its answer goes on from there. A counter is set only
    // while it is what it was before the edges were counted, so that live likes are not lost.
    model::CallResult<model::OperationReply> run(const model::NativeCall& call);

private:
    struct Counts {
        std::int64_t scanned = 0;
        std::int64_t changed = 0;
        std::int64_t removed = 0;
    };
    using Done = model::CallResult<model::Nothing>;

    Done visit(
        std::string_view phase, const value::Item& item, const model::Entity& kind, Counts& counts
    );
    Done recount_content(const value::Item& item, bool album, Counts& counts);
    Done recount_user(const value::Item& user, Counts& counts);
    Done recount(
        model::Arguments target,
        std::string_view operation,
        const char* counter,
        const value::Item& item,
        std::string_view pattern,
        model::Arguments edges,
        Counts& counts
    );
    Done check_edge(const value::Item& edge, Counts& counts);
    Done check_comment(const value::Item& comment, Counts& counts);
    Done check_interaction(const value::Item& interaction, Counts& counts);
    model::CallResult<bool> exists(std::string_view kind, const std::string& id);
    Done remove(std::string_view operation, model::Arguments arguments, Counts& counts);

    model::Runtime& runtime_;
    HmacKey key_;
};

}  // namespace gateleg::systems::gallery

// What a deletion, a disabled account or a new name leaves to do.
//
// The transaction that has the effect also puts a Chore; the work itself is many small
// transactions, each of which may be repeated. A chore ends when all of it is done, so that one
// that was broken off is done again from the start by whoever finds it.

#pragma once

#include <string>

#include "model/native.h"
#include "model/runtime.h"

namespace gateleg::systems::gallery {

// Thread-safe. The runtime outlives it.
class Chores {
public:
    explicit Chores(model::Runtime& runtime) : runtime_(runtime) {}

    // False if there is no such chore any more.
    model::CallResult<bool> run(const std::string& chore_id);

    // Runs the operation that puts a chore, then the chore. Its answer is {"changed"}: when the
    // chore fails the operation has happened all the same, and the scheduler takes it up again.
    model::CallResult<model::OperationReply> run_with_chore(
        std::string_view operation, const model::NativeCall& call
    );

private:
    using Done = model::CallResult<model::Nothing>;

    Done perform(const std::string& kind, const std::string& target);
    Done clear_album(const std::string& album);
    Done clear_media(const std::string& media);
    Done clear_comment(const std::string& comment);
    Done clear_comments(const std::string& target_type, const std::string& target);
    Done clear_interactions(const std::string& target);
    Done clear_user(const std::string& user);
    Done leave_others(const std::string& user);
    Done hide_user(const std::string& user, bool hide);
    Done rename_user(const std::string& user);
    Done name_comments(const std::string& user, const std::string& name);
    Done step(std::string_view operation, model::Arguments arguments);

    model::Runtime& runtime_;
};

}  // namespace gateleg::systems::gallery

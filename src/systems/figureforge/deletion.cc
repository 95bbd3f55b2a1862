// An account that is given up: marked at once, its traces removed one by one.

#include "systems/figureforge/parts.h"

namespace gateleg::systems::figureforge {
namespace {

using model::CallResult;
using model::NativeCall;
using model::Nothing;
using model::text;

// Thread-safe. Everything in it may be repeated: the mark goes last.
class Deletion {
public:
    Deletion(model::Runtime& runtime, std::string user)
        : runtime_(runtime), user_(std::move(user)) {}

    CallResult<Nothing> run() {
        if (auto done = each("allImagesOf", "image_id", "deleteImage"); !done) {
            return done;
        }
        if (auto done = each("subscriptionsOf", "stripe_sub_id", "cancelSubscription"); !done) {
            return done;
        }
        if (auto done = each("sessionsOf", "session_id", "closeSession"); !done) {
            return done;
        }
        return call("endDeletion", {});
    }

private:
    // Calls the operation for every item of the pattern, in the name of the user.
    CallResult<Nothing> each(
        std::string_view pattern, std::string_view key, std::string_view operation
    ) {
        model::PatternCall page{.arguments = {{"user_id", text(user_)}}, .limit = 100};
        do {
            const auto found = runtime_.query(pattern, page, model::internal_caller());
            if (!found) {
                return found.error();
            }
            for (const auto& item : found->items) {
                const auto id = text(model::text_of(item, key));
                if (auto done = call(operation, {{std::string(key), id}}); !done) {
                    return done;
                }
            }
            page.cursor = found->cursor;
        } while (page.cursor);
        return Nothing{};
    }

    CallResult<Nothing> call(std::string_view operation, model::Arguments arguments) {
        const auto* declared = runtime_.model().find_operation(operation);
        if (declared != nullptr && declared->find_input("user_id") != nullptr) {
            arguments["user_id"] = text(user_);
        }
        auto done = runtime_.run(
            operation, {.arguments = std::move(arguments)}, model::internal_caller(user_)
        );
        if (!done && done.error().status != 404) {
            return done.error();
        }
        return Nothing{};
    }

    model::Runtime& runtime_;
    std::string user_;
};

}  // namespace

void install_deletion(model::Runtime& runtime, const Services& /*services*/) {
    runtime.install("deleteAccount", [&runtime](const auto& call) -> Reply {
        auto marked = runtime.run("markDeleted", {}, acting(call));
        if (marked) {
            // What fails here is done by the job: the account itself is gone already.
            static_cast<void>(Deletion(runtime, call.caller.user.value_or("")).run());
        }
        return marked;
    });
    runtime.install("finishDeletion", [&runtime](const auto& call) -> Reply {
        auto done = Deletion(runtime, call.text("user_id")).run();
        return done ? Reply(model::OperationReply{}) : Reply(done.error());
    });
}

}  // namespace gateleg::systems::figureforge

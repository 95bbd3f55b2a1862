#include "systems/gallery/walk.h"

#include "model/native.h"

namespace gateleg::systems::gallery {

using model::CallResult;
using model::Nothing;

constexpr int kPage = 100;

CallResult<Nothing> walk(
    model::Runtime& runtime,
    std::string_view pattern,
    model::Arguments arguments,
    const Visit& visit
) {
    model::PatternCall call{.arguments = std::move(arguments), .limit = kPage};
    do {
        GATELEG_CALL_TRY_ASSIGN_CALL(
            auto page, runtime.query(pattern, call, model::internal_caller())
        );
        for (const auto& item : page.items) {
            if (auto done = visit(item); !done) {
                return done;
            }
        }
        call.cursor = std::move(page.cursor);
    } while (call.cursor);
    return Nothing{};
}

CallResult<std::int64_t> count(
    model::Runtime& runtime, std::string_view pattern, model::Arguments arguments
) {
    std::int64_t number = 0;
    auto done = walk(runtime, pattern, std::move(arguments), [&](const value::Item&) {
        ++number;
        return CallResult<Nothing>(Nothing{});
    });
    if (!done) {
        return done.error();
    }
    return number;
}

CallResult<model::OperationReply> run(
    model::Runtime& runtime, std::string_view operation, model::Arguments arguments
) {
    return runtime.run(operation, {.arguments = std::move(arguments)}, model::internal_caller());
}

CallResult<model::OperationReply> run_as(
    model::Runtime& runtime,
    std::string_view operation,
    model::Arguments arguments,
    std::string user
) {
    return runtime.run(
        operation, {.arguments = std::move(arguments)}, model::internal_caller(std::move(user))
    );
}

std::string member(const model::OperationReply& reply, std::string_view name) {
    const auto* map = reply.body ? std::get_if<value::Map>(&reply.body->data) : nullptr;
    return map != nullptr ? model::text_of(*map, name) : std::string();
}

}  // namespace gateleg::systems::gallery

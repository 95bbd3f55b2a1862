// The native operations of figureforge, by what they are about.

#pragma once

#include <string>
#include <string_view>

#include "model/native.h"
#include "model/runtime.h"
#include "systems/services.h"

namespace gateleg::systems::figureforge {

using Reply = model::CallResult<model::OperationReply>;

// Runtime and services outlive what is installed.
void install_billing(model::Runtime& runtime, const Services& services);
void install_deletion(model::Runtime& runtime, const Services& services);
void install_features(model::Runtime& runtime);
void install_galleries(model::Runtime& runtime);
void install_generation(model::Runtime& runtime, const Services& services);
void install_images(model::Runtime& runtime, const Services& services);
void install_search(model::Runtime& runtime, const Services& services);
void install_uploads(model::Runtime& runtime, const Services& services);

// Whoever called, with the right to call what has no route.
inline model::Caller acting(const model::NativeCall& call) {
    auto caller = call.caller;
    caller.internal = true;
    return caller;
}

// An operation that has the effect of `call`: with its idempotency key, its route and the version
// it demands.
inline Reply run_for(
    model::Runtime& runtime,
    std::string_view operation,
    model::Arguments arguments,
    const model::NativeCall& call
) {
    const model::OperationCall inner{
        .arguments = std::move(arguments),
        .idempotency_key = call.original.idempotency_key,
        .if_match = call.original.if_match,
        .route = call.original.route};
    return runtime.run(operation, inner, acting(call));
}

inline model::OperationReply reply_with(value::Map members, int status = 0) {
    model::OperationReply reply;
    reply.body = value::AttributeValue{std::move(members)};
    reply.status = status;
    return reply;
}

// A number of the catalogue.
std::int64_t constant_of(
    const model::Runtime& runtime, std::string_view name, std::int64_t otherwise
);

}  // namespace gateleg::systems::figureforge

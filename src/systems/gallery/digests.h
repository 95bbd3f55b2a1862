// Mails that sum up what a user has not seen.

#pragma once

#include "model/native.h"
#include "model/runtime.h"

namespace gateleg::systems::gallery {

// For one user: a mail about unread notifications and one about the coin balance, each only if the
// user wants it, there is something to say, and the last one is long enough ago. That it goes once
// is decided in the transaction that writes it into the outbox.
model::CallResult<model::OperationReply> send_digests(
    model::Runtime& runtime, const model::NativeCall& call
);

}  // namespace gateleg::systems::gallery

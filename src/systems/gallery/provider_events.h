// What the video provider and the payment provider report.
//
// Each event is applied once, in the transaction that records it. One that comes after the end of
// what it is about is recorded and changes nothing.

#pragma once

#include "model/native.h"
#include "model/runtime.h"
#include "systems/services.h"
#include "systems/webhooks.h"

namespace gateleg::systems::gallery {

// Thread-safe. Runtime and services outlive it.
class ProviderEvents {
public:
    using Reply = model::CallResult<model::OperationReply>;

    ProviderEvents(model::Runtime& runtime, const Services& services)
        : runtime_(runtime), services_(services) {}

    Reply video(const model::NativeCall& call);
    // What the provider said when it was asked.
    Reply video_asked(const model::NativeCall& call);
    Reply payment(const model::NativeCall& call);

private:
    Reply video_event(
        const std::string& job_id, const std::string& event_id, const WebhookBody& body
    );
    Reply paid(const std::string& order_id, const std::string& event_id, const WebhookBody& body);
    // Records an event that came too late.
    Reply late(
        std::string_view provider,
        const std::string& event_id,
        const std::string& target,
        const std::string& status
    );

    model::Runtime& runtime_;
    const Services& services_;
};

}  // namespace gateleg::systems::gallery

// Those who generate images, videos and texts: a queue as fal.ai has it, and RunPod's.
//
// A call says where to report to. Who hears nothing asks: a poll answers in the form of a report,
// and with nothing when nothing is known, for it is not tried again; whoever wants to know asks
// once more.

#pragma once

#include "jobs/deliveries.h"
#include "jobs/providers.h"

namespace gateleg::jobs {

// `provider-call`, `-poll` and `-cancel`, whose payload names `provider`; `runpod-submit`, `-poll`
// and `-cancel`; as far as there is a target. What `parts` names outlives `deliveries`.
void add_generation_deliveries(Deliveries& deliveries, const DeliveryParts& parts);

}  // namespace gateleg::jobs

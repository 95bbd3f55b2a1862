// The native operations of moderation.

#pragma once

#include "model/runtime.h"
#include "systems/services.h"

namespace gateleg::systems {

void install_moderation(model::Runtime& runtime, const Services& services);

}  // namespace gateleg::systems

// The native operations of stories.

#pragma once

#include "model/runtime.h"
#include "systems/services.h"

namespace gateleg::systems {

void install_stories(model::Runtime& runtime, const Services& services);

}  // namespace gateleg::systems

// The native operations of membership.

#pragma once

#include "model/runtime.h"
#include "systems/services.h"

namespace gateleg::systems {

void install_membership(model::Runtime& runtime, const Services& services);

}  // namespace gateleg::systems

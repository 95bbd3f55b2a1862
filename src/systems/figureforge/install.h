// The native operations of figureforge.

#pragma once

#include "model/runtime.h"
#include "systems/services.h"

namespace gateleg::systems {

void install_figureforge(model::Runtime& runtime, const Services& services);

}  // namespace gateleg::systems

// The native operations of gallery.

#pragma once

#include "model/runtime.h"
#include "systems/services.h"

namespace gateleg::systems {

void install_gallery(model::Runtime& runtime, const Services& services);

}  // namespace gateleg::systems

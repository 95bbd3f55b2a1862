#include "systems/stories/install.h"

namespace gateleg::systems {

void install_stories(model::Runtime& /*runtime*/, const Services& /*services*/) {}

}  // namespace gateleg::systems

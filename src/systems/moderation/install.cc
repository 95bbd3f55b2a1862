#include "systems/moderation/install.h"

namespace gateleg::systems {

void install_moderation(model::Runtime& /*runtime*/, const Services& /*services*/) {}

}  // namespace gateleg::systems

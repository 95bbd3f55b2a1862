#include "systems/membership/install.h"

namespace gateleg::systems {

void install_membership(model::Runtime& /*runtime*/, const Services& /*services*/) {}

}  // namespace gateleg::systems

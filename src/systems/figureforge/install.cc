#include "systems/figureforge/install.h"

namespace gateleg::systems {

void install_figureforge(model::Runtime& /*runtime*/, const Services& /*services*/) {}

}  // namespace gateleg::systems

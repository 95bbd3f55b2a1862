#include "systems/gallery/install.h"

namespace gateleg::systems {

void install_gallery(model::Runtime& /*runtime*/, const Services& /*services*/) {}

}  // namespace gateleg::systems

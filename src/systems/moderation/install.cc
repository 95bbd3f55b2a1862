#include "systems/moderation/install.h"

#include "systems/moderation/desk.h"

namespace gateleg::systems {

void install_moderation(model::Runtime& runtime, const Services& /*services*/) {
    moderation::install_intake(runtime);
    moderation::install_decisions(runtime);
    moderation::install_queue(runtime);
    moderation::install_upkeep(runtime);
}

}  // namespace gateleg::systems

#include "systems/stories/install.h"

#include "systems/stories/story_book.h"

namespace gateleg::systems {

void install_stories(model::Runtime& runtime, const Services& services) {
    stories::install_nodes(runtime);
    stories::install_copies(runtime, services.secret);
    stories::install_shares(runtime);
    stories::install_care(runtime);
    stories::install_generation(runtime, services);
}

}  // namespace gateleg::systems

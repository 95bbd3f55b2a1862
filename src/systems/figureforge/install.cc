#include "systems/figureforge/install.h"

#include "systems/accounts/accounts.h"
#include "systems/figureforge/parts.h"

namespace gateleg::systems {

namespace figureforge {

std::int64_t constant_of(
    const model::Runtime& runtime, std::string_view name, std::int64_t otherwise
) {
    const auto* found = runtime.model().find_constant(name);
    return found != nullptr ? model::integer_of({{"x", found->value}}, "x").value_or(otherwise)
                            : otherwise;
}

}  // namespace figureforge

void install_figureforge(model::Runtime& runtime, const Services& services) {
    install_accounts(runtime, services, kFigureforgeAccounts);
    figureforge::install_billing(runtime, services);
    figureforge::install_deletion(runtime, services);
    figureforge::install_features(runtime);
    figureforge::install_galleries(runtime);
    figureforge::install_generation(runtime, services);
    figureforge::install_images(runtime, services);
    figureforge::install_search(runtime, services);
    figureforge::install_uploads(runtime, services);
}

}  // namespace gateleg::systems

#include "systems/accounts/session_lookup.h"

namespace gateleg::systems {

model::CallResult<std::optional<Session>> SessionLookup::find(std::string_view /*token*/) {
    return std::optional<Session>();
}

}  // namespace gateleg::systems

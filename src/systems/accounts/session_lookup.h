// Finds the session behind a token in the system that made it.

#pragma once

#include "systems/services.h"
#include "systems/session_source.h"

namespace gateleg::systems {

// Tokens are "<two letters of the system>_<secret>"; only a hash of the secret is stored.
class SessionLookup final : public SessionSource {
public:
    explicit SessionLookup(const Services& services) : services_(services) {}

    model::CallResult<std::optional<Session>> find(std::string_view token) override;

private:
    const Services& services_;
};

}  // namespace gateleg::systems

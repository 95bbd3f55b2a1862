// Sessions as proof of who calls: made by a system's log-in, found again by their token.

#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "model/call.h"

namespace gateleg::systems {

inline constexpr std::string_view kSessionCookie = "gateleg_session";

struct Session {
    std::string system;  // whose log-in made it
    std::string user;
    std::set<std::string, std::less<>> roles;  // as stored on the user
};

// What a session may do in a system: its roles where it was made, a user elsewhere. A moderator or
// administrator of the gallery is also a moderator in moderation.
std::set<std::string, std::less<>> roles_in(const Session& session, std::string_view system);

// Thread-safe. find() blocks until the store has answered.
class SessionSource {
public:
    virtual ~SessionSource() = default;
    // Nothing if no live session has this token.
    virtual model::CallResult<std::optional<Session>> find(std::string_view token) = 0;
};

}  // namespace gateleg::systems

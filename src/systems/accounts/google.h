// Who a Google ID token speaks for.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "auth/jwt.h"
#include "systems/services.h"

namespace gateleg::systems {

struct GoogleIdentity {
    std::string google_id;
    std::string email;
    bool email_verified = false;
    std::string given_name;
    std::string family_name;
};

// Reads the keys once, from the file that GATELEG_GOOGLE_JWKS names. Immutable afterwards.
class GoogleTokens {
public:
    explicit GoogleTokens(const Services& services);

    bool configured() const { return !client_id_.empty() && keys_.accepts_any(); }
    // Nothing unless Google signed it for this client and it is still valid.
    std::optional<GoogleIdentity> verify(std::string_view id_token, std::int64_t now_seconds) const;

private:
    std::string client_id_;
    auth::JwtVerifier keys_;
};

}  // namespace gateleg::systems

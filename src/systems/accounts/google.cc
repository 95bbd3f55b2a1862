#include "systems/accounts/google.h"

#include <algorithm>

#include "base/log.h"
#include "model/native.h"
#include "value/json_tree.h"

namespace gateleg::systems {
namespace {

bool is_google(std::string_view issuer) {
    return issuer == "accounts.google.com" || issuer == "https://accounts.google.com";
}

bool is_id(std::string_view text) {
    return !text.empty() && text.size() <= 128 &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) {
               return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                      c == '-' || c == '_' || c == '.';
           });
}

}  // namespace

GoogleTokens::GoogleTokens(const Services& services)
    : client_id_(services.find_setting("GATELEG_GOOGLE_CLIENT_ID").value_or("")) {
    const auto file = services.find_setting("GATELEG_GOOGLE_JWKS");
    if (!file) {
        return;
    }
    if (const auto used = keys_.use_key_set_file(*file); !used) {
        log_error("GATELEG_GOOGLE_JWKS cannot be used", {{"reason", used.error().message}});
    }
}

std::optional<GoogleIdentity> GoogleTokens::verify(
    std::string_view id_token, std::int64_t now_seconds
) const {
    const auto text = keys_.genuine_claims(id_token);
    const auto tree = text ? value::parse_json(*text) : Result<value::AttributeValue>(text.error());
    const auto* claims = tree ? std::get_if<value::Map>(&(*tree).data) : nullptr;
    if (claims == nullptr || !is_google(model::text_of(*claims, "iss")) ||
        model::text_of(*claims, "aud") != client_id_ ||
        model::integer_of(*claims, "exp").value_or(0) <= now_seconds) {
        return std::nullopt;
    }
    GoogleIdentity identity{
        .google_id = model::text_of(*claims, "sub"),
        .email = model::text_of(*claims, "email"),
        .email_verified = model::flag_of(*claims, "email_verified"),
        .given_name = model::text_of(*claims, "given_name"),
        .family_name = model::text_of(*claims, "family_name")};
    return is_id(identity.google_id) && !identity.email.empty() ? std::optional(identity)
                                                                : std::nullopt;
}

}  // namespace gateleg::systems

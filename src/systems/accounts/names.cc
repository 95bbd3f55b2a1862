#include "systems/accounts/names.h"

#include "base/time_text.h"
#include "model/native.h"

namespace gateleg::systems {

const AccountNames kFigureforgeAccounts = {
    .system = "figureforge",
    .prefix = "ff",
    .user_id = "user_id",
    .password_hash = "password_hash",
    .salt = "",
    .active = "",
    .deleted = "deleted_at",
    .verified = "email_verified",
    .google_id = "",
    .session_id = "session_id",
    .user_email = "user_email",
    .secret_hash = "secret_hash",
    .created_at = "created_at",
    .expires_at = "expires_at",
    .last_accessed_at = "last_accessed_at",
    .user_agent = "user_agent",
    .mail_token = "mail_token",
    .seconds = true,
};

const AccountNames kGalleryAccounts = {
    .system = "gallery",
    .prefix = "ga",
    .user_id = "userId",
    .password_hash = "passwordHash",
    .salt = "salt",
    .active = "isActive",
    .deleted = "deletedAt",
    .verified = "isEmailVerified",
    .google_id = "googleId",
    .session_id = "sessionId",
    .user_email = "userEmail",
    .secret_hash = "secretHash",
    .created_at = "createdAt",
    .expires_at = "expiresAt",
    .last_accessed_at = "lastAccessedAt",
    .user_agent = "userAgent",
    .mail_token = "mailToken",
    .seconds = false,
};

const AccountNames* find_accounts_by_prefix(std::string_view prefix) {
    for (const auto* names : {&kFigureforgeAccounts, &kGalleryAccounts}) {
        if (names->prefix == prefix) {
            return names;
        }
    }
    return nullptr;
}

bool AccountNames::is_deleted(const value::Item& user) const {
    const auto found = user.find(deleted);
    return found != user.end() && !std::holds_alternative<value::Null>(found->second.data);
}

bool AccountNames::is_active(const value::Item& user) const {
    return !is_deleted(user) && (active.empty() || model::flag_of(user, active));
}

value::AttributeValue AccountNames::to_argument(std::int64_t millis) const {
    return seconds ? model::number(millis / 1000) : model::text(render_rfc3339(millis));
}

std::optional<std::int64_t> AccountNames::millis_of(const value::Item& item, std::string_view name)
    const {
    if (const auto whole = model::integer_of(item, name)) {
        return *whole * 1000;
    }
    return parse_rfc3339_millis(model::text_of(item, name));
}

}  // namespace gateleg::systems

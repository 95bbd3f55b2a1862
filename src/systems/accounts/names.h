// What the two systems with accounts call the same things.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/call.h"
#include "value/attribute_value.h"

namespace gateleg::systems {

// Attributes of users, sessions and mailed tokens; they are also the names of the inputs of the
// operations behind them.
struct AccountNames {
    std::string_view system;
    std::string_view prefix;  // of session tokens
    std::string_view user_id;
    std::string_view password_hash;
    std::string_view salt;    // empty: none is kept beside the hash
    std::string_view active;  // a flag; empty: a user is active unless `deleted`
    std::string_view deleted;
    std::string_view verified;
    std::string_view google_id;  // empty: nobody comes by Google
    std::string_view session_id;
    std::string_view user_email;
    std::string_view secret_hash;
    std::string_view created_at;
    std::string_view expires_at;
    std::string_view last_accessed_at;
    std::string_view user_agent;
    std::string_view mail_token;
    bool seconds = false;  // moments are numbers of seconds, not texts

    bool is_deleted(const value::Item& user) const;
    bool is_active(const value::Item& user) const;
    // A moment as an argument of an operation, and from a stored item or an answer.
    value::AttributeValue to_argument(std::int64_t millis) const;
    std::optional<std::int64_t> millis_of(const value::Item& item, std::string_view name) const;
};

extern const AccountNames kFigureforgeAccounts;
extern const AccountNames kGalleryAccounts;
// Null for a prefix that no system has.
const AccountNames* find_accounts_by_prefix(std::string_view prefix);

}  // namespace gateleg::systems

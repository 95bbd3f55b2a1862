// Calls from providers: who signed them, and what their bodies say.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/native.h"
#include "systems/services.h"
#include "value/attribute_value.h"

namespace gateleg::systems {

struct WebhookBody {
    value::AttributeValue tree;  // an object

    // By a path of names, such as "data.object.items.data.0.id". Null if there is none.
    const value::AttributeValue* find(std::string_view path) const;
    // Empty, nothing or false if there is none or it is of another type.
    std::string text(std::string_view path) const;
    std::optional<std::int64_t> integer(std::string_view path) const;
    bool flag(std::string_view path) const;
};

// Checks "t=<seconds>,v1=<hex>[,v1=..]" in `header` of the call: an HMAC-SHA-256 of "<t>.<body>"
// under a secret of GATELEG_<provider>_WEBHOOK_SECRET, where several, divided by commas, are valid
// during a change. Then reads the body. Fails with SignatureInvalid, SignatureExpired (more than
// 300 s off), MalformedJson, or ProviderNotConfigured without a secret.
//
// Times are those of the real clock, for the provider knows no other; under the clock of a test
// that clock counts as well.
model::CallResult<WebhookBody> read_webhook(
    const Services& services,
    std::string_view provider,
    std::string_view header,
    const model::NativeCall& call
);

// The same in pieces, for those who hold no call.
std::optional<model::CallError> find_signature_problem(
    std::string_view secrets,
    std::string_view signature,
    std::string_view body,
    const std::vector<std::int64_t>& now_seconds
);
// For tests, and for providers that are stand-ins.
std::string sign_webhook(std::string_view secret, std::string_view body, std::int64_t at_seconds);

// The keys of the objects whose making S3's event tells of, at most a thousand.
std::vector<std::string> created_objects(const WebhookBody& body);

// Ids from outside become parts of keys: 1 to 128 of A-Z a-z 0-9 _ . : -
bool is_outside_id(std::string_view text);

}  // namespace gateleg::systems

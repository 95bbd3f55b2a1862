// Access keys of a data directory: what `gateleg keys` calls, on the server that runs on it or, if
// none does, on the directory itself.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "http/handler.h"

namespace gateleg::auth {
class KeyRing;
}

namespace gateleg::app {

struct KeyPlace {
    std::filesystem::path data = "gateleg-data";
    std::filesystem::path key_file = {};  // empty: the default; a running server has its own
};

struct MadeKey {
    std::string id;
    std::string secret;
    std::string scope;
    bool first = false;  // it has turned the gate on
};

struct ShownKey {
    std::string id;
    std::string name;
    std::string scope;
    std::int64_t created_seconds = 0;  // these are 0 if there is no such time
    std::int64_t expires_seconds = 0;
    std::int64_t used_seconds = 0;
    bool from_file = false;
};

struct KeyList {
    bool required = false;  // signatures are asked for
    std::vector<ShownKey> keys;
};

// Throw ConfigError if the directory cannot be used. `lifetime_seconds` of 0 is for ever.
Result<MadeKey> create_key(
    const KeyPlace& place,
    const std::string& name,
    const std::string& scope,
    std::int64_t lifetime_seconds
);
Result<KeyList> list_keys(const KeyPlace& place);
// How many keys are left.
Result<std::size_t> revoke_key(const KeyPlace& place, const std::string& id);

// On the socket file of a server: the paths of keys, and `others` for the rest. Thread-safe. What
// it is given outlives it.
class KeyFace final : public http::Handler {
public:
    KeyFace(http::Handler& others, auth::KeyRing& keys, const Clock& real_clock)
        : others_(others), keys_(keys), real_clock_(real_clock) {}

    void handle(http::Exchange exchange) override;
    std::size_t max_body_bytes(const http::RequestHead& head) const override;
    std::optional<http::Response> refuse_early(const http::RequestHead& head) const override;
    http::Response refusal(int status, std::string_view reason) const override;

private:
    http::Handler& others_;
    auth::KeyRing& keys_;
    const Clock& real_clock_;
};

}  // namespace gateleg::app

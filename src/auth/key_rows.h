// Access keys as they lie in the data directory: a line each, the secret sealed.
//
//     gateleg keys 1 <fingerprint of the master key>
//     <id> TAB <name> TAB <scope> TAB <made> TAB <ends, or 0> TAB <sealed secret, base64>
//
// Times are seconds since the epoch. The seal covers all of the line, so that no row passes for
// another and no scope can be widened.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "auth/master_key.h"
#include "base/result.h"

namespace gateleg::auth {

struct KeyRow {
    std::string id;
    std::string name;
    std::string scope;
    std::int64_t created_seconds = 0;
    std::int64_t expires_seconds = 0;  // 0: never
    std::string sealed = {};           // bytes

    bool operator==(const KeyRow&) const = default;
};

struct KeyRows {
    std::string fingerprint = {};  // empty while there was never a key
    std::vector<KeyRow> rows = {};
};

// Every row has the form that render_key_rows() gives it; errors name `source` and the line.
Result<KeyRows> parse_key_rows(std::string_view text, std::string_view source);
std::string render_key_rows(const KeyRows& keys);

void seal_secret(const MasterKey& key, KeyRow& row, std::string_view secret);
// Fails if the row was changed since, or belongs to another master key.
Result<std::string> open_secret(const MasterKey& key, const KeyRow& row);

// What a key may be called: 1 to 64 letters, digits, '_', '-', '.', '@' and '+'.
bool is_key_name(std::string_view text);

}  // namespace gateleg::auth

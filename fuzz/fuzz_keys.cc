// A scope and a file of keys from bytes: the first line is the scope, the rest the file.
//
// A scope has one text and never allows more with fewer stars; rows that were read are written the
// same, and none opens that the master key did not seal.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "auth/key_rows.h"
#include "auth/scope.h"
#include "base/check.h"

using namespace gateleg::auth;

namespace {

void check_scope(std::string_view text) {
    const auto scope = Scope::parse(text);
    if (!scope) {
        return;
    }
    const auto again = Scope::parse(scope->text());
    GATELEG_CHECK(again && again->text() == scope->text());
    for (const auto kind : {ResourceKind::kTable, ResourceKind::kBucket}) {
        for (const auto action : {Action::kRead, Action::kWrite, Action::kAdmin}) {
            const bool all = scope->allows(action, kind, kEveryName);
            for (const auto name : {std::string_view("Orders"), text.substr(0, 255)}) {
                GATELEG_CHECK(!all || scope->allows(action, kind, name));
                GATELEG_CHECK(
                    again->allows(action, kind, name) == scope->allows(action, kind, name)
                );
                GATELEG_CHECK(!scope->allows_everything() || scope->allows(action, kind, name));
            }
        }
    }
}

void check_rows(std::string_view text) {
    static const auto key = *MasterKey::parse(std::string(64, '7'));
    const auto keys = parse_key_rows(text, "fuzz");
    if (!keys) {
        return;
    }
    const auto again = parse_key_rows(render_key_rows(*keys), "fuzz");
    GATELEG_CHECK(again && again->rows == keys->rows && again->fingerprint == keys->fingerprint);
    for (auto row : keys->rows) {
        GATELEG_CHECK(!open_secret(key, row));
        seal_secret(key, row, "secret");
        GATELEG_CHECK(*open_secret(key, row) == "secret");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto line = input.substr(0, input.find('\n'));
    check_scope(line);
    check_rows(input.substr(std::min(line.size() + 1, input.size())));
    return 0;
}

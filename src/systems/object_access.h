// What the systems need of an object store, whatever stands behind it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gateleg::systems {

struct StoredObject {
    std::uint64_t size = 0;
    std::string content_type;
};

// Thread-safe. All but the addresses block.
class ObjectAccess {
public:
    virtual ~ObjectAccess() = default;

    // Addresses that anybody may use until they expire, by the clock in force.
    virtual Result<std::string> presign_put(
        std::string_view key, std::string_view content_type, std::int64_t seconds
    ) const = 0;
    virtual Result<std::string> presign_get(std::string_view key, std::int64_t seconds) const = 0;
    // Nothing if there is no such object.
    virtual Result<std::optional<StoredObject>> head(std::string_view key) const = 0;
    // Succeeds if there is none.
    virtual Result<void> remove(std::string_view key) = 0;
};

}  // namespace gateleg::systems

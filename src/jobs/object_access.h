// What deliveries need of an object store. Whoever has one implements it.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gateleg::jobs {

struct StoredObject {
    std::string key;
    std::uint64_t size = 0;
    std::string content_type = {};
    std::uint32_t width = 0;  // 0: not known
    std::uint32_t height = 0;
};

// Thread-safe; calls block. Both may be repeated.
class ObjectAccess {
public:
    virtual ~ObjectAccess() = default;

    // Fetches the URL, under the rules of outgoing requests, and stores its content.
    virtual Result<StoredObject> copy_in(std::string_view url, std::string_view key) = 0;
    // Succeeds if there is none.
    virtual Result<void> remove(std::string_view key) = 0;
};

}  // namespace gateleg::jobs

// What deliveries need of an object store. Whoever has one implements it.

#pragma once

#include <cstdint>
#include <optional>
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

// Thread-safe; calls block. All may be repeated.
class ObjectAccess {
public:
    virtual ~ObjectAccess() = default;

    // Fetches the URL, under the rules of outgoing requests, and stores its content.
    virtual Result<StoredObject> copy_in(std::string_view url, std::string_view key) = 0;
    // Stores a small picture of the object; nothing if it is no image, or gone.
    virtual Result<std::optional<StoredObject>> make_thumbnail(
        std::string_view key, std::string_view out_key, std::uint32_t max_edge
    ) = 0;
    // Where a provider may fetch the object, for a day.
    virtual Result<std::string> make_link(std::string_view key) const = 0;
    // Succeeds if there is none.
    virtual Result<void> remove(std::string_view key) = 0;
};

}  // namespace gateleg::jobs

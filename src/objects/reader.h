// An object that is being read: what it was when it was opened, whatever is written meanwhile.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/result.h"
#include "objects/types.h"

namespace gateleg::objects {

namespace internal {
class OpenBodies;
}

// A stretch of one file. The descriptor belongs to the reader.
struct FileStretch {
    int fd = -1;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

// One thread at a time, any thread; the store outlives it. The body stays readable while this
// exists, even if the object is deleted or replaced.
class ObjectReader {
public:
    ~ObjectReader();
    ObjectReader(ObjectReader&&) noexcept;
    ObjectReader& operator=(ObjectReader&&) noexcept;

    const ObjectInfo& info() const { return info_; }

    // Fills `out` from `offset` on, and says how much: less only at the end of the object.
    Result<std::size_t> read(std::uint64_t offset, std::span<char> out);

    // Where the bytes from `offset` on lie, for sendfile: as many of `size` as one file holds. An
    // object that was put in one piece is one stretch, one made of parts a stretch for each. The
    // descriptor is good until the next call of stretch() or read().
    Result<FileStretch> stretch(std::uint64_t offset, std::uint64_t size);

    // Where the part of this number lies, from 1; nothing if there is none. An object that was put
    // in one piece is its own part 1.
    std::optional<ByteRange> part(int number) const;

private:
    friend class ObjectStore;
    ObjectReader(ObjectInfo info, std::unique_ptr<internal::OpenBodies> bodies);

    ObjectInfo info_;
    std::unique_ptr<internal::OpenBodies> bodies_;
};

}  // namespace gateleg::objects

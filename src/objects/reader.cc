#include "objects/reader.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <unistd.h>

#include "objects/internal/open_bodies.h"

namespace gateleg::objects {

namespace internal {

OpenBodies::OpenBodies(BodyFiles& files, std::vector<Segment> segments)
    : files_(files), segments_(std::move(segments)), starts_{0} {
    for (const auto& segment : segments_) {
        files_.pin(segment.body);
        starts_.push_back(starts_.back() + segment.size);
    }
}

OpenBodies::~OpenBodies() {
    for (const auto& segment : segments_) {
        files_.unpin(segment.body);
    }
}

ByteRange OpenBodies::segment(std::size_t index) const {
    return {starts_[index], segments_[index].size};
}

Result<FileStretch> OpenBodies::stretch(std::uint64_t offset, std::uint64_t size) {
    if (offset >= this->size()) {
        return FileStretch{-1, 0, 0};
    }
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
    const auto index = static_cast<std::size_t>(after - starts_.begin()) - 1;
    if (opened_ != index) {
        GATELEG_TRY_ASSIGN(fd_, files_.open(segments_[index].body));
        if (!fd_) {
            opened_ = SIZE_MAX;
            return internal_error("the body of an object is missing; run gateleg fsck-objects");
        }
        opened_ = index;
    }
    const auto inside = offset - starts_[index];
    return FileStretch{fd_.get(), inside, std::min(size, segments_[index].size - inside)};
}

}  // namespace internal

ObjectReader::ObjectReader(ObjectInfo info, std::unique_ptr<internal::OpenBodies> bodies)
    : info_(std::move(info)), bodies_(std::move(bodies)) {}
ObjectReader::~ObjectReader() = default;
ObjectReader::ObjectReader(ObjectReader&&) noexcept = default;
ObjectReader& ObjectReader::operator=(ObjectReader&&) noexcept = default;

Result<std::size_t> ObjectReader::read(std::uint64_t offset, std::span<char> out) {
    std::size_t filled = 0;
    while (filled < out.size()) {
        GATELEG_TRY_ASSIGN(
            const auto stretch, bodies_->stretch(offset + filled, out.size() - filled)
        );
        if (stretch.size == 0) {
            break;
        }
        const auto got = ::pread(
            stretch.fd, out.data() + filled, stretch.size, static_cast<off_t>(stretch.offset)
        );
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return internal::file_error("read a body");
        }
        if (got == 0) {
            return internal_error("a body is shorter than its record; run gateleg fsck-objects");
        }
        filled += static_cast<std::size_t>(got);
    }
    return filled;
}

Result<FileStretch> ObjectReader::stretch(std::uint64_t offset, std::uint64_t size) {
    return bodies_->stretch(offset, size);
}

std::optional<ByteRange> ObjectReader::part(int number) const {
    if (number < 1 || static_cast<std::size_t>(number) > bodies_->segments()) {
        return std::nullopt;
    }
    return bodies_->segment(static_cast<std::size_t>(number) - 1);
}

}  // namespace gateleg::objects

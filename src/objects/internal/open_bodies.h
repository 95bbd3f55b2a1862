// The segments of an object that is being read.

#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "objects/internal/body_files.h"
#include "objects/internal/records.h"
#include "objects/reader.h"

namespace gateleg::objects::internal {

// One thread at a time. Pins every segment, so that all of them stay readable.
class OpenBodies {
public:
    OpenBodies(BodyFiles& files, std::vector<Segment> segments);
    ~OpenBodies();
    OpenBodies(const OpenBodies&) = delete;
    OpenBodies& operator=(const OpenBodies&) = delete;

    std::uint64_t size() const { return starts_.back(); }
    std::size_t segments() const { return segments_.size(); }
    const std::vector<Segment>& list() const { return segments_; }
    ByteRange segment(std::size_t index) const;
    Result<FileStretch> stretch(std::uint64_t offset, std::uint64_t size);

private:
    BodyFiles& files_;
    const std::vector<Segment> segments_;
    std::vector<std::uint64_t> starts_;  // one more than there are segments
    std::size_t opened_ = SIZE_MAX;
    FileDescriptor fd_;
};

}  // namespace gateleg::objects::internal

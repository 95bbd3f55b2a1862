#include "http/internal/body_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "http/request.h"

namespace gateleg::http {
namespace {

constexpr std::size_t kFirstBytes = std::size_t{8} * 1024;

}  // namespace

bool BodyBuffer::ensure_capacity(std::size_t bytes) {
    if (bytes <= capacity_) {
        return true;
    }
    if (!pool_.reserve(bytes)) {
        return false;
    }
    auto larger = std::make_unique_for_overwrite<char[]>(bytes + kBodyPadding);
    if (size_ != 0) {
        std::memcpy(larger.get(), data_.get(), size_);
    }
    pool_.give_back(capacity_);
    data_ = std::move(larger);
    capacity_ = bytes;
    return true;
}

bool BodyBuffer::append(std::string_view bytes) {
    if (bytes.empty()) {
        return true;  // there may be no memory yet, and memcpy does not take a null pointer
    }
    const auto needed = size_ + bytes.size();
    if (needed > capacity_ && !ensure_capacity(std::max({needed, 2 * capacity_, kFirstBytes}))) {
        return false;
    }
    std::memcpy(free_space(), bytes.data(), bytes.size());
    size_ = needed;
    return true;
}

void BodyBuffer::free() {
    data_.reset();
    pool_.give_back(capacity_);
    size_ = capacity_ = 0;
}

}  // namespace gateleg::http

#include "http/internal/thread_times.h"

#include <array>
#include <cinttypes>
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

namespace gateleg::http {

ThreadTimes::~ThreadTimes() {
    if (const int file = file_; file >= 0) {
        ::close(file);
    }
}

void ThreadTimes::open() {
    file_ = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
}

ThreadTimes::Sum ThreadTimes::read() const {
    std::array<char, 96> text{};
    std::int64_t ran = 0;
    std::int64_t waited = 0;
    const int file = file_.load(std::memory_order_acquire);
    if (file < 0 || ::pread(file, text.data(), text.size() - 1, 0) <= 0 ||
        std::sscanf(text.data(), "%" SCNd64 " %" SCNd64, &ran, &waited) != 2) {
        return {};
    }
    return {std::chrono::nanoseconds(ran), std::chrono::nanoseconds(waited)};
}

}  // namespace gateleg::http

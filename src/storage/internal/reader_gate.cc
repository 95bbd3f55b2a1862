#include "storage/internal/reader_gate.h"

#include <algorithm>
#include <functional>
#include <thread>

namespace gateleg::storage::internal {
namespace {

std::size_t slot_of_this_thread() {
    // Thread ids are addresses with equal low bits; the product's high bits tell them apart.
    const std::uint64_t id = std::hash<std::thread::id>{}(std::this_thread::get_id());
    return static_cast<std::size_t>((id * 0x9E3779B97F4A7C15ULL) >> 60);
}

}  // namespace

ReaderGate::Pass ReaderGate::enter() {
    Slot& slot = slots_[slot_of_this_thread()];
    while (true) {
        // Count first, then look: close() does it the other way round, so one of us sees the other.
        slot.readers.fetch_add(1);
        if (!closed_.load()) {
            return Pass(&slot);
        }
        slot.readers.fetch_sub(1);
        closed_.wait(true);
    }
}

bool ReaderGate::close(std::chrono::milliseconds limit) {
    closed_.store(true);
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!empty()) {
        if (std::chrono::steady_clock::now() > deadline) {
            open();
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

void ReaderGate::open() {
    closed_.store(false);
    closed_.notify_all();
}

bool ReaderGate::empty() const {
    return std::all_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
        return slot.readers.load() == 0;
    });
}

}  // namespace gateleg::storage::internal

// Counts readers of something that is now and then replaced. Entering costs one uncontended atomic
// add, which a shared_mutex with its single counter does not manage on many cores.

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

namespace gateleg::storage::internal {

// Thread-safe.
class ReaderGate {
    struct alignas(64) Slot {
        std::atomic<std::int64_t> readers{0};
    };

public:
    // Held while reading; may be given up on another thread than the one that got it.
    class Pass {
    public:
        Pass(Pass&& other) noexcept : slot_(std::exchange(other.slot_, nullptr)) {}
        Pass& operator=(Pass&&) = delete;
        ~Pass() {
            if (slot_ != nullptr) {
                slot_->readers.fetch_sub(1);
            }
        }
        // A second pass. It never waits: this one keeps the gate from closing.
        Pass again() const {
            slot_->readers.fetch_add(1);
            return Pass(slot_);
        }

    private:
        friend class ReaderGate;
        explicit Pass(Slot* slot) : slot_(slot) {}
        Slot* slot_;
    };

    // Waits while the gate is closed.
    Pass enter();

    // Lets nobody in and waits until nobody is inside. False if readers were still inside after
    // `limit`; the gate is then open as before. Only one thread may close and open.
    bool close(std::chrono::milliseconds limit);
    void open();

private:
    bool empty() const;

    std::array<Slot, 16> slots_;
    std::atomic<bool> closed_{false};
};

}  // namespace gateleg::storage::internal

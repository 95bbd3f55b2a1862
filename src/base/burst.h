// Tells what is called on this thread that many calls like it follow at once, so that work which
// can be handed to another thread should be: whoever answers hundreds of requests in a row would
// otherwise send every reply itself.

#pragma once

#include <utility>

namespace gateleg {

// Holds for the calling thread until it is gone. May be nested.
class Burst {
public:
    explicit Burst(bool many) : before_(std::exchange(active_, active_ || many)) {}
    ~Burst() { active_ = before_; }
    Burst(const Burst&) = delete;
    Burst& operator=(const Burst&) = delete;

    static bool is_active() { return active_; }

private:
    inline static thread_local bool active_ = false;
    bool before_;
};

}  // namespace gateleg

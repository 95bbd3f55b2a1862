#include "base/file_lock.h"

#include <cerrno>
#include <chrono>
#include <thread>

#include <sys/file.h>

namespace gateleg {
namespace {

constexpr int kTries = 100;
constexpr auto kPause = std::chrono::milliseconds(10);

}  // namespace

bool lock_exclusively(int descriptor) {
    for (int tries = 1; ::flock(descriptor, LOCK_EX | LOCK_NB) != 0; ++tries) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || tries == kTries) {
            return false;
        }
        std::this_thread::sleep_for(kPause);
    }
    return true;
}

}  // namespace gateleg

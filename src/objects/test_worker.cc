// Lets the test program be its own thumbnail worker: before main, as that belongs to the tests.

#include <fstream>
#include <string>

#include <unistd.h>

#include "objects/thumbnail.h"

namespace gateleg::objects {
namespace {

[[maybe_unused]] const bool is_worker = [] {
    std::ifstream command("/proc/self/cmdline", std::ios::binary);
    std::string program;
    std::string name;
    std::getline(command, program, '\0');
    if (!std::getline(command, name, '\0') || name != "thumbnail-worker") {
        return false;
    }
    std::string edge;
    std::string memory;
    std::string seconds;
    std::getline(command, edge, '\0');
    std::getline(command, memory, '\0');
    std::getline(command, seconds, '\0');
    ::_exit(thumbnail_worker_main(
        static_cast<std::uint32_t>(std::stoul(edge)), std::stoull(memory), std::stoull(seconds)
    ));
}();

}  // namespace
}  // namespace gateleg::objects

#include "app/admin_socket.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace gateleg::app {
namespace {

constexpr const char* kName = "admin.sock";

}  // namespace

AdminSocket::AdminSocket(const std::filesystem::path& data) : path_((data / kName).string()) {
    if (path_.size() < sizeof(sockaddr_un::sun_path)) {
        return;
    }
    // Socket addresses are short; the kernel knows the directory by another name as well.
    directory_ = ::open(data.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory_ < 0) {
        throw std::runtime_error(data.string() + ": " + std::strerror(errno));
    }
    path_ = "/proc/self/fd/" + std::to_string(directory_) + "/" + kName;
}

AdminSocket::~AdminSocket() {
    if (directory_ >= 0) {
        ::close(directory_);
    }
}

bool AdminSocket::answers() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) {
        return false;
    }
    const bool connected =
        ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(socket);
    return connected;
}

void AdminSocket::remove() const {
    ::unlink(path_.c_str());
}

}  // namespace gateleg::app

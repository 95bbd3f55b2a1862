// The socket file through which commands reach the server that has a data directory open.

#pragma once

#include <filesystem>
#include <string>

namespace gateleg::app {

// Where it is. One thread at a time; a path is good for as long as its object lives.
class AdminSocket {
public:
    // Does not look whether anything is there. Throws std::runtime_error if the directory is not.
    explicit AdminSocket(const std::filesystem::path& data);
    ~AdminSocket();
    AdminSocket(const AdminSocket&) = delete;
    AdminSocket& operator=(const AdminSocket&) = delete;

    // For bind() and connect(), whatever the length of the directory's own path.
    const std::string& path() const { return path_; }

    // True if a server accepts connections there.
    bool answers() const;
    void remove() const;

private:
    int directory_ = -1;
    std::string path_;
};

}  // namespace gateleg::app

// Folders and damage, for tests.

#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include <stdlib.h>

namespace gateleg::storage::internal {

// A folder that is gone with its owner.
class TestDirectory {
public:
    TestDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "storage-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) {
            throw std::runtime_error("mkdtemp failed");
        }
        path_ = name;
    }
    ~TestDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TestDirectory(const TestDirectory&) = delete;
    TestDirectory& operator=(const TestDirectory&) = delete;

    std::filesystem::path operator/(const char* name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

// The largest file with this extension, such as the log that holds the data.
inline std::filesystem::path largest_file(
    const std::filesystem::path& directory, const std::string& extension
) {
    std::filesystem::path largest;
    for (const auto& file : std::filesystem::directory_iterator(directory)) {
        if (file.path().extension() == extension &&
            (largest.empty() || file.file_size() > std::filesystem::file_size(largest))) {
            largest = file.path();
        }
    }
    return largest;
}

inline void flip_bit(const std::filesystem::path& path, std::uintmax_t offset) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(static_cast<char>(byte ^ 0x10));
}

inline void append_bytes(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::app | std::ios::binary) << bytes;
}

inline bool happens_within(
    std::chrono::milliseconds limit, const std::function<bool()>& condition
) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

}  // namespace gateleg::storage::internal

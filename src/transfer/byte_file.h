// Files of bytes that may be compressed: read piece by piece, and written so that a file that was
// being written when the process died can be gone on with.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gateleg::transfer {

enum class Compression : std::uint8_t { kNone, kGzip, kZstd };

// By the first bytes, whatever the name says. An unreadable file is kNone; open_bytes() tells.
Compression compression_of(const std::filesystem::path& path);

// The bytes of a file after decompression. One thread at a time.
class ByteReader {
public:
    virtual ~ByteReader() = default;
    // Appends the next piece to `out`; false at the end. Errors name the file.
    virtual Result<bool> read(std::string& out) = 0;
};
// `name` is for errors.
Result<std::unique_ptr<ByteReader>> open_bytes(
    const std::filesystem::path& path, Compression compression, std::string name
);

// A file that grows by pieces, each of which is on the disk when append() returns. With gzip each
// is a member: several of them one behind the other are a valid file. One thread at a time.
class FileAppender {
public:
    // Keeps the first `length` bytes of what is there.
    static Result<FileAppender> open(
        const std::filesystem::path& path, std::int64_t length, bool gzip
    );
    FileAppender(FileAppender&& other) noexcept;
    FileAppender& operator=(FileAppender&& other) = delete;
    ~FileAppender();

    Result<void> append(std::string_view text);
    std::int64_t length() const { return length_; }

private:
    FileAppender(int file, std::string name, std::int64_t length, bool gzip);

    int file_;
    std::string name_;
    std::int64_t length_;
    bool gzip_;
};

// Whole or not at all, and on the disk.
Result<void> replace_file(const std::filesystem::path& path, std::string_view text);
// At most `max_bytes`; the file is named in errors.
Result<std::string> read_whole_file(
    const std::filesystem::path& path, std::size_t max_bytes = std::size_t{256} << 20
);

struct FileDigest {
    std::string md5_base64;
    std::string md5_hex;
    std::int64_t size = 0;
};
Result<FileDigest> digest_file(const std::filesystem::path& path);

}  // namespace gateleg::transfer

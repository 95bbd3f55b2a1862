#include "transfer/byte_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/base64.h"
#include "objects/checksum.h"

namespace gateleg::transfer {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10;
constexpr int kGzipOnly = 16 + MAX_WBITS;

Error file_error(const std::string& name, std::string_view what) {
    return validation_error(name + ": " + std::string(what) + ": " + std::strerror(errno));
}

// What all readers share: the file, and pieces of it as they are.
class PlainReader : public ByteReader {
public:
    PlainReader(std::FILE* file, std::string name) : file_(file), name_(std::move(name)) {}
    ~PlainReader() override { std::fclose(file_); }
    PlainReader(const PlainReader&) = delete;
    PlainReader& operator=(const PlainReader&) = delete;

    Result<bool> read(std::string& out) override {
        GATELEG_TRY_ASSIGN(const auto piece, next());
        out.append(piece);
        return !piece.empty();
    }

protected:
    Result<std::string_view> next() {
        const auto count = std::fread(piece_.data(), 1, piece_.size(), file_);
        if (count == 0 && std::ferror(file_) != 0) {
            return file_error(name_, "cannot be read");
        }
        return std::string_view(piece_.data(), count);
    }
    const std::string& name() const { return name_; }

private:
    std::FILE* file_;
    std::string name_;
    std::string piece_ = std::string(kPiece, '\0');
};

class GzipReader final : public PlainReader {
public:
    GzipReader(std::FILE* file, std::string name) : PlainReader(file, std::move(name)) {
        ready_ = inflateInit2(&stream_, kGzipOnly) == Z_OK;
    }
    ~GzipReader() override { inflateEnd(&stream_); }
    GzipReader(const GzipReader&) = delete;
    GzipReader& operator=(const GzipReader&) = delete;

    Result<bool> read(std::string& out) override {
        if (!ready_) {
            return internal_error("inflateInit2 failed");
        }
        for (;;) {
            if (stream_.avail_in == 0) {
                GATELEG_TRY_ASSIGN(const auto piece, next());
                if (piece.empty()) {
                    if (inside_) {
                        return validation_error(name() + ": the gzip data ends in the middle");
                    }
                    return false;
                }
                stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
                stream_.avail_in = static_cast<uInt>(piece.size());
            }
            if (!inside_) {
                inflateReset(&stream_);
                inside_ = true;
            }
            const auto used = out.size();
            out.resize(used + kPiece);
            stream_.next_out = reinterpret_cast<Bytef*>(out.data() + used);
            stream_.avail_out = kPiece;
            const int status = inflate(&stream_, Z_NO_FLUSH);
            out.resize(out.size() - stream_.avail_out);
            if (status == Z_STREAM_END) {
                inside_ = false;
            } else if (status != Z_OK && status != Z_BUF_ERROR) {
                return validation_error(name() + ": not valid gzip data");
            }
            if (out.size() > used) {
                return true;
            }
        }
    }

private:
    z_stream stream_{};
    bool ready_ = false;
    bool inside_ = false;
};

class ZstdReader final : public PlainReader {
public:
    ZstdReader(std::FILE* file, std::string name)
        : PlainReader(file, std::move(name)), stream_(ZSTD_createDStream()) {}
    ~ZstdReader() override { ZSTD_freeDStream(stream_); }
    ZstdReader(const ZstdReader&) = delete;
    ZstdReader& operator=(const ZstdReader&) = delete;

    Result<bool> read(std::string& out) override {
        for (;;) {
            if (input_.pos == input_.size) {
                GATELEG_TRY_ASSIGN(const auto piece, next());
                if (piece.empty()) {
                    if (inside_) {
                        return validation_error(name() + ": the zstd data ends in the middle");
                    }
                    return false;
                }
                input_ = {piece.data(), piece.size(), 0};
            }
            const auto used = out.size();
            out.resize(used + kPiece);
            ZSTD_outBuffer output{out.data() + used, kPiece, 0};
            const auto status = ZSTD_decompressStream(stream_, &output, &input_);
            out.resize(used + output.pos);
            if (ZSTD_isError(status) != 0) {
                return validation_error(name() + ": not valid zstd data");
            }
            inside_ = status != 0;
            if (output.pos > 0) {
                return true;
            }
        }
    }

private:
    ZSTD_DStream* stream_;
    ZSTD_inBuffer input_{nullptr, 0, 0};
    bool inside_ = false;
};

Result<std::string> compress(std::string_view text) {
    z_stream stream{};
    if (deflateInit2(&stream, 6, Z_DEFLATED, kGzipOnly, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        return internal_error("deflateInit2 failed");
    }
    std::string out(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int status = deflate(&stream, Z_FINISH);
    out.resize(out.size() - stream.avail_out);
    deflateEnd(&stream);
    if (status != Z_STREAM_END) {
        return internal_error("deflate failed");
    }
    return out;
}

bool write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto count = ::write(file, bytes.data(), bytes.size());
        if (count < 0 && errno != EINTR) {
            return false;
        }
        bytes.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace

Compression compression_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::array<char, 4> first{};
    file.read(first.data(), first.size());
    const std::string_view head(first.data(), static_cast<std::size_t>(file.gcount()));
    if (head.starts_with("\x1f\x8b")) {
        return Compression::kGzip;
    }
    return head == "\x28\xb5\x2f\xfd" ? Compression::kZstd : Compression::kNone;
}

Result<std::unique_ptr<ByteReader>> open_bytes(
    const std::filesystem::path& path, Compression compression, std::string name
) {
    auto* file = std::fopen(path.c_str(), "rbe");
    if (file == nullptr) {
        return file_error(name, "cannot be opened");
    }
    std::unique_ptr<ByteReader> reader;
    switch (compression) {
        case Compression::kNone:
            reader = std::make_unique<PlainReader>(file, std::move(name));
            break;
        case Compression::kGzip:
            reader = std::make_unique<GzipReader>(file, std::move(name));
            break;
        case Compression::kZstd:
            reader = std::make_unique<ZstdReader>(file, std::move(name));
            break;
    }
    return reader;
}

FileAppender::FileAppender(int file, std::string name, std::int64_t length, bool gzip)
    : file_(file), name_(std::move(name)), length_(length), gzip_(gzip) {}
FileAppender::FileAppender(FileAppender&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      name_(std::move(other.name_)),
      length_(other.length_),
      gzip_(other.gzip_) {}
FileAppender::~FileAppender() {
    if (file_ >= 0) {
        ::close(file_);
    }
}

Result<FileAppender> FileAppender::open(
    const std::filesystem::path& path, std::int64_t length, bool gzip
) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
        return file_error(path.string(), "cannot be written");
    }
    FileAppender appender(file, path.string(), length, gzip);
    const auto end = ::lseek(file, 0, SEEK_END);
    if (end < length) {
        return validation_error(
            path.string() + ": is shorter than the state of the export says; begin anew"
        );
    }
    if (::ftruncate(file, length) != 0 || ::lseek(file, length, SEEK_SET) != length) {
        return file_error(path.string(), "cannot be cut");
    }
    return appender;
}

Result<void> FileAppender::append(std::string_view text) {
    std::string packed;
    if (gzip_) {
        GATELEG_TRY_ASSIGN(packed, compress(text));
    }
    const auto bytes = gzip_ ? std::string_view(packed) : text;
    if (!write_all(file_, bytes) || ::fdatasync(file_) != 0) {
        return file_error(name_, "cannot be written");
    }
    length_ += static_cast<std::int64_t>(bytes.size());
    return {};
}

Result<void> replace_file(const std::filesystem::path& path, std::string_view text) {
    auto fresh = path;
    fresh += ".new";
    const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) {
        return file_error(fresh.string(), "cannot be written");
    }
    const bool written = write_all(file, text) && ::fdatasync(file) == 0;
    ::close(file);
    if (!written || std::rename(fresh.c_str(), path.c_str()) != 0) {
        return file_error(path.string(), "cannot be written");
    }
    return {};
}

Result<std::string> read_whole_file(const std::filesystem::path& path, std::size_t max_bytes) {
    GATELEG_TRY_ASSIGN(const auto reader, open_bytes(path, Compression::kNone, path.string()));
    std::string text;
    for (;;) {
        GATELEG_TRY_ASSIGN(const bool more, reader->read(text));
        if (!more) {
            return text;
        }
        if (text.size() > max_bytes) {
            return validation_error(path.string() + ": is too large");
        }
    }
}

Result<FileDigest> digest_file(const std::filesystem::path& path) {
    GATELEG_TRY_ASSIGN(const auto reader, open_bytes(path, Compression::kNone, path.string()));
    const auto digester = objects::make_md5();
    FileDigest digest;
    for (std::string piece;; piece.clear()) {
        GATELEG_TRY_ASSIGN(const bool more, reader->read(piece));
        if (!more) {
            break;
        }
        digester->update(piece);
        digest.size += static_cast<std::int64_t>(piece.size());
    }
    const auto md5 = digester->finish();
    digest.md5_base64 = encode_base64(md5);
    digest.md5_hex = objects::hex_of(md5);
    return digest;
}

}  // namespace gateleg::transfer

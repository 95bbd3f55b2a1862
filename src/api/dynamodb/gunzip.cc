#include "api/dynamodb/gunzip.h"

#include <algorithm>

#include <zlib.h>

namespace gateleg::api::dynamodb {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;
constexpr std::size_t kStepBytes = 64 * 1024;
constexpr std::size_t kMaxRatio = 100;

class Inflater {
public:
    Inflater() { ready_ = inflateInit2(&stream_, kGzipOnly) == Z_OK; }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    bool ready() const { return ready_; }
    z_stream& stream() { return stream_; }

private:
    z_stream stream_{};
    bool ready_ = false;
};

Error broken() {
    return serialization_error("The request body is not valid gzip");
}

}  // namespace

Result<std::string> gunzip(
    std::string_view compressed, std::size_t max_bytes, std::size_t padding
) {
    Inflater inflater;
    if (!inflater.ready()) {
        return internal_error("inflateInit2 failed");
    }
    // A small body may grow more than a hundredfold: it stays small.
    const auto limit = std::min(max_bytes, std::max(compressed.size() * kMaxRatio, kStepBytes));
    auto& stream = inflater.stream();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
    stream.avail_in = static_cast<uInt>(compressed.size());
    std::string out;
    for (;;) {
        const auto used = out.size();
        out.resize(used + kStepBytes);
        stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
        stream.avail_out = kStepBytes;
        const int status = inflate(&stream, Z_NO_FLUSH);
        out.resize(out.size() - stream.avail_out);
        if (out.size() > limit) {
            return Error{
                ErrorCode::kRequestTooLarge, "The request body is too large after decompression"};
        }
        if (status == Z_STREAM_END) {
            break;
        }
        if (status != Z_OK || (stream.avail_in == 0 && stream.avail_out != 0)) {
            return broken();
        }
    }
    if (stream.avail_in != 0) {
        return broken();
    }
    out.append(padding, '\0');
    return out;
}

}  // namespace gateleg::api::dynamodb

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <jpeglib.h>
// After jpeglib.h, which it needs.
#include <jerror.h>

#include "objects/internal/picture.h"

namespace gateleg::objects::internal {

namespace {

constexpr int kQuality = 85;
constexpr int kExif = JPEG_APP0 + 1;
constexpr unsigned kMarkerBytes = 0xFFFF;
// A progressive picture may repeat its whole area in every scan; this many no honest one has.
constexpr int kMaxScans = 500;

// libjpeg leaves by longjmp. What it jumps over here has no destructors: buffers are made before,
// and belong to the caller.
struct Failure {
    jpeg_error_mgr manager;
    std::jmp_buf leave;
};

void fail(j_common_ptr info) {
    std::longjmp(reinterpret_cast<Failure*>(info->err)->leave, 1);
}

void count_scans(j_common_ptr info) {
    if (info->is_decompressor != 0 &&
        reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > kMaxScans) {
        fail(info);
    }
}

// A file that ends early would be filled up with grey. Lesser damage is let pass, as browsers do.
void judge_warning(j_common_ptr info, int level) {
    if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) {
        fail(info);
    }
}

jpeg_error_mgr* quiet_errors(Failure& failure) {
    auto* manager = jpeg_std_error(&failure.manager);
    manager->error_exit = fail;
    manager->emit_message = judge_warning;
    manager->output_message = [](j_common_ptr) {};
    return manager;
}

std::uint32_t number(const unsigned char* at, int bytes, bool little) {
    std::uint32_t value = 0;
    for (int i = 0; i < bytes; ++i) {
        value = value << 8 | at[little ? bytes - 1 - i : i];
    }
    return value;
}

// Tag 0x0112 of the first directory, or 1.
int orientation_in(const unsigned char* data, std::size_t size) {
    constexpr std::size_t kTiff = 6;  // after "Exif\0\0"
    if (size < kTiff + 8 || std::string_view(reinterpret_cast<const char*>(data), 4) != "Exif") {
        return 1;
    }
    const auto* tiff = data + kTiff;
    const auto left = size - kTiff;
    const bool little = tiff[0] == 'I';
    const std::size_t directory = number(tiff + 4, 4, little);
    if (directory > left || left - directory < 2) {
        return 1;
    }
    const auto entries = number(tiff + directory, 2, little);
    for (std::uint32_t i = 0; i < entries; ++i) {
        const auto at = directory + 2 + std::size_t{i} * 12;
        if (left - std::min(left, at) < 12) {
            return 1;
        }
        if (number(tiff + at, 2, little) == 0x0112) {
            return static_cast<int>(number(tiff + at + 8, 2, little));
        }
    }
    return 1;
}

int find_orientation(const jpeg_decompress_struct& info) {
    for (const auto* marker = info.marker_list; marker != nullptr; marker = marker->next) {
        if (marker->marker == kExif) {
            return orientation_in(marker->data, marker->data_length);
        }
    }
    return 1;
}

// The largest division by 2, 4 or 8 that leaves at least `max_edge`.
unsigned denominator(const jpeg_decompress_struct& info, std::uint32_t max_edge) {
    const auto edge = std::max(info.image_width, info.image_height);
    for (const unsigned by : {8U, 4U, 2U}) {
        if (edge / by >= max_edge) {
            return by;
        }
    }
    return 1;
}

void widen_row(const unsigned char* from, std::uint8_t* to, std::uint32_t width, bool cmyk) {
    for (std::uint32_t x = 0; x < width; ++x, to += 4) {
        if (cmyk) {
            // Adobe's files, the only ones there are, hold the colours inverted.
            const unsigned black = from[x * 4 + 3];
            for (unsigned c = 0; c < 3; ++c) {
                to[c] = static_cast<std::uint8_t>(from[x * 4 + c] * black / 255);
            }
        } else {
            std::copy_n(from + x * 3, 3, to);
        }
        to[3] = 0xFF;
    }
}

bool decode(
    std::string_view bytes, std::uint32_t max_edge, Picture& out, std::string& row, int& orientation
) {
    jpeg_decompress_struct info{};
    Failure failure{};
    info.err = quiet_errors(failure);
    if (setjmp(failure.leave) != 0) {  // NOLINT: libjpeg's way
        jpeg_destroy_decompress(&info);
        return false;
    }
    jpeg_create_decompress(&info);
    jpeg_progress_mgr progress{};
    progress.progress_monitor = count_scans;
    info.progress = &progress;
    jpeg_mem_src(
        &info,
        reinterpret_cast<const unsigned char*>(bytes.data()),
        static_cast<unsigned long>(bytes.size())
    );
    jpeg_save_markers(&info, kExif, kMarkerBytes);
    jpeg_read_header(&info, TRUE);
    orientation = find_orientation(info);
    const bool cmyk = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
    info.out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
    info.scale_num = 1;
    info.scale_denom = denominator(info, max_edge);
    jpeg_start_decompress(&info);
    out.width = info.output_width;
    out.height = info.output_height;
    out.pixels.resize(std::size_t{out.width} * out.height * 4);
    row.resize(std::size_t{out.width} * 4);
    while (info.output_scanline < info.output_height) {
        auto* target = reinterpret_cast<unsigned char*>(row.data());
        const auto y = info.output_scanline;
        jpeg_read_scanlines(&info, &target, 1);
        widen_row(target, &out.pixels[std::size_t{y} * out.width * 4], out.width, cmyk);
    }
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
    return true;
}

bool encode(const Picture& picture, std::string& row, unsigned char** buffer, unsigned long* size) {
    jpeg_compress_struct info{};
    Failure failure{};
    info.err = quiet_errors(failure);
    if (setjmp(failure.leave) != 0) {  // NOLINT: libjpeg's way
        jpeg_destroy_compress(&info);
        return false;
    }
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, buffer, size);
    info.image_width = picture.width;
    info.image_height = picture.height;
    info.input_components = 3;
    info.in_color_space = JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, kQuality, TRUE);
    info.optimize_coding = TRUE;
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
        const auto* from = &picture.pixels[std::size_t{info.next_scanline} * picture.width * 4];
        auto* to = reinterpret_cast<unsigned char*>(row.data());
        for (std::uint32_t x = 0; x < picture.width; ++x) {
            std::copy_n(from + std::size_t{x} * 4, 3, to + std::size_t{x} * 3);
        }
        jpeg_write_scanlines(&info, &to, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    return true;
}

}  // namespace

std::optional<Picture> decode_jpeg(std::string_view bytes, std::uint32_t max_edge) {
    Picture picture;
    std::string row;
    int orientation = 1;
    if (!decode(bytes, max_edge, picture, row, orientation)) {
        return std::nullopt;
    }
    return turn(shrink(picture, max_edge), orientation);
}

std::string encode_jpeg(const Picture& picture) {
    std::string row(std::size_t{picture.width} * 3, '\0');
    unsigned char* buffer = nullptr;
    unsigned long size = 0;
    std::string out;
    if (encode(picture, row, &buffer, &size)) {
        out.assign(reinterpret_cast<const char*>(buffer), size);
    }
    std::free(buffer);
    return out;
}

}  // namespace gateleg::objects::internal

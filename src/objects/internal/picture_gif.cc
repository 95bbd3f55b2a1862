#include <array>
#include <cstddef>

#include "objects/internal/picture.h"

namespace gateleg::objects::internal {

namespace {

constexpr int kMaxCodes = 4096;

using Palette = std::string_view;  // three bytes a colour

// Bytes from the front; past the end, everything is zero and good() false.
class Input {
public:
    explicit Input(std::string_view bytes) : left_(bytes) {}

    bool good() const { return good_; }
    std::string_view take(std::size_t count) {
        if (!good_ || count > left_.size()) {
            good_ = false;
            return {};
        }
        const auto out = left_.substr(0, count);
        left_.remove_prefix(count);
        return out;
    }
    std::uint32_t byte() {
        const auto one = take(1);
        return one.empty() ? 0 : static_cast<unsigned char>(one.front());
    }
    std::uint32_t word() {
        const auto low = byte();
        return low | byte() << 8;
    }
    // Data blocks up to the empty one, joined.
    std::string blocks() {
        std::string out;
        for (auto size = byte(); good_ && size > 0; size = byte()) {
            out += take(size);
        }
        return out;
    }

private:
    std::string_view left_;
    bool good_ = true;
};

Palette read_palette(Input& in, std::uint32_t flags) {
    return (flags & 0x80) != 0 ? in.take(std::size_t{3} << ((flags & 7) + 1)) : Palette();
}

// The colour indexes of one frame, exactly `count` of them, or nothing.
std::optional<std::vector<std::uint8_t>> unpack(
    std::string_view data, std::uint32_t first_bits, std::size_t count
) {
    if (first_bits < 1 || first_bits > 8) {
        return std::nullopt;
    }
    struct Entry {
        std::uint16_t before;
        std::uint8_t last;
    };
    std::array<Entry, kMaxCodes> table{};
    const int clear = 1 << first_bits;
    for (int code = 0; code < clear; ++code) {
        table[static_cast<std::size_t>(code)] = {0, static_cast<std::uint8_t>(code)};
    }
    std::vector<std::uint8_t> out;
    out.reserve(count);
    std::array<std::uint8_t, kMaxCodes + 1> stack{};
    auto bits = first_bits + 1;
    int next = clear + 2;
    int previous = -1;
    std::uint8_t first = 0;
    std::uint32_t held = 0;
    std::uint32_t held_bits = 0;
    for (std::size_t at = 0; out.size() < count;) {
        while (held_bits < bits) {
            if (at == data.size()) {
                return std::nullopt;
            }
            held |= std::uint32_t{static_cast<unsigned char>(data[at++])} << held_bits;
            held_bits += 8;
        }
        const int code = static_cast<int>(held & ((1U << bits) - 1));
        held >>= bits;
        held_bits -= bits;
        if (code == clear) {
            bits = first_bits + 1;
            next = clear + 2;
            previous = -1;
            continue;
        }
        // It ends too early, or names a code that is not defined yet.
        if (code == clear + 1 || (previous < 0 && code > clear) || code > next) {
            return std::nullopt;
        }
        std::size_t depth = 0;
        int walk = code;
        if (code == next) {
            stack[depth++] = first;
            walk = previous;
        }
        while (walk > clear + 1) {
            stack[depth++] = table[static_cast<std::size_t>(walk)].last;
            walk = table[static_cast<std::size_t>(walk)].before;
        }
        first = static_cast<std::uint8_t>(walk);
        stack[depth++] = first;
        while (depth > 0 && out.size() < count) {
            out.push_back(stack[--depth]);
        }
        if (previous >= 0 && next < kMaxCodes) {
            table[static_cast<std::size_t>(next)] = {static_cast<std::uint16_t>(previous), first};
            ++next;
            if (next == 1 << bits && bits < 12) {
                ++bits;
            }
        }
        previous = code;
    }
    return out;
}

// Rows of an interlaced frame come in four passes.
std::uint32_t row_of(std::uint32_t index, std::uint32_t height) {
    constexpr std::array<std::array<std::uint32_t, 2>, 4> kPasses = {
        {{0, 8}, {4, 8}, {2, 4}, {1, 2}}};
    for (const auto& [start, step] : kPasses) {
        const auto rows = height > start ? (height - start + step - 1) / step : 0;
        if (index < rows) {
            return start + index * step;
        }
        index -= rows;
    }
    return 0;
}

std::optional<Picture> read_frame(Input& in, Palette global, int transparent) {
    in.take(4);  // where it lies on the screen
    Picture picture;
    picture.width = in.word();
    picture.height = in.word();
    const auto flags = in.byte();
    const auto local = read_palette(in, flags);
    const auto palette = local.empty() ? global : local;
    const auto first_bits = in.byte();
    const auto data = in.blocks();
    const auto count = std::size_t{picture.width} * picture.height;
    if (count == 0 || palette.empty()) {
        return std::nullopt;
    }
    const auto indexes = unpack(data, first_bits, count);
    if (!indexes) {
        return std::nullopt;
    }
    const bool interlaced = (flags & 0x40) != 0;
    picture.pixels.resize(count * 4);
    for (std::uint32_t y = 0; y < picture.height; ++y) {
        const auto row = interlaced ? row_of(y, picture.height) : y;
        for (std::uint32_t x = 0; x < picture.width; ++x) {
            const auto index = (*indexes)[std::size_t{y} * picture.width + x];
            auto* pixel = &picture.pixels[(std::size_t{row} * picture.width + x) * 4];
            for (std::size_t c = 0; c < 3; ++c) {
                const auto at = std::size_t{index} * 3 + c;
                pixel[c] = at < palette.size() ? static_cast<std::uint8_t>(palette[at]) : 0;
            }
            pixel[3] = index == transparent ? 0 : 0xFF;
        }
    }
    return picture;
}

}  // namespace

std::optional<Picture> decode_gif(std::string_view bytes) {
    Input in(bytes);
    in.take(10);  // signature and screen size
    const auto flags = in.byte();
    in.take(2);
    const auto global = read_palette(in, flags);
    int transparent = -1;
    while (in.good()) {
        const auto kind = in.byte();
        if (kind == ',') {
            return read_frame(in, global, transparent);
        }
        if (kind != '!') {
            return std::nullopt;
        }
        constexpr std::uint32_t kGraphicControl = 0xF9;
        const auto label = in.byte();
        const auto data = in.blocks();
        if (label == kGraphicControl && data.size() >= 4 && (data[0] & 1) != 0) {
            transparent = static_cast<unsigned char>(data[3]);
        }
    }
    return std::nullopt;
}

}  // namespace gateleg::objects::internal

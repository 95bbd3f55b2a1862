#include "objects/sample_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "objects/internal/picture.h"

namespace gateleg::objects {
namespace {

constexpr std::uint32_t kWidth = 960;
constexpr std::uint32_t kHeight = 640;
constexpr int kRidges = 4;

struct Colour {
    double red = 0;
    double green = 0;
    double blue = 0;
};

Colour mix(const Colour& from, const Colour& to, double part) {
    const auto between = [part](double a, double b) { return a + (b - a) * part; };
    return {between(from.red, to.red), between(from.green, to.green), between(from.blue, to.blue)};
}

// Numbers from 0 to 1 that a name stands for, one after the other.
class Dice {
public:
    explicit Dice(std::string_view name) : state_(hash64(name) | 1U) {}

    double next() {
        state_ ^= state_ << 13U;
        state_ ^= state_ >> 7U;
        state_ ^= state_ << 17U;
        return static_cast<double>(state_ >> 11U) / 9007199254740992.0;
    }

private:
    std::uint64_t state_;
};

Colour colour_of_hue(double hue, double light) {
    const auto channel = [&](double shift) {
        return 255 * light * (0.6 + 0.4 * std::cos(6.283 * (hue + shift)));
    };
    return {channel(0), channel(1.0 / 3), channel(2.0 / 3)};
}

// A line of hills: waves that get shorter and lower.
struct Ridge {
    double height = 0;
    std::array<double, 3> wave{};
    std::array<double, 3> phase{};
    Colour colour;

    double top_at(double x) const {
        auto top = height;
        for (std::size_t i = 0; i < wave.size(); ++i) {
            top += 0.09 / static_cast<double>(i + 1) * std::sin(wave[i] * x + phase[i]);
        }
        return top;
    }
};

struct Landscape {
    explicit Landscape(Dice dice) {
        const auto hue = dice.next();
        above = colour_of_hue(hue, 0.75);
        below = colour_of_hue(hue + 0.12, 1.0);
        sun_x = 0.2 + 0.6 * dice.next();
        sun_y = 0.15 + 0.25 * dice.next();
        for (int i = 0; i < kRidges; ++i) {
            auto& ridge = ridges[static_cast<std::size_t>(i)];
            ridge.height = 0.45 + 0.14 * i;
            for (std::size_t wave = 0; wave < ridge.wave.size(); ++wave) {
                ridge.wave[wave] = (2 + 5 * dice.next()) * static_cast<double>(wave + 1);
                ridge.phase[wave] = 6.283 * dice.next();
            }
            ridge.colour = mix(below, colour_of_hue(hue + 0.5, 0.3), 0.35 + 0.2 * i);
        }
    }

    std::array<double, kRidges> tops_at(double x) const {
        std::array<double, kRidges> tops{};
        for (std::size_t i = 0; i < tops.size(); ++i) {
            tops[i] = ridges[i].top_at(x);
        }
        return tops;
    }

    // Both from 0 to 1, y downwards.
    Colour at(double x, double y, const std::array<double, kRidges>& tops) const {
        for (auto i = tops.size(); i-- > 0;) {
            if (y > tops[i]) {
                return ridges[i].colour;
            }
        }
        const auto sky = mix(above, below, y);
        const auto aspect = static_cast<double>(kWidth) / kHeight;
        const auto far = std::hypot((x - sun_x) * aspect, y - sun_y);
        return mix({255, 250, 225}, sky, std::clamp((far - 0.07) * 12, 0.0, 1.0));
    }

    Colour above;
    Colour below;
    double sun_x = 0;
    double sun_y = 0;
    std::array<Ridge, kRidges> ridges;  // the nearest is the last
};

}  // namespace

std::string draw_sample(std::string_view name) {
    const Landscape landscape{Dice(name)};
    internal::Picture picture{kWidth, kHeight, {}};
    picture.pixels.reserve(std::size_t{kWidth} * kHeight * 4);
    const auto byte = [](double level) {
        return static_cast<std::uint8_t>(std::clamp(level, 0.0, 255.0));
    };
    const auto part = [](std::uint32_t at, std::uint32_t all) {
        return static_cast<double>(at) / all;
    };
    std::vector<std::array<double, kRidges>> tops;
    for (std::uint32_t x = 0; x < kWidth; ++x) {
        tops.push_back(landscape.tops_at(part(x, kWidth)));
    }
    for (std::uint32_t y = 0; y < kHeight; ++y) {
        for (std::uint32_t x = 0; x < kWidth; ++x) {
            const auto colour = landscape.at(part(x, kWidth), part(y, kHeight), tops[x]);
            picture.pixels.push_back(byte(colour.red));
            picture.pixels.push_back(byte(colour.green));
            picture.pixels.push_back(byte(colour.blue));
            picture.pixels.push_back(0xFF);
        }
    }
    return internal::encode_jpeg(picture);
}

}  // namespace gateleg::objects

#include "model/fold.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include <utf8proc.h>

#include "model/functions.h"

namespace gateleg::model {
namespace {

utf8proc_int32_t small(utf8proc_int32_t character, void* /*unused*/) {
    if (utf8proc_category(character) == UTF8PROC_CATEGORY_ZS) {
        return ' ';
    }
    return utf8proc_tolower(character);
}

std::optional<std::string> composed(std::string_view text, utf8proc_custom_func change) {
    constexpr auto kOptions =
        static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);  // NOLINT: flags in C
    utf8proc_uint8_t* made = nullptr;
    const auto size = utf8proc_map_custom(
        reinterpret_cast<const utf8proc_uint8_t*>(text.data()),  // NOLINT: bytes of a C library
        static_cast<utf8proc_ssize_t>(text.size()),
        &made,
        kOptions,
        change,
        nullptr
    );
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, &std::free);
    if (size < 0) {
        return std::nullopt;
    }
    return std::string(made, made + size);
}

bool is_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x80;
    });
}

}  // namespace

std::string fold(std::string_view text) {
    if (is_ascii(text)) {
        return lower(text);
    }
    // Composed first: a letter with its mark may have a small form of its own.
    const auto whole = composed(text, nullptr);
    auto folded = whole ? composed(*whole, small) : std::nullopt;
    return folded ? *std::move(folded) : std::string(text);
}

}  // namespace gateleg::model

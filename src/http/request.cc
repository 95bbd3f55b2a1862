#include "http/request.h"

namespace gateleg::http {
namespace {

char to_lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

}  // namespace

bool equal_ignoring_case(std::string_view left, std::string_view right) {
    if (left.size() != right.size()) {
        return false;
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (to_lower(left[i]) != to_lower(right[i])) {
            return false;
        }
    }
    return true;
}

std::optional<std::string_view> RequestHead::find(std::string_view name) const {
    for (const Header& header : headers()) {
        if (equal_ignoring_case(header.name, name)) {
            return header.value;
        }
    }
    return std::nullopt;
}

}  // namespace gateleg::http

#include "value/value_view.h"

namespace gateleg::value {

std::optional<ValueView> ValueView::find(std::string_view name) const {
    // Names are in order, and the first letter tells most of them apart, without a call.
    const auto first_of = [](std::string_view text) {
        return text.empty() ? -1 : static_cast<int>(static_cast<unsigned char>(text.front()));
    };
    const int first = first_of(name);
    for (const auto& entry : entries()) {
        const int own = first_of(entry.name);
        if (own < first) {
            continue;
        }
        if (own > first) {
            break;
        }
        if (entry.name == name) {
            return entry.value;
        }
    }
    return std::nullopt;
}

std::optional<ValueView> ValueView::at(std::size_t index) const {
    if (index >= count()) {
        return std::nullopt;
    }
    const char* at = body();
    while (index-- > 0) {
        at = ValueView(at).end();
    }
    return ValueView(at);
}

bool ValueView::has_member(std::string_view member) const {
    for (const auto own : members()) {
        if (own == member) {
            return true;
        }
    }
    return false;
}

}  // namespace gateleg::value

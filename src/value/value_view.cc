#include "value/value_view.h"

namespace gateleg::value {

std::optional<ValueView> ValueView::find(std::string_view name) const {
    for (const auto& entry : entries()) {
        const int order = entry.name.compare(name);
        if (order == 0) {
            return entry.value;
        }
        if (order > 0) {
            break;
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

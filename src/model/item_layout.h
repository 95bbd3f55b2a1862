// Where the attributes of an item lie. Items of a list mostly have the same names, or those of one
// that was seen before, so that what was worked out from the names of one holds for others: names
// are compared, not looked up.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "value/value_view.h"

namespace gateleg::model {

// Refers to the bytes of the item that was read last. One thread at a time.
class ItemLayout {
public:
    ItemLayout() = default;
    ItemLayout(const ItemLayout&) = delete;
    ItemLayout& operator=(const ItemLayout&) = delete;

    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    void read(value::ValueView item);
    // The item that was read last, while its bytes are there.
    bool has_read(value::ValueView item) const { return item_ == item.bytes().data(); }
    void forget_item() { item_ = nullptr; }

    // Of the names that it has: the same number for the same names, as long as they are remembered,
    // and never the same for others, in any layout.
    std::uint64_t version() const { return shape_->version; }
    // In their order.
    const std::vector<std::string>& names() const { return shape_->names; }
    value::ValueView value(std::size_t place) const { return value::ValueView(values_[place]); }
    // The place of a name, or kNone.
    std::size_t find(std::string_view name) const;

    // How many sets of names are remembered.
    static constexpr std::size_t kShapes = 4;

private:
    struct Shape {
        std::uint64_t version = 0;
        std::vector<std::string> names = {};
    };
    bool has_names(const Shape& shape, value::ValueView item);
    void take_names(value::ValueView item);

    const char* item_ = nullptr;
    std::array<Shape, kShapes> shapes_;
    Shape* shape_ = shapes_.data();
    std::size_t oldest_ = 0;
    std::vector<const char*> values_;
};

}  // namespace gateleg::model

// An item in the bytes that the store gave: what it is, whether it has ended and where it lies in a
// list, without a tree.

#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/item_layout.h"
#include "model/recognise.h"
#include "model/schema.h"
#include "value/value_view.h"

namespace gateleg::model {

// What everybody asks an item for. The index is the one that a list reads.
enum class Mark : std::uint8_t {
    kPartition,
    kSort,
    kIndexPartition,
    kIndexSort,
    kMarker,
    kTtl,
};
inline constexpr std::size_t kMarks = 6;

// Refers to bytes that others keep. Cheap to copy.
class StoredItem {
public:
    explicit StoredItem(value::ValueView bytes) : bytes_(bytes) {}

    value::ValueView bytes() const { return bytes_; }
    // Nothing if the item lacks it; Null is something.
    std::optional<value::ValueView> find(Mark mark) const {
        const auto* at = at_[static_cast<std::size_t>(mark)];
        return at != nullptr ? std::optional(value::ValueView(at)) : std::nullopt;
    }

    KeyLook look() const;
    // ttl <= now: DynamoDB will delete it some day, and nobody sees it any more.
    bool is_expired(std::string_view now_seconds) const;

private:
    friend class ItemMarks;

    value::ValueView bytes_;
    std::array<const char*, kMarks> at_ = {};
};

// Which attributes of a table these are. Immutable.
class ItemMarks {
public:
    // Null: the table itself is read.
    ItemMarks(const Table& table, const Index* index);

    // All of them in one walk along the item.
    StoredItem find(value::ValueView item) const;

    // Where they were in items with certain names. Of one layout.
    class Places {
        friend class ItemMarks;
        struct OfNames {
            std::uint64_t version = 0;
            std::array<std::size_t, kMarks> at = {};
        };
        std::array<OfNames, ItemLayout::kShapes> known_ = {};
        std::size_t oldest_ = 0;
    };
    // Of the item that the layout has read.
    StoredItem find(value::ValueView item, const ItemLayout& layout, Places& places) const;

    // Where it lies: its key and that of the index, as a map.
    void append_position(std::string& out, const StoredItem& item) const;

    // The order on the sort key of what is read; then on the item's own key.
    std::strong_ordering compare_sort(const StoredItem& left, const StoredItem& right) const;
    std::strong_ordering compare(const StoredItem& left, const StoredItem& right) const;

private:
    const std::array<std::size_t, kMarks>& places_in(const ItemLayout& layout, Places& places)
        const;

    struct Name {
        std::string text;
        std::vector<Mark> marks;
        bool is_key = false;
    };
    std::vector<Name> names_;  // in byte order, as those of an item
    bool has_index_ = false;
};

}  // namespace gateleg::model

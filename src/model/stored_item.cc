#include "model/stored_item.h"

#include <algorithm>

#include "value/number.h"
#include "value/value_writer.h"

namespace gateleg::model {
namespace {

using value::ValueView;

KeyLook::Part to_part(const std::optional<ValueView>& value) {
    if (!value || value->type() == value::Type::kNull) {
        return {};
    }
    const bool is_text = value->type() == value::Type::kString;
    return {true, is_text ? std::optional(value->text()) : std::nullopt};
}

// Equal if they have no order, as compare_values() has none for them.
std::strong_ordering compare_keys(
    const std::optional<ValueView>& left, const std::optional<ValueView>& right
) {
    if (!left || !right || left->type() != right->type()) {
        return std::strong_ordering::equal;
    }
    switch (left->type()) {
        case value::Type::kString:
            return left->text().compare(right->text()) <=> 0;
        case value::Type::kNumber:
            return value::compare_number_texts(left->text(), right->text());
        default:
            return std::strong_ordering::equal;
    }
}

}  // namespace

KeyLook StoredItem::look() const {
    return {
        .marker = to_part(find(Mark::kMarker)).text,
        .partition = to_part(find(Mark::kPartition)),
        .sort = to_part(find(Mark::kSort))};
}

bool StoredItem::is_expired(std::string_view now_seconds) const {
    const auto end = find(Mark::kTtl);
    return end && end->type() == value::Type::kNumber &&
           value::compare_number_texts(end->text(), now_seconds) <= 0;
}

ItemMarks::ItemMarks(const Table& table, const Index* index) : has_index_(index != nullptr) {
    const auto add = [&](const std::string& name, Mark mark, bool is_key) {
        if (name.empty()) {
            return;
        }
        auto place = std::find_if(names_.begin(), names_.end(), [&](const Name& known) {
            return known.text >= name;
        });
        if (place == names_.end() || place->text != name) {
            place = names_.insert(place, Name{name, {}, false});
        }
        place->marks.push_back(mark);
        place->is_key |= is_key;
    };
    const auto add_key = [&](const KeySchema& key, Mark partition, Mark sort) {
        add(key.partition.name, partition, true);
        if (key.sort) {
            add(key.sort->name, sort, true);
        }
    };
    add_key(table.key, Mark::kPartition, Mark::kSort);
    if (index != nullptr) {
        add_key(index->key, Mark::kIndexPartition, Mark::kIndexSort);
    }
    add(table.marker, Mark::kMarker, false);
    add(table.ttl, Mark::kTtl, false);
}

StoredItem ItemMarks::find(ValueView item) const {
    StoredItem found(item);
    auto wanted = names_.begin();
    for (const auto& [name, value] : item.entries()) {
        int order = name.compare(wanted->text);
        while (order > 0) {
            if (++wanted == names_.end()) {
                return found;
            }
            order = name.compare(wanted->text);
        }
        if (order == 0) {
            for (const auto mark : wanted->marks) {
                found.at_[static_cast<std::size_t>(mark)] = value.bytes().data();
            }
            if (++wanted == names_.end()) {
                return found;
            }
        }
    }
    return found;
}

const std::array<std::size_t, kMarks>& ItemMarks::places_in(
    const ItemLayout& layout, Places& places
) const {
    for (const auto& known : places.known_) {
        if (known.version == layout.version()) {
            return known.at;
        }
    }
    auto& made = places.known_[places.oldest_];
    places.oldest_ = (places.oldest_ + 1) % places.known_.size();
    made.version = layout.version();
    made.at.fill(ItemLayout::kNone);
    for (const auto& name : names_) {
        for (const auto mark : name.marks) {
            made.at[static_cast<std::size_t>(mark)] = layout.find(name.text);
        }
    }
    return made.at;
}

StoredItem ItemMarks::find(ValueView item, const ItemLayout& layout, Places& places) const {
    const auto& at = places_in(layout, places);
    StoredItem found(item);
    for (std::size_t mark = 0; mark < kMarks; ++mark) {
        if (at[mark] != ItemLayout::kNone) {
            found.at_[mark] = layout.value(at[mark]).bytes().data();
        }
    }
    return found;
}

void ItemMarks::append_position(std::string& out, const StoredItem& item) const {
    const auto is_there = [&](const Name& name) {
        return name.is_key && item.find(name.marks.front());
    };
    value::ValueWriter writer(out);
    const auto mark = writer.begin_map(
        static_cast<std::size_t>(std::count_if(names_.begin(), names_.end(), is_there))
    );
    for (const auto& name : names_) {
        if (is_there(name)) {
            writer.name(name.text);
            writer.copy(*item.find(name.marks.front()));
        }
    }
    writer.end(mark);
}

std::strong_ordering ItemMarks::compare_sort(const StoredItem& left, const StoredItem& right)
    const {
    const auto mark = has_index_ ? Mark::kIndexSort : Mark::kSort;
    return compare_keys(left.find(mark), right.find(mark));
}

std::strong_ordering ItemMarks::compare(const StoredItem& left, const StoredItem& right) const {
    if (const auto order = compare_sort(left, right); order != 0) {
        return order;
    }
    for (const auto mark : {Mark::kPartition, Mark::kSort}) {
        if (const auto order = compare_keys(left.find(mark), right.find(mark)); order != 0) {
            return order;
        }
    }
    return std::strong_ordering::equal;
}

}  // namespace gateleg::model

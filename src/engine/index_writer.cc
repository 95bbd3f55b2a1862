#include "engine/index_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/keyspace.h"
#include "engine/stream_log.h"
#include "value/item_size.h"
#include "value/value_writer.h"

namespace gateleg::engine {
namespace {

using value::ValueView;

// An entry as it is, or will be, in an index.
struct Entry {
    std::string key;
    std::string own;  // the projected item, unless the index holds whole ones
    ValueView item;
    std::size_t size = 0;

    std::string_view value() const { return own.empty() ? item.bytes() : std::string_view(own); }
};

// An item and its size.
struct Sized {
    ValueView item;
    std::size_t size = 0;
};

std::optional<Entry> entry_for(
    const ItemChange& change, const Index& index, const std::optional<Sized>& item
) {
    if (!item) {
        return std::nullopt;
    }
    auto key = index_entry_key(change.table, index, item->item, change.key);
    if (!key) {
        return std::nullopt;
    }
    Entry entry{.key = *std::move(key), .item = item->item, .size = item->size};
    if (!index.projects_all()) {
        append_projection(entry.own, index, item->item);
        entry.size = value::item_size(ValueView(entry.own.data()));
    }
    return entry;
}

void count(Counts& counts, int items, std::int64_t bytes) {
    counts.items += items;
    counts.bytes += bytes;
}

void remove_entry(
    CommitContext& context, const ItemChange& change, const Index& index, const Entry& entry
) {
    context.batch().erase(entry.key);
    count(context.counts(change.table.id, index.id), -1, -static_cast<std::int64_t>(entry.size));
}

void add_entry(
    CommitContext& context, const ItemChange& change, const Index& index, const Entry& entry
) {
    context.batch().put(entry.key, entry.value());
    count(context.counts(change.table.id, index.id), 1, static_cast<std::int64_t>(entry.size));
}

// Brings one index up to date and gives the units it cost: none when the entry stays as it is, two
// writes when its key moves.
double write_index(
    CommitContext& context,
    const ItemChange& change,
    const Index& index,
    const std::optional<Sized>& item_before,
    const std::optional<Sized>& item_after
) {
    const auto before = entry_for(change, index, item_before);
    const auto after = entry_for(change, index, item_after);
    if (before && after && before->key == after->key) {
        if (before->value() == after->value()) {
            return 0;
        }
        context.batch().put(after->key, after->value());
        context.count_write(after->key);
        count(
            context.counts(change.table.id, index.id),
            0,
            static_cast<std::int64_t>(after->size) - static_cast<std::int64_t>(before->size)
        );
        return write_units(std::max(before->size, after->size));
    }
    double units = 0;
    if (before) {
        remove_entry(context, change, index, *before);
        context.count_write(before->key);
        units += write_units(before->size);
    }
    if (after) {
        add_entry(context, change, index, *after);
        context.count_write(after->key);
        units += write_units(after->size);
    }
    return units;
}

void write_ttl_entry(CommitContext& context, const ItemChange& change) {
    const auto expiry_of = [&](const std::optional<ValueView>& item) {
        return item ? expiry_seconds(change.table, *item) : std::nullopt;
    };
    const auto before = expiry_of(change.before);
    const auto after = expiry_of(change.after);
    if (before == after) {
        return;
    }
    if (before) {
        context.batch().erase(ttl_entry_key(change.table.id, *before, change.key));
    }
    if (after) {
        context.batch().put(ttl_entry_key(change.table.id, *after, change.key), "");
    }
}

}  // namespace

void append_projection(std::string& out, const Index& index, ValueView item) {
    if (index.projects_all()) {
        out.append(item.bytes());
        return;
    }
    std::vector<ValueView::Entry> kept;
    for (const auto& entry : item.entries()) {
        if (index.projects(entry.name)) {
            kept.push_back(entry);
        }
    }
    value::ValueWriter writer(out);
    const auto mark = writer.begin_map(kept.size());
    for (const auto& entry : kept) {
        writer.name(entry.name);
        writer.copy(entry.value);
    }
    writer.end(mark);
}

std::optional<std::int64_t> expiry_seconds(const Table& table, ValueView item) {
    const auto found = item.find(*table.ttl_attribute);
    if (!found || found->type() != value::Type::kNumber) {
        return std::nullopt;
    }
    const auto text = found->text();
    std::int64_t seconds = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), seconds);
    // A fraction ends the digits early and is cut off; what does not fit is not a time.
    if (parsed.ec != std::errc() || seconds < 0) {
        return std::nullopt;
    }
    return seconds;
}

void write_item(CommitContext& context, const ItemChange& change, WriteCost* cost) {
    const auto& table = change.table;
    const auto sized = [](const std::optional<ValueView>& item, std::optional<std::size_t> size) {
        return item ? std::optional(Sized{*item, size ? *size : value::item_size(*item)})
                    : std::nullopt;
    };
    const auto before = sized(change.before, std::nullopt);
    const auto after = sized(change.after, change.size_after);
    const auto size_before = before ? before->size : 0;
    const auto size_after = after ? after->size : 0;
    if (cost != nullptr) {
        cost->table += write_units(std::max(size_before, size_after));
    }
    if (!change.before && !change.after) {
        return;
    }
    if (change.after) {
        context.put(change.key, change.after->bytes());
    } else {
        context.erase(change.key);
    }
    count(
        context.counts(table.id, kPrimary),
        (change.after ? 1 : 0) - (change.before ? 1 : 0),
        static_cast<std::int64_t>(size_after) - static_cast<std::int64_t>(size_before)
    );
    for (const auto& index : table.indexes) {
        if (!context.reaches(table, index, change.key)) {
            continue;
        }
        const auto units = write_index(context, change, index, before, after);
        if (cost != nullptr && units > 0) {
            (index.global ? cost->global_indexes : cost->local_indexes)[index.definition.name] +=
                units;
        }
    }
    if (context.reaches_ttl(table, change.key)) {
        write_ttl_entry(context, change);
    }
    if (table.has_enabled_stream()) {
        append_stream_record(context, change);
    }
}

void backfill_entry(
    CommitContext& context,
    const Table& table,
    const Index& index,
    std::string_view key,
    ValueView item
) {
    const ItemChange change{.table = table, .key = key, .before = std::nullopt, .after = item};
    if (const auto entry = entry_for(change, index, Sized{item, value::item_size(item)})) {
        add_entry(context, change, index, *entry);
        context.note_growth();
    }
}

void backfill_ttl_entry(
    CommitContext& context, const Table& table, std::string_view key, ValueView item
) {
    write_ttl_entry(context, {.table = table, .key = key, .before = std::nullopt, .after = item});
    context.note_growth();
}

}  // namespace gateleg::engine

#include "expr/change.h"

#include <cstddef>

#include "value/types.h"
#include "value/value_writer.h"

namespace gateleg::expr {
namespace {

using value::Type;
using value::ValueView;
using Members = std::span<const PathSet::Member>;

// Where the bytes of an entry begin: at the length before its name.
const char* entry_begin(const ValueView::Entry& entry) {
    const auto* at = entry.name.data() - 1;
    for (auto rest = entry.name.size(); rest >= 0x80; rest >>= 7) {
        --at;
    }
    return at;
}

// Writes a value anew with the changes that lie inside it, copying the bytes of everything else.
class Rewriter {
public:
    Rewriter(std::string& out, std::span<const Change> changes)
        : out_(out), writer_(out), changes_(changes) {}

    // `targets` are in order and agree up to `depth`.
    void container(ValueView old, Members targets, std::size_t depth);

private:
    void map(ValueView old, Members targets, std::size_t depth);
    void list(ValueView old, Members targets, std::size_t depth);
    void old_value(ValueView old, Members targets, std::size_t depth);
    std::size_t map_size(ValueView old, Members targets, std::size_t depth) const;
    std::size_t list_size(ValueView old, Members targets, std::size_t depth) const;

    // The change of a target that ends at `depth`; null if targets go deeper.
    const Change* change_at(Members targets, std::size_t depth) const {
        return targets[0].steps.size() == depth + 1 ? &changes_[targets[0].position] : nullptr;
    }
    void copy(const char* from, const char* to) {
        out_.append(from, static_cast<std::size_t>(to - from));
    }
    bool puts(Members targets, std::size_t depth) const {
        const auto* const change = change_at(targets, depth);
        return change != nullptr && change->form == Change::Form::kPut;
    }
    bool drops(Members targets, std::size_t depth) const {
        const auto* const change = change_at(targets, depth);
        return change != nullptr && change->form == Change::Form::kDrop;
    }

    std::string& out_;
    value::ValueWriter writer_;
    std::span<const Change> changes_;
};

void Rewriter::container(ValueView old, Members targets, std::size_t depth) {
    if (old.type() == Type::kMap) {
        map(old, targets, depth);
    } else {
        list(old, targets, depth);
    }
}

// What stands at `depth` instead of `old`, which is not dropped.
void Rewriter::old_value(ValueView old, Members targets, std::size_t depth) {
    const auto* const change = change_at(targets, depth);
    if (change == nullptr) {
        container(old, targets, depth + 1);
    } else {
        writer_.copy(change->form == Change::Form::kPut ? *change->value : old);
    }
}

std::size_t Rewriter::map_size(ValueView old, Members targets, std::size_t depth) const {
    auto size = old.count();
    for (; !targets.empty(); targets = targets.subspan(common_step(targets, depth))) {
        const bool exists = old.find(targets[0].steps[depth].name).has_value();
        if (!exists && puts(targets, depth)) {
            ++size;
        } else if (exists && drops(targets, depth)) {
            --size;
        }
    }
    return size;
}

void Rewriter::map(ValueView old, Members targets, std::size_t depth) {
    const auto write_new = [&] {
        if (puts(targets, depth)) {
            writer_.name(targets[0].steps[depth].name);
            writer_.copy(*change_at(targets, depth)->value);
        }
        targets = targets.subspan(common_step(targets, depth));
    };
    const auto mark = writer_.begin_map(map_size(old, targets, depth));
    const char* from = nullptr;  // Where the entries begin that stay and are not yet copied.
    for (const auto entry : old.entries()) {
        const auto* const here = entry_begin(entry);
        from = from == nullptr ? here : from;
        if (targets.empty()) {
            break;
        }
        if (targets[0].steps[depth].name > entry.name) {
            continue;
        }
        copy(from, here);
        from = here;
        while (!targets.empty() && targets[0].steps[depth].name < entry.name) {
            write_new();
        }
        if (targets.empty() || targets[0].steps[depth].name != entry.name) {
            continue;
        }
        const auto count = common_step(targets, depth);
        if (!drops(targets, depth)) {
            writer_.name(entry.name);
            old_value(entry.value, targets.first(count), depth);
        }
        targets = targets.subspan(count);
        from = entry.value.end();
    }
    if (from != nullptr) {
        copy(from, old.end());
    }
    while (!targets.empty()) {
        write_new();
    }
    writer_.end(mark);
}

std::size_t Rewriter::list_size(ValueView old, Members targets, std::size_t depth) const {
    auto size = old.count();
    for (; !targets.empty(); targets = targets.subspan(common_step(targets, depth))) {
        const bool exists = targets[0].steps[depth].index < old.count();
        if (!exists && puts(targets, depth)) {
            ++size;
        } else if (exists && drops(targets, depth)) {
            --size;
        }
    }
    return size;
}

// Indexes are those of the old list; what is put beyond its end is appended in their order.
void Rewriter::list(ValueView old, Members targets, std::size_t depth) {
    const auto mark = writer_.begin_list(list_size(old, targets, depth));
    std::size_t next = 0;
    for (const auto element : old.elements()) {
        const auto index = next++;
        if (targets.empty() || targets[0].steps[depth].index != index) {
            writer_.copy(element);
            continue;
        }
        const auto count = common_step(targets, depth);
        if (!drops(targets, depth)) {
            old_value(element, targets.first(count), depth);
        }
        targets = targets.subspan(count);
    }
    for (; !targets.empty(); targets = targets.subspan(common_step(targets, depth))) {
        if (puts(targets, depth)) {
            writer_.copy(*change_at(targets, depth)->value);
        }
    }
    writer_.end(mark);
}

// About how much longer than the old item the new one can be.
std::size_t size_of_puts(std::span<const Change> changes) {
    std::size_t size = 0;
    for (const auto& change : changes) {
        size += change.value ? change.value->bytes().size() + 32 : 0;
    }
    return size;
}

}  // namespace

void append_changed(
    std::string& out, ValueView item, const PathSet& targets, std::span<const Change> changes
) {
    out.reserve(out.size() + item.bytes().size() + size_of_puts(changes));
    Rewriter(out, changes).container(item, targets.members(), 0);
}

}  // namespace gateleg::expr

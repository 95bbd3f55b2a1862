// The changes that an update makes to an item, and their making.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "expr/path_set.h"
#include "value/value_view.h"

namespace gateleg::expr {

// What an action does to its target.
struct Change {
    enum class Form : std::uint8_t { kNone, kPut, kDrop };
    Form form = Form::kNone;
    std::optional<value::ValueView> value;  // Only for kPut.
};

// Appends `item` with a change at each of `targets`; a target's position is that of its change.
// Everything else is copied as bytes. The targets must be writable: what they lead through is
// there and of the type their steps need.
void append_changed(
    std::string& out, value::ValueView item, const PathSet& targets, std::span<const Change> changes
);

}  // namespace gateleg::expr

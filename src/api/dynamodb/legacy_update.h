// An update from before there were expressions, as AttributeUpdates has one per attribute.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/dynamodb/wire_reader.h"
#include "value/types.h"
#include "value/value_view.h"

namespace gateleg::api::dynamodb {

enum class LegacyAction : std::uint8_t { kPut, kAdd, kDelete };

struct LegacyUpdate {
    std::string attribute;
    LegacyAction action = LegacyAction::kPut;
    // In its binary form. Only a deletion may be without: of the whole attribute then.
    std::optional<std::string> value;

    value::Type type() const { return value::ValueView(value->data()).type(); }
};

// AttributeUpdates in the order of the request. What is wrong with them is among the problems of
// `in` afterwards; they are not to be used then.
std::vector<LegacyUpdate> read_updates(const Fields& in);

}  // namespace gateleg::api::dynamodb

// X01: what a model asks for and a store cannot do.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/diagnostics.h"
#include "model/schema.h"

namespace gateleg::model {

enum class Target : std::uint8_t {
    kEmbedded,
    kAws,
    kAlternator,  // ScyllaDB: no transactions
};
std::optional<Target> parse_target(std::string_view name);

// A loaded model without errors.
void check_target(const Model& model, Target target, Diagnostics& diagnostics);

}  // namespace gateleg::model

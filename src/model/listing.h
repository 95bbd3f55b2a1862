// Lists as the API answers them: a query whose items are JSON (ADR 0030).

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/call.h"
#include "model/runtime.h"

namespace gateleg::model {

struct Listing {
    std::string items = {};                  // JSON objects with commas between them
    std::optional<std::string> cursor = {};  // nothing: this was the last page
    bool partial = false;                    // the read budget ended before the page was full
    std::optional<std::int64_t> count = {};  // of a pattern with `count`; `items` is then empty
};

// What Runtime::query() gives, each item as Runtime::to_api() shows it; items of several entities
// say which they are.
CallResult<Listing> list_items(
    const Runtime& runtime,
    const Pattern& pattern,
    const PatternCall& call,
    const Caller& caller,
    Explained* explained = nullptr
);

}  // namespace gateleg::model

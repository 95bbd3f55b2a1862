// Rewrites what follows from the attributes of items that are there: keys of indexes, derived
// attributes, rows. For data that is older than the model, or that others wrote.
//
// Safe beside live writes: each change is made only while everything it was computed from is still
// as it was read. Safe to repeat and to break off: what is right already is left alone.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/database.h"
#include "model/runtime_shared.h"
#include "value/attribute_value.h"

namespace gateleg::model {

struct BackfillOptions {
    const Entity* entity = nullptr;  // null: all
    // Counts what would be changed.
    bool dry_run = false;
    // Items a page; the position moves on from page to page. 0: as much as fits into a reply.
    std::int64_t page_items = 0;
    // Ends at the first page that reaches this many items; 0: at the end of the table.
    std::int64_t max_items = 0;
    // Writes a second; 0: as fast as it goes.
    std::int64_t max_rate = 0;
};

struct BackfillCounts {
    std::int64_t scanned = 0;    // items read
    std::int64_t matched = 0;    // of the wanted entity
    std::int64_t changed = 0;    // items whose own attributes were rewritten
    std::int64_t rows = 0;       // rows written for an owner
    std::int64_t contended = 0;  // given up because live writes came first again and again
    std::int64_t failed = 0;     // cannot be put right: the message says why
};

// An item that was left as it is.
struct BackfillProblem {
    std::string key;  // {"PK":{"S":".."},..}
    std::string entity;
    std::string message;
};

// How far it has come. What cursor files hold.
struct BackfillPosition {
    BackfillCounts counts = {};
    std::optional<value::Item> next = {};  // the last key done; nothing: the start, or the end
    bool finished = false;
};

struct BackfillReport {
    BackfillPosition position = {};
    std::vector<BackfillProblem> problems = {};  // the first hundred
};

// `on_page` is called after each page with the position that work can go on from.
CallResult<BackfillReport> run_backfill(
    Shared& shared,
    Database& database,
    const BackfillOptions& options,
    BackfillPosition start = {},
    const std::function<Result<void>(const BackfillPosition&)>& on_page = {}
);

// The position as text, with the model and entity it belongs to; parsing fails if it is another's.
std::string render_position(
    const Model& model, std::string_view entity, const BackfillPosition& position
);
Result<BackfillPosition> parse_position(
    const Model& model, std::string_view entity, std::string_view text
);

}  // namespace gateleg::model

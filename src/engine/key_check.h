// Checks items and keys against a table's schema, with DynamoDB's own words.

#pragma once

#include <string_view>

#include "base/result.h"
#include "engine/table.h"
#include "value/value_view.h"

namespace gateleg::engine {

// An item to be put: it holds every key attribute, in the right type and size, and what it has of
// index keys fits the indexes.
Result<void> check_item(const Table& table, value::ValueView item);

// The Key of a read, update or delete: exactly the key attributes.
Result<void> check_key(const Table& table, value::ValueView key);

// The result of an update: index keys only, for the table's own cannot change.
Result<void> check_updated_index_keys(const Table& table, value::ValueView item);

// The ExclusiveStartKey of a Query or Scan of `index` (null for the table).
Result<void> check_start_key(const Table& table, const Index* index, value::ValueView key);

// One value of a key attribute: neither empty nor too long.
Result<void> check_key_size(const KeyAttribute& attribute, bool is_hash, value::ValueView value);

}  // namespace gateleg::engine

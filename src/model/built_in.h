// Items of one built-in entity, read and written as attributes: the ground of outbox and schedule.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/database.h"
#include "model/native.h"
#include "model/runtime_shared.h"
#include "value/attribute_value.h"

namespace gateleg::model {

// A moment; `otherwise` if it is not there.
std::int64_t millis_of(const value::Item& item, std::string_view name, std::int64_t otherwise = 0);

void set_text(value::Item& item, std::string_view name, std::string_view text);  // empty: removes
void set_integer(value::Item& item, std::string_view name, std::int64_t number);
void set_millis(value::Item& item, std::string_view name, std::int64_t millis);

// Thread-safe; the Shared outlives it.
class BuiltIn {
public:
    BuiltIn(Shared& shared, std::string_view entity);

    // False for a table whose keys are not two strings: it has no such items.
    bool exists() const { return entity_ != nullptr; }

    Result<std::optional<value::Item>> find(const value::Item& identity) const;
    // Items of the partition that `identity` names, in key order, behind `after`; fewer than
    // `limit` only at the end.
    Result<std::vector<value::Item>> list(
        const value::Item& identity, const std::optional<value::Item>& after, std::int64_t limit
    ) const;

    // As parts of a write; the condition may be empty.
    Result<Write> put(const value::Item& attributes, const Text& condition) const;
    Result<Write> remove(const value::Item& identity, const Text& condition) const;

    // False if a condition was not met, or somebody else wrote at that moment.
    Result<bool> write(const std::vector<Write>& writes) const;

    // "#p": the partition key, for conditions on existence.
    Text condition(std::string text) const;

private:
    Result<value::Item> key_of(const value::Item& identity) const;
    Environment environment() const;

    Shared& shared_;
    const Entity* entity_;
};

}  // namespace gateleg::model

// Between the attributes of an entity and the raw item in the table: keys, derived attributes and
// marker one way, attributes that live only in keys the other way.
//
// "Attributes" below are an item in stored form without synthetic keys and marker, with those
// attributes that exist only in its key.

#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/evaluate.h"
#include "model/schema.h"
#include "value/attribute_value.h"

namespace gateleg::model {

// The raw item. Derived attributes are computed anew; the keys of an index are written all or none.
// Fails if the primary key has a null variable or a value does not fit its place in a key.
Result<value::Item> to_raw(
    const Model& model,
    const Entity& entity,
    const value::Item& attributes,
    const Environment& environment
);

// The primary key alone; nothing if a variable of it is null.
Result<std::optional<value::Item>> primary_key(
    const Model& model,
    const Entity& entity,
    const value::Item& attributes,
    const Environment& environment
);

// Keys of indexes, derived attributes that are stored: what has to follow when attributes change.
// An attribute that must not be there is Null.
Result<value::Item> dependent_attributes(
    const Model& model,
    const Entity& entity,
    const value::Item& attributes,
    const Environment& environment
);

value::Item to_attributes(const Model& model, const Entity& entity, const value::Item& raw);

// The same, except that an attribute which is stored has no value when the item lacks it, whatever
// an old index key still says: what keys are checked against and made from anew.
value::Item settled_attributes(const Model& model, const Entity& entity, const value::Item& raw);

// The part of a raw item that is its primary key.
value::Item key_of(const Table& table, const value::Item& raw);

// ttl <= now: DynamoDB will delete it some day, and nobody sees it any more.
bool is_expired(const Table& table, const value::Item& raw, std::int64_t now_millis);

// Attributes that keys of indexes, derived attributes and rows are made from, through other
// derived attributes down to those that are set.
struct Dependents {
    // Each with what it needs: a stored derived attribute or a synthetic key.
    struct One {
        std::string attribute;
        std::set<std::string, std::less<>> needs;
    };
    std::vector<One> computed;
    // What the rows of an owner need.
    std::set<std::string, std::less<>> rows;
};
Dependents find_dependents(const Model& model, const Entity& entity);

// Attributes an expression on an item needs, derived ones replaced by what they are made from.
std::set<std::string, std::less<>> needs_of(const ExprPtr& expr, const Entity& entity);

}  // namespace gateleg::model

// From a table that exists to a model file to start from: kinds of items are told apart by a marker
// attribute and by the shape of their keys, templates are found by comparing keys with attributes.
//
// Nothing is invented: every template made each key it was found in, attributes that were seen keep
// their names and bytes, and entities are open, so that what was not seen is kept.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dynamo/schema.h"
#include "value/attribute_value.h"

namespace gateleg::model {

struct InferredModel {
    std::string yaml;
    // What the language has no word for, or what the items leave open; a sentence each.
    std::vector<std::string> notes;
    std::size_t entities = 0;
};

// `items` are those that were looked at, all of the table or some. Pure.
InferredModel infer_model(
    const dynamo::TableDescription& table,
    const std::optional<std::string>& ttl,
    const std::vector<value::Item>& items
);

}  // namespace gateleg::model

// From a model file to a Model.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "model/diagnostics.h"
#include "model/node.h"
#include "model/schema.h"

namespace gateleg::model {

// Reads, types and resolves. Null if `diagnostics` has an error that leaves no model; a model that
// is returned may be used only if there is no error at all. check_model() (check.h) finds the rest.
//
// A catalogue is a second YAML file of constants: prices, quotas, costs. What it has takes the
// place of the model's own constants of the same name.
std::unique_ptr<Model> load_model(
    std::string_view text, Diagnostics& diagnostics, std::string_view catalog = {}
);
// The same from trees that were read before; `catalog` may be null.
std::unique_ptr<Model> load_model(const Node& root, Diagnostics& diagnostics, const Node* catalog);
// The same from a file, with the catalog.yaml beside it if there is one; a file that cannot be read
// is an error Y02.
std::unique_ptr<Model> load_model_file(const std::string& path, Diagnostics& diagnostics);

// The text of a file that is not larger than a model may be.
std::optional<std::string> read_model_text(const std::string& path);
// The name behind `system:` of a catalogue, empty if it has none.
std::string catalog_system(std::string_view catalog);

}  // namespace gateleg::model

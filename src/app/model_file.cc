#include "app/model_file.h"

#include <filesystem>

#include "app/config.h"
#include "base/check.h"
#include "model/check.h"
#include "model/load.h"
#include "model/packed_node.h"

namespace gateleg::app {

std::unique_ptr<model::Model> load_checked_model(
    const std::string& file, const std::optional<std::string>& text, const std::string& catalog
) {
    model::Diagnostics diagnostics(file);
    auto loaded = text ? model::load_model(*text, diagnostics, catalog)
                       : model::load_model_file(file, diagnostics);
    if (loaded) {
        loaded->file = file;
    }
    if (loaded && !diagnostics.has_errors()) {
        model::check_model(*loaded, diagnostics);
    }
    if (loaded && !diagnostics.has_errors()) {
        return loaded;
    }
    model::Diagnostics errors(file);
    for (const auto& found : diagnostics.sorted()) {
        if (found.severity == model::Severity::kError) {
            errors.error(found.id, found.position, found.message, found.suggestion);
        }
    }
    throw ConfigError(file + " cannot be used:\n" + errors.to_text());
}

std::unique_ptr<model::Model> load_built_in(const systems::SystemFiles& files) {
    model::Diagnostics none;
    std::optional<model::Node> catalog;
    if (!files.packed_catalog.empty()) {
        catalog = model::unpack_node(files.packed_catalog);
    }
    auto loaded = model::load_model(
        model::unpack_node(files.packed_model), none, catalog ? &*catalog : nullptr
    );
    GATELEG_CHECK(loaded && !none.has_errors());
    loaded->file = "systems/" + std::string(files.name) + "/model.yaml";
    return loaded;
}

std::unique_ptr<model::Model> load_named_model(const std::string& file_or_system) {
    const auto* system = systems::find_system(file_or_system);
    if (system == nullptr || std::filesystem::exists(file_or_system)) {
        return load_checked_model(file_or_system, std::nullopt, "");
    }
    return load_built_in(*system);
}

}  // namespace gateleg::app

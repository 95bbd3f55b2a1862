#include "app/model_file.h"

#include <filesystem>

#include "app/config.h"
#include "model/check.h"
#include "model/load.h"
#include "systems/registry.h"

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

std::unique_ptr<model::Model> load_named_model(const std::string& file_or_system) {
    const auto* system = systems::find_system(file_or_system);
    if (system == nullptr || std::filesystem::exists(file_or_system)) {
        return load_checked_model(file_or_system, std::nullopt, "");
    }
    return load_checked_model(
        "systems/" + file_or_system + "/model.yaml",
        std::string(system->model),
        std::string(system->catalog)
    );
}

}  // namespace gateleg::app

#include "cli/load_model.h"

#include <cstdio>
#include <filesystem>

#include "model/check.h"
#include "model/load.h"
#include "systems/registry.h"

namespace gateleg::cli {

std::unique_ptr<model::Model> load_given_model(
    const std::string& file_or_system, model::Diagnostics& diagnostics
) {
    std::error_code ignored;
    const auto* system = std::filesystem::exists(file_or_system, ignored)
                             ? nullptr
                             : systems::find_system(file_or_system);
    auto loaded = system != nullptr ? model::load_model(system->model, diagnostics, system->catalog)
                                    : model::load_model_file(file_or_system, diagnostics);
    // Rules look at what names stand for; with an unknown one they would only repeat the message.
    if (loaded && !diagnostics.has_errors()) {
        model::check_model(*loaded, diagnostics);
    }
    return loaded;
}

void print_errors(const model::Diagnostics& found, const std::string& file) {
    for (const auto& one : found.sorted()) {
        if (one.severity == model::Severity::kError) {
            model::Diagnostics line(file);
            line.error(one.id, one.position, one.message, one.suggestion);
            std::fputs(line.to_text().c_str(), stderr);
        }
    }
}

}  // namespace gateleg::cli

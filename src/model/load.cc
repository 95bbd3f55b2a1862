#include "model/load.h"

#include <fstream>
#include <iterator>

#include "model/read_model.h"
#include "model/yaml_loader.h"

namespace gateleg::model {

std::unique_ptr<Model> load_model(std::string_view text, Diagnostics& diagnostics) {
    const auto root = load_yaml(text, diagnostics);
    if (!root) {
        return nullptr;
    }
    auto model = std::make_unique<Model>();
    read_model(*root, *model, diagnostics);
    if (!root->is_map()) {
        return nullptr;
    }
    resolve_model(*model, diagnostics);
    return model;
}

std::unique_ptr<Model> load_model_file(const std::string& path, Diagnostics& diagnostics) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        diagnostics.error("Y02", {}, "the file cannot be read");
        return nullptr;
    }
    // One byte more than allowed is enough to refuse the rest.
    std::string text(kMaxModelBytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    auto model = load_model(text, diagnostics);
    if (model) {
        model->file = path;
    }
    return model;
}

}  // namespace gateleg::model

#include "model/load.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "model/read_model.h"
#include "model/reader.h"
#include "model/yaml_loader.h"

namespace gateleg::model {
namespace {

constexpr std::string_view kSystem = "system";

void add_catalog(std::string_view text, Model& model, Diagnostics& diagnostics) {
    Diagnostics own("the catalogue");
    const auto root = load_yaml(text, own);
    if (!root || own.has_errors() || !root->is_map()) {
        diagnostics.error("Y02", {}, "the catalogue cannot be read: " + own.to_text());
        return;
    }
    for (const auto& [key, value] : root->members) {
        if (key.text == kSystem) {
            continue;
        }
        auto& constants = model.constants;
        const auto same =
            std::find_if(constants.begin(), constants.end(), [&name = key.text](const auto& one) {
                return one.name == name;
            });
        if (same != constants.end()) {
            same->value = plain_value(value);
        } else {
            constants.push_back({key.text, {}, plain_value(value)});
        }
    }
}

}  // namespace

std::unique_ptr<Model> load_model(
    std::string_view text, Diagnostics& diagnostics, std::string_view catalog
) {
    const auto root = load_yaml(text, diagnostics);
    if (!root) {
        return nullptr;
    }
    auto model = std::make_unique<Model>();
    read_model(*root, *model, diagnostics);
    if (!root->is_map()) {
        return nullptr;
    }
    if (!catalog.empty()) {
        add_catalog(catalog, *model, diagnostics);
    }
    resolve_model(*model, diagnostics);
    return model;
}

std::optional<std::string> read_model_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return std::nullopt;
    }
    // One byte more than allowed is enough to refuse the rest.
    std::string text(kMaxModelBytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

std::string catalog_system(std::string_view catalog) {
    Diagnostics ignored;
    const auto root = load_yaml(catalog, ignored);
    const auto* name = root && root->is_map() ? root->find(std::string(kSystem)) : nullptr;
    return name != nullptr ? name->text : std::string();
}

std::unique_ptr<Model> load_model_file(const std::string& path, Diagnostics& diagnostics) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        diagnostics.error("Y02", {}, "this is a folder, not a file");
        return nullptr;
    }
    const auto text = read_model_text(path);
    if (!text) {
        diagnostics.error(
            "Y02",
            {},
            std::filesystem::exists(path, ignored) ? "the file cannot be read"
                                                   : "there is no such file"
        );
        return nullptr;
    }
    const auto beside = std::filesystem::path(path).parent_path() / "catalog.yaml";
    const auto catalog = read_model_text(beside.string());
    auto model = load_model(*text, diagnostics, catalog.value_or(""));
    if (model) {
        model->file = path;
    }
    return model;
}

}  // namespace gateleg::model

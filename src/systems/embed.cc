// embed SYSTEMS OUTPUT: a program of the build. Writes the files of every system under SYSTEMS as
// C++, models and catalogues also as the trees that they are. A model with an error fails the
// build, so that a start may take those it embeds as checked.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/check.h"
#include "model/load.h"
#include "model/packed_node.h"
#include "model/yaml_loader.h"

namespace gateleg::systems {
namespace {

namespace fs = std::filesystem;

// A literal of C++ may not be endless; those behind each other are one.
constexpr std::size_t kLineBytes = 4096;

std::string text_of(const fs::path& file) {
    return fs::exists(file) ? model::read_model_text(file.string()).value() : std::string();
}

std::string text_literal(const std::string& text) {
    return "R\"EMBEDDED(" + text + ")EMBEDDED\"";
}

// With its length, for it has zeros in it.
std::string bytes_literal(const std::string& bytes) {
    std::string literal = "std::string_view(\"";
    std::size_t line = 0;
    for (const char c : bytes) {
        if (++line % kLineBytes == 0) {
            literal += "\"\n\"";
        }
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= ' ' && byte < 0x7F && c != '"' && c != '\\' && c != '?') {
            literal += c;
        } else {
            char octal[5];
            std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(byte));
            literal += octal;
        }
    }
    return literal + "\", " + std::to_string(bytes.size()) + ")";
}

std::string packed(const std::string& text, model::Diagnostics& diagnostics) {
    const auto root = text.empty() ? std::nullopt : model::load_yaml(text, diagnostics);
    return root ? model::pack_node(*root) : std::string();
}

std::string entry_of(const fs::path& folder) {
    const auto name = folder.filename().string();
    const auto model = text_of(folder / "model.yaml");
    const auto catalog = text_of(folder / "catalog.yaml");
    model::Diagnostics diagnostics("systems/" + name + "/model.yaml");
    const auto loaded = model::load_model(model, diagnostics, catalog);
    if (loaded && !diagnostics.has_errors()) {
        model::check_model(*loaded, diagnostics);
    }
    if (!loaded || diagnostics.has_errors()) {
        throw std::runtime_error(diagnostics.to_text());
    }
    return "        {\"" + name + "\",\n" + text_literal(model) + ",\n" + text_literal(catalog) +
           ",\n" + text_literal(text_of(folder / "demo.yaml")) + ",\n" +
           bytes_literal(packed(model, diagnostics)) + ",\n" +
           bytes_literal(packed(catalog, diagnostics)) + "},\n";
}

std::string source_of(const fs::path& systems) {
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(systems)) {
        if (fs::exists(entry.path() / "model.yaml")) {
            folders.push_back(entry.path());
        }
    }
    std::sort(folders.begin(), folders.end());
    std::string source = R"(#include "systems/registry.h"

namespace gateleg::systems {

const std::vector<SystemFiles>& built_in_systems() {
    static const std::vector<SystemFiles> kSystems = {
)";
    for (const auto& folder : folders) {
        source += entry_of(folder);
    }
    return source + R"(    };
    return kSystems;
}

}  // namespace gateleg::systems
)";
}

}  // namespace
}  // namespace gateleg::systems

int main(int count, char** arguments) {
    if (count != 3) {
        std::cerr << "usage: embed SYSTEMS OUTPUT\n";
        return 2;
    }
    try {
        const auto source = gateleg::systems::source_of(arguments[1]);
        std::ofstream file(arguments[2], std::ios::binary | std::ios::trunc);
        file << source;
        return file.flush() ? 0 : 1;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}

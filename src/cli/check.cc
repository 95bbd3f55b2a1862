#include "cli/check.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "model/check.h"
#include "model/load.h"
#include "model/markdown.h"
#include "model/properties.h"

namespace gateleg::cli {
namespace {

struct CheckArguments {
    std::vector<std::string> files;
    std::string output = "text";
    bool schema = false;
};

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

std::unique_ptr<model::Model> load(const std::string& file, model::Diagnostics& diagnostics) {
    auto loaded = model::load_model_file(file, diagnostics);
    // Rules look at what names stand for; with an unknown one they would only repeat the message.
    if (loaded && !diagnostics.has_errors()) {
        model::check_model(*loaded, diagnostics);
    }
    return loaded;
}

int check(const CheckArguments& arguments) {
    if (arguments.schema) {
        print(model::json_schema() + "\n");
        return 0;
    }
    model::Diagnostics all;
    for (const auto& file : arguments.files) {
        model::Diagnostics diagnostics(file);
        load(file, diagnostics);
        all.merge(diagnostics);
    }
    if (arguments.output == "json") {
        print(all.to_json() + "\n");
    } else {
        print(all.to_text());
        std::fprintf(
            stderr,
            "%zu errors, %zu warnings, %zu notes\n",
            all.count(model::Severity::kError),
            all.count(model::Severity::kWarning),
            all.count(model::Severity::kInfo)
        );
    }
    return all.has_errors() ? 1 : 0;
}

int document(const std::string& file) {
    model::Diagnostics diagnostics(file);
    const auto loaded = load(file, diagnostics);
    if (!loaded || diagnostics.has_errors()) {
        std::fputs(diagnostics.to_text().c_str(), stderr);
        return 1;
    }
    print(model::to_markdown(*loaded));
    return 0;
}

}  // namespace

void add_model_commands(CLI::App& app, int& exit_code) {
    const auto arguments = std::make_shared<CheckArguments>();
    auto* checker = app.add_subcommand("check", "Check model files against every rule");
    auto* files = checker->add_option("FILE", arguments->files, "Model files");
    checker->add_option("--output", arguments->output, "How findings are printed")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    auto* schema = checker->add_flag(
        "--schema", arguments->schema, "Print the JSON Schema of model files, for editors"
    );
    schema->excludes(files);
    checker->callback([arguments, &exit_code] {
        if (arguments->files.empty() && !arguments->schema) {
            throw CLI::RequiredError("FILE");
        }
        exit_code = check(*arguments);
    });

    const auto file = std::make_shared<std::string>();
    auto* writer = app.add_subcommand("doc", "Print a model file as a design document in Markdown");
    writer->add_option("FILE", *file, "Model file")->required();
    writer->callback([file, &exit_code] { exit_code = document(*file); });
}

}  // namespace gateleg::cli

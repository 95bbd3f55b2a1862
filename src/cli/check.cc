#include "cli/check.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cli/data_options.h"
#include "cli/load_model.h"
#include "model/check_target.h"
#include "model/design_document.h"
#include "model/markdown.h"
#include "model/properties.h"

namespace gateleg::cli {
namespace {

struct CheckArguments {
    std::vector<std::string> files;
    std::string output = "text";
    std::string target;
    std::string document;
    bool schema = false;
};

// The store it is to run on, and the document it was written from.
void check_beside(
    const CheckArguments& arguments,
    const model::Model& loaded,
    model::Diagnostics& diagnostics,
    model::Diagnostics& all
) {
    if (const auto target = model::parse_target(arguments.target)) {
        model::check_target(loaded, *target, diagnostics);
    }
    if (arguments.document.empty()) {
        return;
    }
    model::Diagnostics document(arguments.document);
    std::ifstream file(arguments.document, std::ios::binary);
    if (!file) {
        document.error("D01", {}, "the document cannot be read");
    } else {
        const std::string text(std::istreambuf_iterator<char>(file), {});
        model::check_document(loaded, model::read_design_rows(text), diagnostics, document);
    }
    all.merge(document);
}

int check(const CheckArguments& arguments) {
    if (arguments.schema) {
        print(model::json_schema() + "\n");
        return 0;
    }
    model::Diagnostics all;
    for (const auto& file : arguments.files) {
        model::Diagnostics diagnostics(file);
        const auto loaded = load_given_model(file, diagnostics);
        if (loaded && !diagnostics.has_errors()) {
            check_beside(arguments, *loaded, diagnostics, all);
        }
        all.merge(diagnostics);
    }
    if (arguments.output == "json") {
        print(all.to_json() + "\n");
    } else {
        print(all.to_text());
        const auto counted = [&](model::Severity severity, const std::string& word) {
            const auto count = all.count(severity);
            return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
        };
        std::fprintf(
            stderr,
            "%s, %s, %s\n",
            counted(model::Severity::kError, "error").c_str(),
            counted(model::Severity::kWarning, "warning").c_str(),
            counted(model::Severity::kInfo, "note").c_str()
        );
    }
    return all.has_errors() ? 1 : 0;
}

int document(const std::string& file) {
    model::Diagnostics diagnostics(file);
    const auto loaded = load_given_model(file, diagnostics);
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
    auto* files = checker->add_option("FILE", arguments->files, kModelHelp);
    checker->add_option("--output", arguments->output, "How findings are printed")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    checker->add_option("--target", arguments->target, "Store it must run on as well")
        ->check(CLI::IsMember({"embedded", "aws", "alternator"}));
    checker
        ->add_option(
            "--document",
            arguments->document,
            "Design document (Markdown) whose rows the patterns name with doc"
        )
        ->type_name("FILE");
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
    writer->add_option("FILE", *file, kModelHelp)->required();
    writer->callback([file, &exit_code] { exit_code = document(*file); });
}

}  // namespace gateleg::cli

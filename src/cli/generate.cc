#include "cli/generate.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/json_indent.h"
#include "cli/data_commands.h"
#include "cli/data_options.h"
#include "cli/draft.h"
#include "cli/load_model.h"
#include "model/client_cpp.h"
#include "model/client_typescript.h"
#include "model/openapi.h"
#include "model/properties.h"
#include "model/table_export.h"
#include "model/workbench_import.h"

namespace gateleg::cli {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;

struct GenerateArguments {
    std::string language;
    std::string file;
    std::string folder;
};
struct ExportArguments {
    std::string file;
    std::string format;
};
struct ImportArguments {
    std::string file;
    std::string format = "workbench";
    std::string table;
};

int complain(const std::string& what) {
    std::fprintf(stderr, "gateleg: %s\n", what.c_str());
    return kFailed;
}

// Null, with the errors printed, if there are any.
std::unique_ptr<model::Model> load(const std::string& file) {
    model::Diagnostics found(file);
    auto loaded = load_given_model(file, found);
    if (loaded && !found.has_errors()) {
        return loaded;
    }
    print_errors(found, file);
    return nullptr;
}

int openapi(const std::vector<std::string>& files) {
    std::vector<std::unique_ptr<model::Model>> loaded;
    std::vector<const model::Model*> models;
    for (const auto& file : files) {
        loaded.push_back(load(file));
        if (!loaded.back()) {
            return kFailed;
        }
        models.push_back(loaded.back().get());
    }
    print(indent_json(model::render_openapi(models)));
    return kDone;
}

// Written beside its place and moved there, so that nobody reads half of it.
int write_file(const std::filesystem::path& path, const std::string& text) {
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    auto fresh = path;
    fresh += ".new";
    {
        std::ofstream file(fresh, std::ios::binary | std::ios::trunc);
        file << text;
        file.close();
        if (!file) {
            return complain(fresh.string() + " cannot be written");
        }
    }
    std::filesystem::rename(fresh, path, error);
    if (error) {
        return complain(path.string() + " cannot be written: " + error.message());
    }
    std::fprintf(stderr, "%s\n", path.c_str());
    return kDone;
}

int generate(const GenerateArguments& arguments) {
    const auto loaded = load(arguments.file);
    if (!loaded) {
        return kFailed;
    }
    const bool typescript = arguments.language == "typescript";
    const auto text = typescript ? model::to_typescript(*loaded) : model::to_cpp(*loaded);
    if (arguments.folder.empty()) {
        print(text);
        return kDone;
    }
    return write_file(
        std::filesystem::path(arguments.folder) /
            (loaded->name + (typescript ? ".ts" : "_client.h")),
        text
    );
}

int export_table(const ExportArguments& arguments) {
    const auto loaded = load(arguments.file);
    if (!loaded) {
        return kFailed;
    }
    const auto& format = arguments.format;
    if (format == "cloudformation") {
        print(model::to_cloudformation(*loaded));
    } else if (format == "terraform") {
        print(model::to_terraform(*loaded));
    } else if (format == "workbench") {
        print(model::to_workbench(*loaded));
    } else if (format == "awscli") {
        print(model::to_aws_cli(loaded->table));
    } else {
        print(model::to_create_table_json(loaded->table));
        if (!loaded->table.ttl.empty()) {
            std::fprintf(
                stderr,
                "CreateTable sets no time to live; follow it with UpdateTimeToLive on '%s' "
                "(--format awscli prints both)\n",
                loaded->table.ttl.c_str()
            );
        }
    }
    return kDone;
}

int import_model(const ImportArguments& arguments) {
    std::ifstream file(arguments.file, std::ios::binary);
    if (!file) {
        return complain(arguments.file + " cannot be read");
    }
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto draft = model::import_workbench(text, arguments.table);
    if (!draft) {
        return complain(arguments.file + ": " + draft.error().message);
    }
    print_draft(draft->yaml, draft->notes);
    return kDone;
}

void add_generate(CLI::App& app, int& exit_code) {
    const auto arguments = std::make_shared<GenerateArguments>();
    auto* command = app.add_subcommand("generate", "Make a typed client from a model file");
    command->add_option("LANGUAGE", arguments->language, "typescript or cpp")
        ->required()
        ->check(CLI::IsMember({"typescript", "cpp"}));
    command->add_option("FILE", arguments->file, kModelHelp)->required();
    command
        ->add_option(
            "-o,--out",
            arguments->folder,
            "Folder to write NAME.ts or NAME_client.h to; else stdout"
        )
        ->type_name("DIR");
    command->callback([arguments, &exit_code] { exit_code = generate(*arguments); });
}

// Says what to type for items where a format of schemas is wanted.
std::string schema_format(const std::string& format) {
    static const auto kFormats =
        CLI::IsMember({"cloudformation", "terraform", "createtable", "awscli", "workbench"});
    if (format == "csv" || format == "json" || format == "dynamodb-json" || format == "s3") {
        return "is a format of items: `gateleg export data TABLE --format " + format +
               " --out PATH` writes the items of a table";
    }
    return kFormats(format);
}

void require(const CLI::App& command, const char* option) {
    if (command.get_option(option)->empty()) {
        throw CLI::RequiredError(option);
    }
}

void add_export(CLI::App& app, int& exit_code) {
    const auto arguments = std::make_shared<ExportArguments>();
    auto* command = app.add_subcommand(
        "export",
        "Print the table of a model file for tools that make tables; with data, write the items of "
        "a table to files"
    );
    command->add_option("FILE", arguments->file, kModelHelp);
    command->add_option("--format", arguments->format, "What to print")
        ->type_name("cloudformation|terraform|createtable|awscli|workbench")
        ->check(schema_format);
    add_export_data(*command, exit_code);
    command->callback([command, arguments, &exit_code] {
        if (!command->get_subcommands().empty()) {
            return;
        }
        require(*command, "FILE");
        require(*command, "--format");
        exit_code = export_table(*arguments);
    });
}

void add_import(CLI::App& app, int& exit_code) {
    const auto arguments = std::make_shared<ImportArguments>();
    auto* command = app.add_subcommand(
        "import",
        "Print a model file to start from, drafted from a NoSQL Workbench data model; with data, "
        "put items from files into a table"
    );
    command->add_option("FILE", arguments->file, "Data model, JSON");
    command->add_option("--format", arguments->format, "What the file is")
        ->check(CLI::IsMember({"workbench"}))
        ->capture_default_str();
    command->add_option("--table", arguments->table, "Table to take when the file has several")
        ->type_name("NAME");
    add_import_data(*command, exit_code);
    command->callback([command, arguments, &exit_code] {
        if (!command->get_subcommands().empty()) {
            return;
        }
        require(*command, "FILE");
        exit_code = import_model(*arguments);
    });
}

}  // namespace

void add_generate_commands(CLI::App& app, int& exit_code) {
    const auto files = std::make_shared<std::vector<std::string>>();
    auto* document = app.add_subcommand("openapi", "Print the OpenAPI 3.1 document of model files");
    document->add_option("FILE", *files, kModelHelp)->required();
    document->callback([files, &exit_code] { exit_code = openapi(*files); });

    auto* schema =
        app.add_subcommand("schema", "Print the JSON Schema of model files, for editors");
    schema->callback([&exit_code] {
        print(indent_json(model::json_schema()));
        exit_code = kDone;
    });
    add_generate(app, exit_code);
    add_export(app, exit_code);
    add_import(app, exit_code);
}

}  // namespace gateleg::cli

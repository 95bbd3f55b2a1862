#include "transfer/import_source.h"

#include <algorithm>

#include "base/sha256.h"
#include "transfer/item_reader.h"
#include "transfer/manifest.h"

namespace gateleg::transfer {
namespace {

namespace fs = std::filesystem;

bool is_export_folder(const fs::path& path) {
    return fs::exists(path / "manifest-files.json") || fs::exists(path / "manifest-summary.json");
}

// The one export under AWSDynamoDB/, if there is such a folder.
Result<std::optional<fs::path>> find_export(const fs::path& path) {
    if (is_export_folder(path)) {
        return std::optional(path);
    }
    const auto root = path.filename() == "AWSDynamoDB" ? path : path / "AWSDynamoDB";
    if (!fs::is_directory(root)) {
        return std::optional<fs::path>();
    }
    std::vector<fs::path> found;
    std::string unfinished;
    for (const auto& entry : fs::directory_iterator(root)) {
        if (is_export_folder(entry.path())) {
            found.push_back(entry.path());
        } else if (fs::exists(entry.path() / "_started")) {
            unfinished = entry.path().string();
        }
    }
    if (found.size() == 1) {
        return std::optional(found.front());
    }
    if (found.empty()) {
        return validation_error(
            unfinished.empty()
                ? root.string() + " holds no export"
                : unfinished + " is an export that was not finished: it has no manifests"
        );
    }
    std::sort(found.begin(), found.end());
    std::string names;
    for (const auto& each : found) {
        names += "\n  " + each.string();
    }
    return validation_error(root.string() + " holds several exports; name one of them:" + names);
}

Result<ImportSource> read_export(const fs::path& folder) {
    ImportSource source;
    source.is_export = true;
    GATELEG_TRY_ASSIGN(const auto summary_text, read_manifest(folder, "manifest-summary"));
    const auto summary = parse_manifest_summary(summary_text);
    if (!summary) {
        return validation_error(
            (folder / "manifest-summary.json").string() + ": " + summary.error().message
        );
    }
    GATELEG_TRY_ASSIGN(const auto files_text, read_manifest(folder, "manifest-files"));
    const auto files = parse_manifest_files(files_text);
    if (!files) {
        return validation_error(
            (folder / "manifest-files.json").string() + ": " + files.error().message
        );
    }
    std::int64_t items = 0;
    for (const auto& file : *files) {
        GATELEG_TRY_ASSIGN(const auto name, data_file_name(file));
        const auto path = folder / "data" / name;
        if (!fs::exists(path)) {
            return validation_error(
                path.string() + ": is missing; manifest-files.json lists it as " + file.key
            );
        }
        items += file.item_count;
        source.files.push_back(
            {.path = path,
             .compression = compression_of(path),
             .item_count = file.item_count,
             .md5_base64 = file.md5_base64}
        );
    }
    if (items != summary->item_count) {
        return validation_error(
            (folder / "manifest-files.json").string() + ": its files have " +
            std::to_string(items) + " items, and manifest-summary.json says " +
            std::to_string(summary->item_count)
        );
    }
    source.item_count = items;
    if (const auto table = folder / "table.json"; fs::exists(table)) {
        GATELEG_TRY_ASSIGN(const auto text, read_whole_file(table));
        auto shape = parse_table_shape(text);
        if (!shape) {
            return validation_error(table.string() + ": " + shape.error().message);
        }
        source.shape = *std::move(shape);
    }
    source.fingerprint = to_hex(sha256(files_text));
    return source;
}

Result<std::vector<fs::path>> files_under(const fs::path& path) {
    std::vector<fs::path> files;
    if (!fs::is_directory(path)) {
        files.push_back(path);
        return files;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
        const auto name = entry.path().filename().string();
        if (entry.is_regular_file() && !name.starts_with(".") && !name.starts_with("_")) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    if (files.empty()) {
        return validation_error(path.string() + " holds no files");
    }
    return files;
}

// By the name, and for JSON by whether the first line is an item in DynamoDB's JSON.
Result<Format> guess_format(const ImportFile& file) {
    auto name = file.path.filename();
    while (name.extension() == ".gz" || name.extension() == ".zst") {
        name = name.stem();
    }
    if (name.extension() == ".csv" || name.extension() == ".tsv") {
        return Format::kCsv;
    }
    const auto label = file.path.string();
    GATELEG_TRY_ASSIGN(
        const auto reader,
        ItemReader::open(file.path, file.compression, label, {.format = Format::kDynamoDbJson})
    );
    GATELEG_TRY_ASSIGN(const auto typed, reader->next());
    if (!typed || !typed->problem) {
        return Format::kDynamoDbJson;
    }
    GATELEG_TRY_ASSIGN(
        const auto plain,
        ItemReader::open(file.path, file.compression, label, {.format = Format::kJson})
    );
    GATELEG_TRY_ASSIGN(const auto first, plain->next());
    if (first && !first->problem) {
        return Format::kJson;
    }
    return validation_error(
        label + ": cannot tell its format by its name and its first line (" +
        first->problem.value_or("") + "); --format says what it is"
    );
}

}  // namespace

Result<ImportSource> find_source(const fs::path& path, const SourceOptions& options) {
    if (!fs::exists(path)) {
        return validation_error(path.string() + ": no such file or folder");
    }
    const auto name = path.filename().string();
    const bool manifest = name == "manifest-summary.json" || name == "manifest-files.json";
    if (!options.format && (manifest || fs::is_directory(path))) {
        GATELEG_TRY_ASSIGN(const auto folder, find_export(manifest ? path.parent_path() : path));
        if (folder) {
            GATELEG_TRY_ASSIGN(auto source, read_export(*folder));
            source.name = fs::absolute(*folder).lexically_normal().string();
            return source;
        }
    }
    ImportSource source;
    source.name = fs::absolute(path).lexically_normal().string();
    GATELEG_TRY_ASSIGN(const auto files, files_under(path));
    std::string print;
    for (const auto& file : files) {
        source.files.push_back(
            {.path = file, .compression = options.compression.value_or(compression_of(file))}
        );
        std::error_code ignored;
        print += file.string() + "\n" + std::to_string(fs::file_size(file, ignored)) + "\n";
    }
    if (options.format) {
        source.format = *options.format;
    } else {
        GATELEG_TRY_ASSIGN(source.format, guess_format(source.files.front()));
    }
    source.fingerprint = to_hex(sha256(print));
    return source;
}

Result<void> verify_source(const ImportSource& source, const Control& control) {
    for (const auto& file : source.files) {
        if (control.is_stopped()) {
            return {};
        }
        const auto name = file.path.string();
        if (file.md5_base64) {
            GATELEG_TRY_ASSIGN(const auto digest, digest_file(file.path));
            if (digest.md5_base64 != *file.md5_base64) {
                return validation_error(
                    name + ": is damaged: its MD5 is " + digest.md5_base64 +
                    ", and manifest-files.json says " + *file.md5_base64
                );
            }
        }
        if (file.item_count) {
            GATELEG_TRY_ASSIGN(const auto count, count_lines(file.path, file.compression, name));
            if (count != *file.item_count) {
                return validation_error(
                    name + ": has " + std::to_string(count) +
                    " items, and manifest-files.json says " + std::to_string(*file.item_count)
                );
            }
        }
    }
    return {};
}

}  // namespace gateleg::transfer

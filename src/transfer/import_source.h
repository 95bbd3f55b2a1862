// What an import reads: the data files of an export, found by its manifests; a folder of files; or
// one file.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "transfer/byte_file.h"
#include "transfer/control.h"
#include "transfer/item_lines.h"
#include "transfer/table_shape.h"

namespace gateleg::transfer {

struct ImportFile {
    std::filesystem::path path;
    Compression compression = Compression::kNone;
    // As the manifest says; nothing without one.
    std::optional<std::int64_t> item_count = {};
    std::optional<std::string> md5_base64 = {};
};

struct ImportSource {
    std::string name;  // as it was given
    std::vector<ImportFile> files = {};
    Format format = Format::kDynamoDbJson;
    bool is_export = false;
    std::int64_t item_count = 0;           // of an export; 0: not known
    std::optional<TableShape> shape = {};  // from table.json beside the manifests
    // Tells it from another one with the same name.
    std::string fingerprint = {};
};

struct SourceOptions {
    std::optional<Format> format = {};            // nothing: by manifest, name and first line
    std::optional<Compression> compression = {};  // nothing: by the first bytes
};

// `path` is a folder that holds AWSDynamoDB/<ExportId> or is one, a manifest, another folder whose
// files are all read in the order of their names, or a file. Manifests are compared with their
// checksums.
Result<ImportSource> find_source(const std::filesystem::path& path, const SourceOptions& options);

// Reads every data file of an export and compares its MD5 and its number of items with the
// manifest. Errors name the damaged file. Nothing to do for other sources.
Result<void> verify_source(const ImportSource& source, const Control& control);

}  // namespace gateleg::transfer

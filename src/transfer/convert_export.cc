#include <set>
#include <vector>

#include "transfer/byte_file.h"
#include "transfer/export_table.h"
#include "transfer/item_reader.h"
#include "transfer/table_shape.h"

namespace gateleg::transfer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{4} << 20;

// Calls `each` with every item of the export.
template <class Each>
Result<void> for_each_item(const fs::path& folder, Each each) {
    GATELEG_TRY_ASSIGN(const auto text, read_manifest(folder, "manifest-files"));
    GATELEG_TRY_ASSIGN(const auto files, parse_manifest_files(text));
    for (const auto& file : files) {
        GATELEG_TRY_ASSIGN(const auto name, data_file_name(file));
        const auto path = folder / "data" / name;
        GATELEG_TRY_ASSIGN(
            const auto reader, ItemReader::open(path, compression_of(path), path.string(), {})
        );
        for (;;) {
            GATELEG_TRY_ASSIGN(const auto read, reader->next());
            if (!read) {
                break;
            }
            if (read->problem) {
                return validation_error(*read->problem);
            }
            GATELEG_TRY(each(read->item.view()));
        }
    }
    return {};
}

// A file that is whole or not there. One thread at a time.
class OutputFile {
public:
    explicit OutputFile(fs::path path)
        : path_(std::move(path)),
          fresh_(path_.string() + ".new"),
          gzip_(path_.extension() == ".gz") {}

    Result<void> append(std::string_view text) {
        buffer_ += text;
        return buffer_.size() < kPiece ? Result<void>() : flush();
    }
    Result<void> finish() {
        GATELEG_TRY(flush());
        std::error_code error;
        fs::rename(fresh_, path_, error);
        if (error) {
            return validation_error(path_.string() + ": cannot be written: " + error.message());
        }
        return {};
    }

private:
    Result<void> flush() {
        if (!file_) {
            GATELEG_TRY_ASSIGN(auto file, FileAppender::open(fresh_, 0, gzip_));
            file_.emplace(std::move(file));
        }
        GATELEG_TRY(file_->append(buffer_));
        buffer_.clear();
        return {};
    }

    fs::path path_;
    fs::path fresh_;
    bool gzip_;
    std::string buffer_;
    std::optional<FileAppender> file_;
};

// The key first, then every other name in order.
Result<std::vector<std::string>> columns_of(const fs::path& folder) {
    GATELEG_TRY_ASSIGN(const auto text, read_whole_file(folder / "table.json"));
    GATELEG_TRY_ASSIGN(const auto shape, parse_table_shape(text));
    std::vector<std::string> columns;
    for (const auto& element : shape.table.key_schema) {
        columns.push_back(element.attribute);
    }
    std::set<std::string, std::less<>> others;
    GATELEG_TRY(for_each_item(folder, [&](value::ValueView item) -> Result<void> {
        for (const auto& entry : item.entries()) {
            if (!others.contains(entry.name)) {
                others.emplace(entry.name);
            }
        }
        return {};
    }));
    for (const auto& key : columns) {
        others.erase(key);
    }
    columns.insert(columns.end(), others.begin(), others.end());
    return columns;
}

}  // namespace

Result<void> convert_export(
    const fs::path& export_folder, const fs::path& file, Format format, char delimiter
) {
    OutputFile out(file);
    std::vector<std::string> columns;
    std::string line;
    if (format == Format::kCsv) {
        GATELEG_TRY_ASSIGN(columns, columns_of(export_folder));
        for (const auto& name : columns) {
            line += line.empty() ? "" : std::string(1, delimiter);
            append_csv_field(line, name, delimiter);
        }
        GATELEG_TRY(out.append(line + "\n"));
    }
    GATELEG_TRY(for_each_item(export_folder, [&](value::ValueView item) -> Result<void> {
        line.clear();
        if (format != Format::kCsv) {
            append_item_line(line, format, item);
        }
        for (std::size_t i = 0; i < columns.size(); ++i) {
            line += i == 0 ? "" : std::string(1, delimiter);
            if (const auto value = item.find(columns[i])) {
                append_csv_value(line, *value, delimiter);
            }
        }
        line += "\n";
        return out.append(line);
    }));
    return out.finish();
}

}  // namespace gateleg::transfer

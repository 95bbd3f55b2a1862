// The items of a file, one after the other, whatever it is compressed and written as.

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "transfer/byte_file.h"
#include "transfer/csv.h"
#include "transfer/item_lines.h"
#include "value/value_view.h"

namespace gateleg::transfer {

// How the lines of a file are to be read.
struct LineOptions {
    Format format = Format::kDynamoDbJson;
    // CSV alone.
    char delimiter = ',';
    std::vector<std::string> header = {};  // set: the files have none of their own
    KeyTypes key_types = {};
};

// What a record was.
struct ReadItem {
    value::EncodedItem item = {};
    std::string place = {};                   // "orders.csv:12"
    std::optional<std::string> problem = {};  // set: it is no item; "orders.csv:12:7: ..."
};

// One thread at a time.
class ItemReader {
public:
    // `name` is what errors call the file.
    static Result<std::unique_ptr<ItemReader>> open(
        const std::filesystem::path& path,
        Compression compression,
        std::string name,
        LineOptions options
    );
    virtual ~ItemReader() = default;

    // Nothing at the end. An error means that the rest of the file cannot be read; a record that
    // cannot be understood comes with its problem, and the next one follows.
    virtual Result<std::optional<ReadItem>> next() = 0;
};

// The records in a file of JSON lines, without a look at what they say.
Result<std::int64_t> count_lines(
    const std::filesystem::path& path, Compression compression, const std::string& name
);

}  // namespace gateleg::transfer

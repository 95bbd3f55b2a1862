// The first byte chooses: a manifest, lines of DynamoDB's JSON or of plain JSON, CSV, a table's
// shape. What can be read can be written, and read again to the same.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "transfer/csv.h"
#include "transfer/item_lines.h"
#include "transfer/manifest.h"
#include "transfer/table_shape.h"

namespace {

using namespace gateleg::transfer;  // NOLINT: one file, no header
using gateleg::value::EncodedItem;

void check(bool holds) {
    if (!holds) {
        std::abort();
    }
}

void read_line(Format format, std::string_view line) {
    LineParser parser(format);
    LineProblem problem;
    EncodedItem item;
    if (!parser.parse(line, item, problem)) {
        check(problem.column >= 1 && !problem.message.empty());
        return;
    }
    std::string text;
    append_item_line(text, Format::kDynamoDbJson, item.view());
    LineParser typed(Format::kDynamoDbJson);
    EncodedItem again;
    check(typed.parse(text, again, problem) && again.bytes() == item.bytes());
}

void read_csv(std::string_view bytes) {
    CsvCutter cutter(',');
    std::vector<CsvField> record;
    std::vector<std::string> header;
    for (auto got = cutter.take(bytes, record); got != CsvCutter::Got::kMore;
         got = cutter.take(bytes, record)) {
        if (got == CsvCutter::Got::kBroken) {
            check(!cutter.problem().empty());
        } else if (header.empty()) {
            header = csv_header(record) ? *csv_header(record) : std::vector<std::string>{"k"};
        } else {
            static_cast<void>(csv_item(header, record, {{"n", gateleg::value::Type::kNumber}}));
        }
    }
    static_cast<void>(cutter.finish(record));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch (data[0] % 6) {
        case 0:
            if (const auto files = parse_manifest_files(text)) {
                const auto again = parse_manifest_files(render_manifest_files(*files));
                check(again && again->size() == files->size());
            }
            break;
        case 1:
            if (const auto summary = parse_manifest_summary(text)) {
                const auto again = parse_manifest_summary(render_manifest_summary(*summary));
                check(again && again->item_count == summary->item_count);
            }
            break;
        case 2:
            read_line(Format::kDynamoDbJson, text);
            break;
        case 3:
            read_line(Format::kJson, text);
            break;
        case 4:
            read_csv(text);
            break;
        default:
            static_cast<void>(parse_table_shape(text));
    }
    return 0;
}

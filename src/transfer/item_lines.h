// One item as one line of text: DynamoDB's JSON as exports to S3 have it, or plain JSON.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value_view.h"

namespace gateleg::transfer {

enum class Format : std::uint8_t {
    kDynamoDbJson,  // {"Item":{"id":{"S":"a"}}}
    kJson,          // {"id":"a"}: sets become lists, binaries base64 text
    kCsv,
};

// "dynamodb-json", "json", "csv".
std::string_view format_name(Format format);

// Without the line's end; JSON only, CSV has a writer of its own.
void append_item_line(std::string& out, Format format, value::ValueView item);

// A line that cannot be read, and where in it.
struct LineProblem {
    std::size_t column = 1;  // bytes, from 1
    std::string message;
};

// Reads lines of JSON. One thread at a time.
class LineParser {
public:
    explicit LineParser(Format format);
    ~LineParser();
    LineParser(const LineParser&) = delete;
    LineParser& operator=(const LineParser&) = delete;

    // Takes {"Item":{...}} and, for what `gateleg scan` prints, the attributes alone. On failure
    // `problem` says what is wrong and `item` is as it was.
    bool parse(std::string_view line, value::EncodedItem& item, LineProblem& problem);

private:
    struct Parts;
    bool parse_typed(std::string_view line, value::EncodedItem& item, LineProblem& problem);
    bool parse_plain(std::string_view line, value::EncodedItem& item, LineProblem& problem);

    Format format_;
    std::unique_ptr<Parts> parts_;
};

// A key or an item in DynamoDB's JSON, for state files.
std::string render_item(value::ValueView item);
Result<value::EncodedItem> parse_item(std::string_view json);

}  // namespace gateleg::transfer

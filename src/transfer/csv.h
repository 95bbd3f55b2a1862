// CSV (RFC 4180) as DynamoDB's import takes it: a header with the names of the attributes, then a
// record an item.
//
// Key attributes of the table and its indexes have the type the table says; all others are texts.
// An empty field is no attribute, "" is an empty text.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/types.h"
#include "value/value_view.h"

namespace gateleg::transfer {

struct CsvField {
    std::string text;
    bool quoted = false;
    std::int64_t line = 1;
    std::size_t column = 1;  // bytes of the line, from 1
};

// Cuts bytes into records, piece by piece. One thread at a time.
class CsvCutter {
public:
    explicit CsvCutter(char delimiter) : delimiter_(delimiter) {}

    enum class Got : std::uint8_t {
        kRecord,  // `record` holds one
        kMore,    // `bytes` are used up
        kBroken,  // problem() says why; the rest of the line is passed over
    };
    // Takes from the front of `bytes`. Blank lines are no records.
    Got take(std::string_view& bytes, std::vector<CsvField>& record);
    // After the last bytes: the record that no line's end follows.
    Got finish(std::vector<CsvField>& record);

    // "3:14: ...": line and column, and what is wrong there.
    const std::string& problem() const { return problem_; }

private:
    enum class State : std::uint8_t { kStart, kPlain, kQuoted, kQuoteSeen, kSkip };
    Got broken(const std::string& what);
    void end_field();
    bool end_record(std::vector<CsvField>& record);

    char delimiter_;
    State state_ = State::kStart;
    std::vector<CsvField> fields_;
    CsvField field_;
    std::int64_t line_ = 1;
    std::size_t column_ = 1;
    std::string problem_;
};

using KeyTypes = std::map<std::string, value::Type, std::less<>>;

// The item of a record; `header` names its fields. Errors name line, column and attribute.
Result<value::EncodedItem> csv_item(
    const std::vector<std::string>& header,
    const std::vector<CsvField>& record,
    const KeyTypes& key_types
);

// The names, or why the record is no header: an empty name, or one twice.
Result<std::vector<std::string>> csv_header(const std::vector<CsvField>& record);

// Quoted where it must be.
void append_csv_field(std::string& out, std::string_view text, char delimiter);
// The attribute as a field; nothing for NULL.
void append_csv_value(std::string& out, value::ValueView value, char delimiter);

}  // namespace gateleg::transfer

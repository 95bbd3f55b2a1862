#include "transfer/csv.h"

#include <set>

#include <simdjson.h>

#include "base/base64.h"
#include "value/attribute_value.h"
#include "value/json_tree.h"
#include "value/number.h"

namespace gateleg::transfer {
namespace {

constexpr std::size_t kMaxFieldBytes = std::size_t{1} << 20;

std::string place(const CsvField& field) {
    return std::to_string(field.line) + ":" + std::to_string(field.column) + ": ";
}

Result<value::AttributeValue> typed(const CsvField& field, value::Type type) {
    switch (type) {
        case value::Type::kNumber: {
            GATELEG_TRY_ASSIGN(auto number, value::Number::parse(field.text));
            return value::AttributeValue{number};
        }
        case value::Type::kBinary: {
            value::Binary binary;
            if (!append_decoded_base64(binary.bytes, field.text)) {
                return validation_error("a binary key is written as base64");
            }
            return value::AttributeValue{std::move(binary)};
        }
        default:
            return value::AttributeValue{field.text};
    }
}

}  // namespace

CsvCutter::Got CsvCutter::broken(const std::string& what) {
    problem_ = std::to_string(line_) + ":" + std::to_string(column_) + ": " + what;
    fields_.clear();
    field_ = {};
    state_ = State::kSkip;
    return Got::kBroken;
}

void CsvCutter::end_field() {
    fields_.push_back(std::move(field_));
    field_ = {};
    state_ = State::kStart;
}

bool CsvCutter::end_record(std::vector<CsvField>& record) {
    end_field();
    const bool blank = fields_.size() == 1 && fields_[0].text.empty() && !fields_[0].quoted;
    record = std::move(fields_);
    fields_.clear();
    return !blank;
}

CsvCutter::Got CsvCutter::take(std::string_view& bytes, std::vector<CsvField>& record) {
    while (!bytes.empty()) {
        const char c = bytes.front();
        bytes.remove_prefix(1);
        const bool line_end = c == '\n';
        if (state_ == State::kSkip) {
            if (line_end) {
                state_ = State::kStart;
                ++line_;
                column_ = 1;
            }
            continue;
        }
        if (state_ == State::kStart && field_.text.empty()) {
            field_.line = line_;
            field_.column = column_;
        }
        if (state_ == State::kQuoted) {
            if (c == '"') {
                state_ = State::kQuoteSeen;
            } else {
                field_.text.push_back(c);
            }
        } else if (state_ == State::kQuoteSeen && c == '"') {
            field_.text.push_back('"');
            state_ = State::kQuoted;
        } else if (line_end) {
            ++line_;
            column_ = 1;
            if (state_ == State::kPlain && field_.text.ends_with('\r')) {
                field_.text.pop_back();
            }
            if (end_record(record)) {
                return Got::kRecord;
            }
            continue;
        } else if (c == delimiter_) {
            end_field();
        } else if (state_ == State::kQuoteSeen) {
            if (c != '\r') {
                return broken("there is text behind the closing quote");
            }
        } else if (c == '"' && state_ == State::kStart) {
            field_.quoted = true;
            state_ = State::kQuoted;
        } else if (c == '"') {
            return broken("a quote inside a field that is not quoted");
        } else {
            field_.text.push_back(c);
            state_ = State::kPlain;
        }
        if (field_.text.size() > kMaxFieldBytes) {
            return broken("a field of more than 1 MiB");
        }
        if (line_end) {
            ++line_;
            column_ = 1;
        } else {
            ++column_;
        }
    }
    return Got::kMore;
}

CsvCutter::Got CsvCutter::finish(std::vector<CsvField>& record) {
    if (state_ == State::kQuoted) {
        line_ = field_.line;
        column_ = field_.column;
        return broken("the quote that opens here is never closed");
    }
    if (state_ == State::kSkip || (fields_.empty() && state_ == State::kStart)) {
        return Got::kMore;
    }
    if (state_ == State::kPlain && field_.text.ends_with('\r')) {
        field_.text.pop_back();
    }
    const bool got = end_record(record);
    return got ? Got::kRecord : Got::kMore;
}

Result<std::vector<std::string>> csv_header(const std::vector<CsvField>& record) {
    std::vector<std::string> names;
    std::set<std::string_view> seen;
    for (const auto& field : record) {
        if (field.text.empty()) {
            return validation_error(place(field) + "a name in the header is empty");
        }
        if (!seen.insert(field.text).second) {
            return validation_error(place(field) + "the header names " + field.text + " twice");
        }
        names.push_back(field.text);
    }
    return names;
}

Result<value::EncodedItem> csv_item(
    const std::vector<std::string>& header,
    const std::vector<CsvField>& record,
    const KeyTypes& key_types
) {
    if (record.size() != header.size()) {
        return validation_error(
            place(record.back()) + "the record has " + std::to_string(record.size()) +
            " fields and the header " + std::to_string(header.size())
        );
    }
    value::Item item;
    for (std::size_t i = 0; i < record.size(); ++i) {
        const auto& field = record[i];
        if (field.text.empty() && !field.quoted) {
            continue;
        }
        if (!simdjson::validate_utf8(field.text.data(), field.text.size())) {
            return validation_error(
                place(field) + "attribute " + header[i] + ": the text is not valid UTF-8"
            );
        }
        const auto type = key_types.find(header[i]);
        auto read = typed(field, type == key_types.end() ? value::Type::kString : type->second);
        if (!read) {
            return validation_error(
                place(field) + "attribute " + header[i] + ": " + read.error().message
            );
        }
        item[header[i]] = *std::move(read);
    }
    return value::encode_item(item);
}

void append_csv_field(std::string& out, std::string_view text, char delimiter) {
    const bool quote = text.empty() || text.front() == ' ' || text.back() == ' ' ||
                       text.find_first_of("\"\r\n") != std::string_view::npos ||
                       text.find(delimiter) != std::string_view::npos;
    if (!quote) {
        out += text;
        return;
    }
    out += '"';
    for (const char c : text) {
        if (c == '"') {
            out += '"';
        }
        out += c;
    }
    out += '"';
}

void append_csv_value(std::string& out, value::ValueView value, char delimiter) {
    switch (value.type()) {
        case value::Type::kNull:
            return;
        case value::Type::kString:
        case value::Type::kNumber:
            append_csv_field(out, value.text(), delimiter);
            return;
        default: {
            std::string text;
            value::append_plain_json(text, value::decode(value));
            if (value.type() == value::Type::kBinary) {
                text = text.substr(1, text.size() - 2);  // base64 without JSON's quotes
            }
            append_csv_field(out, text, delimiter);
        }
    }
}

}  // namespace gateleg::transfer

#include "transfer/item_lines.h"

#include <cstdlib>

#include <simdjson.h>

#include "base/json_writer.h"
#include "value/attribute_value.h"
#include "value/json_codec.h"
#include "value/json_tree.h"

namespace gateleg::transfer {
namespace {

namespace dom = simdjson::dom;

// "The body is not valid JSON: ... at byte 12" as what is wrong with a line.
LineProblem problem_of(const Error& error) {
    constexpr std::string_view kAt = " at byte ";
    constexpr std::string_view kBody = "The body is ";
    LineProblem problem;
    problem.message = error.message;
    if (const auto at = problem.message.rfind(kAt); at != std::string::npos) {
        const auto* digits = problem.message.c_str() + at + kAt.size();
        problem.column = std::strtoul(digits, nullptr, 10) + 1;
        problem.message.resize(at);
    }
    if (problem.message.starts_with(kBody)) {
        problem.message.erase(0, kBody.size());
    }
    return problem;
}

// simdjson does not say where; the strict reader does.
LineProblem not_json(std::string_view line, simdjson::error_code code) {
    if (const auto parsed = value::parse_json(line); !parsed) {
        return problem_of(parsed.error());
    }
    return {1, std::string("not valid JSON: ") + simdjson::error_message(code)};
}

// Which attribute is at fault, and where its name stands.
LineProblem bad_attribute(std::string_view line, dom::object attributes, const Error& whole) {
    for (const auto [name, value] : attributes) {
        std::string ignored;
        const auto read = value::append_value(ignored, value);
        if (read) {
            continue;
        }
        std::string quoted;
        append_json_string(quoted, name);
        const auto at = line.find(quoted);
        return {
            at == std::string_view::npos ? 1 : at + 1,
            "attribute " + std::string(name) + ": " + read.error().message};
    }
    return {1, whole.message};
}

}  // namespace

std::string_view format_name(Format format) {
    switch (format) {
        case Format::kDynamoDbJson:
            return "dynamodb-json";
        case Format::kJson:
            return "json";
        case Format::kCsv:
            return "csv";
    }
    return "csv";
}

void append_item_line(std::string& out, Format format, value::ValueView item) {
    if (format == Format::kJson) {
        value::append_plain_json(out, value::decode(item));
        return;
    }
    out += "{\"Item\":";
    value::append_json_map(out, item);
    out += "}";
}

struct LineParser::Parts {
    dom::parser parser;
};

LineParser::LineParser(Format format) : format_(format), parts_(std::make_unique<Parts>()) {}
LineParser::~LineParser() = default;

bool LineParser::parse(std::string_view line, value::EncodedItem& item, LineProblem& problem) {
    return format_ == Format::kJson ? parse_plain(line, item, problem)
                                    : parse_typed(line, item, problem);
}

bool LineParser::parse_typed(
    std::string_view line, value::EncodedItem& item, LineProblem& problem
) {
    dom::element root;
    if (const auto failed = parts_->parser.parse(line.data(), line.size()).get(root)) {
        problem = not_json(line, failed);
        return false;
    }
    dom::object attributes;
    if (root.get_object().get(attributes) != simdjson::SUCCESS) {
        problem = {1, "an item is an object of attributes"};
        return false;
    }
    dom::element wrapped;
    if (attributes.size() == 1 && attributes["Item"].get(wrapped) == simdjson::SUCCESS) {
        root = wrapped;
        if (root.get_object().get(attributes) != simdjson::SUCCESS) {
            problem = {1, "Item is not an object of attributes"};
            return false;
        }
    } else if (attributes["Metadata"].error() == simdjson::SUCCESS && attributes["Keys"].error() == simdjson::SUCCESS) {
        problem = {1, "this is a line of an incremental export, which is not read here"};
        return false;
    }
    std::string bytes;
    if (const auto read = value::append_map_of_values(bytes, root); !read) {
        problem = bad_attribute(line, attributes, read.error());
        return false;
    }
    item = value::EncodedItem(std::move(bytes));
    return true;
}

bool LineParser::parse_plain(
    std::string_view line, value::EncodedItem& item, LineProblem& problem
) {
    auto parsed = value::parse_json(line);
    if (!parsed) {
        problem = problem_of(parsed.error());
        return false;
    }
    const auto* attributes = std::get_if<value::Map>(&parsed->data);
    if (attributes == nullptr) {
        problem = {1, "an item is an object of attributes"};
        return false;
    }
    item = value::encode_item(*attributes);
    return true;
}

std::string render_item(value::ValueView item) {
    std::string json;
    value::append_json_map(json, item);
    return json;
}

Result<value::EncodedItem> parse_item(std::string_view json) {
    dom::parser parser;
    dom::element root;
    if (const auto failed = parser.parse(json.data(), json.size()).get(root)) {
        return validation_error(not_json(json, failed).message);
    }
    std::string bytes;
    GATELEG_TRY(value::append_map_of_values(bytes, root));
    return value::EncodedItem(std::move(bytes));
}

}  // namespace gateleg::transfer

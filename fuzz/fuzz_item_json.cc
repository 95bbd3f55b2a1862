// Any JSON is an item or an error; an item survives the way to JSON and to a tree and back, and the
// JSON without type names is JSON. What is an item is also the values of an expression, and else is
// not.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "value/attribute_value.h"
#include "value/item_size.h"
#include "value/json_codec.h"
#include "value/json_sink.h"
#include "value/plain_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace value = gateleg::value;
    static simdjson::dom::parser parser;
    simdjson::dom::element json;
    if (parser.parse(data, size).get(json) != simdjson::SUCCESS) {
        return 0;
    }
    std::string bytes;
    const auto item_or_error = value::append_map_of_values(bytes, json);
    std::string values;
    const auto values_or_error =
        value::append_map_of_values(values, json, value::MapOf::kExpressionValues);
    GATELEG_CHECK(item_or_error.has_value() == values_or_error.has_value() && bytes == values);
    if (!item_or_error) {
        GATELEG_CHECK(bytes.empty());
        return 0;
    }
    const value::ValueView item(bytes.data());
    GATELEG_CHECK(item.bytes() == bytes);
    value::item_size(item);
    GATELEG_CHECK(value::encode_item(value::decode_item(item)).bytes() == bytes);

    std::string text;
    value::append_json_map(text, item);
    std::string again;
    GATELEG_CHECK(value::append_map_of_values(again, parser.parse(text)).has_value());
    GATELEG_CHECK(again == bytes);

    std::string plain;
    {
        value::JsonSink sink(plain, 0);
        value::write_plain_json(sink, item);
    }
    // Integers of more than 64 bits are JSON, but not for this parser.
    const auto problem = parser.parse(plain).error();
    GATELEG_CHECK(problem == simdjson::SUCCESS || problem == simdjson::NUMBER_ERROR);
    return 0;
}

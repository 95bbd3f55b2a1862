// Any JSON is an item or an error; an item survives the way to JSON and to a tree and back.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "value/attribute_value.h"
#include "value/item_size.h"
#include "value/json_codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace value = gateleg::value;
    static simdjson::dom::parser parser;
    simdjson::dom::element json;
    if (parser.parse(data, size).get(json) != simdjson::SUCCESS) {
        return 0;
    }
    std::string bytes;
    if (!value::append_map_of_values(bytes, json)) {
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
    return 0;
}

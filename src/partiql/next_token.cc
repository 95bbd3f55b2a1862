#include "partiql/next_token.h"

#include <utility>

#include <simdjson.h>

#include "base/base64.h"
#include "base/json_writer.h"
#include "value/json_codec.h"

namespace gateleg::partiql {
namespace {

Error invalid_token() {
    return validation_error("Invalid NextToken");
}

}  // namespace

std::string encode_next_token(const PageStart& start, std::uint64_t request) {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    json.member("request", std::to_string(request));
    json.member("range", start.range);
    if (start.after) {
        json.key("after");
        value::append_json_map(json.value_sink(), start.after->view());
    }
    json.end_object();
    return encode_base64(text);
}

Result<PageStart> decode_next_token(std::string_view token, std::uint64_t request) {
    std::string text;
    if (!append_decoded_base64(text, token)) {
        return invalid_token();
    }
    simdjson::dom::parser parser;
    simdjson::dom::element json;
    std::string_view made_for;
    std::uint64_t range = 0;
    if (parser.parse(text).get(json) != simdjson::SUCCESS ||
        json["request"].get_string().get(made_for) != simdjson::SUCCESS ||
        json["range"].get_uint64().get(range) != simdjson::SUCCESS) {
        return invalid_token();
    }
    if (made_for != std::to_string(request)) {
        return validation_error("NextToken does not match request");
    }
    PageStart start;
    start.range = range;
    simdjson::dom::element after;
    if (json["after"].get(after) == simdjson::SUCCESS) {
        std::string bytes;
        if (!value::append_map_of_values(bytes, after)) {
            return invalid_token();
        }
        start.after = value::EncodedItem(std::move(bytes));
    }
    return start;
}

}  // namespace gateleg::partiql

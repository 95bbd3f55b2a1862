#include <array>

#include <simdjson.h>

#include "base/json_writer.h"
#include "model/backfill.h"
#include "value/json_codec.h"

namespace gateleg::model {
namespace {

struct NamedCount {
    std::string_view name;
    std::int64_t BackfillCounts::*count;
};
// Written to cursor files: names stay.
constexpr std::array<NamedCount, 6> kCounts = {{
    {"scanned", &BackfillCounts::scanned},
    {"matched", &BackfillCounts::matched},
    {"changed", &BackfillCounts::changed},
    {"rows", &BackfillCounts::rows},
    {"contended", &BackfillCounts::contended},
    {"failed", &BackfillCounts::failed},
}};

Error no_position(std::string_view why) {
    return validation_error("the cursor " + std::string(why));
}

std::string_view text_of(simdjson::dom::object object, std::string_view name) {
    std::string_view text;
    return object[name].get_string().get(text) == simdjson::SUCCESS ? text : std::string_view();
}

}  // namespace

std::string render_position(
    const Model& model, std::string_view entity, const BackfillPosition& position
) {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    json.member("model", model.name);
    json.member("table", model.table.name);
    json.member("entity", entity);
    for (const auto& [name, count] : kCounts) {
        json.member(name, position.counts.*count);
    }
    json.member("finished", position.finished);
    if (position.next) {
        json.key("next");
        value::append_json_map(json.value_sink(), value::encode_item(*position.next).view());
    }
    json.end_object();
    return text;
}

Result<BackfillPosition> parse_position(
    const Model& model, std::string_view entity, std::string_view text
) {
    simdjson::dom::parser parser;
    simdjson::dom::object object;
    const simdjson::padded_string padded(text);
    if (parser.parse(padded).get_object().get(object) != simdjson::SUCCESS) {
        return no_position("is not one that backfill wrote");
    }
    if (text_of(object, "model") != model.name || text_of(object, "table") != model.table.name ||
        text_of(object, "entity") != entity) {
        return no_position(
            "belongs to " + std::string(text_of(object, "model")) + " " +
            std::string(text_of(object, "entity")) + ", not to " + model.name + " " +
            std::string(entity)
        );
    }
    BackfillPosition position;
    for (const auto& [name, count] : kCounts) {
        std::int64_t number = 0;
        if (object[name].get_int64().get(number) == simdjson::SUCCESS) {
            position.counts.*count = number;
        }
    }
    bool finished = false;
    position.finished =
        object["finished"].get_bool().get(finished) == simdjson::SUCCESS && finished;
    simdjson::dom::element next;
    if (object["next"].get(next) == simdjson::SUCCESS) {
        std::string bytes;
        GATELEG_TRY(value::append_map_of_values(bytes, next));
        position.next = value::decode_item(value::EncodedItem(std::move(bytes)).view());
    }
    return position;
}

}  // namespace gateleg::model

#include "model/openapi_events.h"

#include <string>

namespace gateleg::model {
namespace {

constexpr std::string_view kParameters =
    R"([{"name":"entity","in":"query","required":false,"schema":{"type":"string"}},)"
    R"({"name":"from","in":"query","required":false,"schema":{"type":"string","pattern":"^(latest|horizon|[0-9]{1,21})$"}},)"
    R"({"name":"Last-Event-ID","in":"header","required":false,"schema":{"type":"string","pattern":"^[0-9]{1,21}$"}}])";

constexpr std::string_view kEvents =
    R"({"description":"Events, until the caller leaves or its token ends: `record` with the data below and the )"
    R"(sequence number as id, `gap` where records were skipped","content":{"text/event-stream":{"schema":{)"
    R"("type":"object","required":["sequence","operation","at","entity","item"],"properties":{)"
    R"("sequence":{"type":"string"},"operation":{"type":"string","enum":["INSERT","MODIFY","REMOVE"]},)"
    R"("at":{"type":"string","format":"date-time"},"entity":{"type":"string"},"item":{"type":"object"},)"
    R"("expired":{"type":"boolean"}}}}}})";

void write_error(JsonWriter& json, std::string_view status, const std::string& code) {
    json.key(status);
    json.raw(
        R"({"description":")" + code +
        R"(","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}})"
    );
}

}  // namespace

void write_event_operation(JsonWriter& json, std::string_view id, std::string_view tag) {
    json.begin_object();
    json.member("operationId", id);
    json.key("tags");
    json.begin_array();
    json.string(tag);
    json.end_array();
    json.member("summary", "Changes as they happen, of what the caller may read");
    json.member("description", "Allowed: signed_in");
    json.key("parameters");
    json.raw(kParameters);
    json.key("responses");
    json.begin_object();
    json.key("200");
    json.raw(kEvents);
    write_error(json, "400", "ValidationFailed");
    write_error(json, "401", "Unauthenticated");
    write_error(json, "409", "StreamDisabled");
    write_error(json, "429", "TooManyStreams");
    write_error(json, "503", "Unavailable");
    json.end_object();
    json.end_object();
}

}  // namespace gateleg::model

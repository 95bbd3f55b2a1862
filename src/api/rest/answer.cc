#include "api/rest/answer.h"

#include <algorithm>
#include <array>

#include "api/rest/problem.h"
#include "base/json_writer.h"
#include "model/taken_item.h"
#include "value/json_tree.h"

namespace gateleg::api::rest {
namespace {

std::string tag_of(const value::Map& item, std::string_view version) {
    const auto found = version.empty() ? item.end() : item.find(version);
    if (found == item.end()) {
        return {};
    }
    const auto* number = std::get_if<value::Number>(&found->second.data);
    return number == nullptr ? std::string() : "\"" + number->to_text() + "\"";
}

value::AttributeValue shown(
    const model::Runtime& runtime,
    const model::Pattern& pattern,
    const model::Entity& entity,
    value::Item item,
    const model::Caller& caller
) {
    auto value = model::show_of_pattern(
        runtime.model(), pattern, entity, std::move(item), caller, runtime.clock().now_millis()
    );
    const auto& kinds = pattern.returned();
    auto* members = std::get_if<value::Map>(&value.data);
    if (kinds.size() > 1 && members != nullptr) {
        members->insert_or_assign(
            model::discriminator(runtime.model()),
            value::AttributeValue{model::discriminator_value(entity, kinds)}
        );
    }
    return value;
}

// A response keeps no copy of its type, so those that answers can have are listed.
std::string_view lasting_type(std::string_view type) {
    constexpr std::array<std::string_view, 4> kTypes = {
        "application/json",
        "application/octet-stream",
        "text/plain; charset=utf-8",
        "text/csv; charset=utf-8"};
    const auto* found = std::find(kTypes.begin(), kTypes.end(), type);
    return found != kTypes.end() ? *found : kTypes[1];
}

}  // namespace

Answer answer_found(
    const model::Runtime& runtime,
    const model::Endpoint& endpoint,
    model::Found found,
    const model::Caller& caller
) {
    Answer answer;
    answer.entity_tag = tag_of(found.item, found.entity->version);
    value::append_plain_json(
        answer.body, shown(runtime, *endpoint.pattern, *found.entity, std::move(found.item), caller)
    );
    return answer;
}

Answer answer_list(const model::Listing& listing) {
    constexpr std::size_t kAround = 256;
    Answer answer;
    JsonWriter json(answer.body);
    json.begin_object();
    if (listing.count) {
        json.member("count", *listing.count);
        json.end_object();
        return answer;
    }
    answer.body.reserve(listing.items.size() + listing.cursor.value_or("").size() + kAround);
    json.key("items");
    json.begin_array();
    if (!listing.items.empty()) {
        json.raw(listing.items);
    }
    json.end_array();
    json.key("cursor");
    if (listing.cursor) {
        json.string(*listing.cursor);
    } else {
        json.raw("null");
    }
    // The page is short because its reading has an end, not because the list has.
    if (listing.partial && listing.cursor) {
        json.member("partial", true);
    }
    json.end_object();
    return answer;
}

Answer answer_operation(const model::Endpoint& endpoint, const model::OperationReply& reply) {
    constexpr int kCreated = 201;
    Answer answer{.replayed = reply.replayed, .headers = reply.headers};
    const int declared = reply.status != 0 ? reply.status : endpoint.operation->status;
    if (!reply.content_type.empty()) {
        answer.status = declared != 0 ? declared : 200;
        answer.content_type = reply.content_type;
        answer.body = reply.content;
        return answer;
    }
    if (!reply.changed && !reply.body) {
        answer.body = R"({"changed":false})";
        return answer;
    }
    answer.status = declared != 0 ? declared : reply.created ? kCreated : 200;
    if (!reply.body) {
        answer.body = R"({"changed":true})";
        return answer;
    }
    value::append_plain_json(answer.body, *reply.body);
    const auto entities = model::returned_entities(endpoint);
    if (const auto* members = std::get_if<value::Map>(&reply.body->data);
        members != nullptr && entities.size() == 1) {
        answer.entity_tag = tag_of(*members, entities.front()->version);
    }
    return answer;
}

Answer answer_job(const model::JobReport& report) {
    Answer answer;
    JsonWriter json(answer.body);
    json.begin_object();
    json.member("scanned", report.scanned);
    json.member("changed", report.changed);
    json.member("skipped", report.skipped + report.failed);
    if (report.failed > 0) {
        json.member("failed", report.failed);
    }
    json.member("done", report.done);
    json.key("cursor");
    if (report.cursor) {
        json.string(*report.cursor);
    } else {
        json.raw("null");
    }
    json.end_object();
    return answer;
}

void add_explanation(Answer& answer, const model::Explained& explained) {
    std::string body;
    JsonWriter json(body);
    json.begin_object();
    json.key("answer");
    json.raw(answer.body);
    json.key("explain");
    json.begin_object();
    json.key("calls");
    json.begin_array();
    for (const auto& call : explained.calls) {
        json.raw(call);
    }
    json.end_array();
    json.member("capacity", explained.capacity);
    json.end_object();
    json.end_object();
    answer.body = std::move(body);
}

http::Response to_response(Answer answer, std::string_view request_id) {
    http::Response response{
        .status = answer.status,
        .content_type = lasting_type(answer.content_type),
        .headers = common_headers(request_id),
        .body = std::move(answer.body)};
    for (const auto& [name, value] : answer.headers) {
        response.headers.append(name).append(": ").append(value).append("\r\n");
    }
    if (!answer.entity_tag.empty()) {
        response.headers.append("ETag: ").append(answer.entity_tag).append("\r\n");
    }
    if (answer.replayed) {
        response.headers.append("Idempotency-Replayed: true\r\n");
    }
    return response;
}

}  // namespace gateleg::api::rest

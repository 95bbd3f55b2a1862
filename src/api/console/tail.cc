// The changes of a table as they happen, for the page that shows them: server-sent events.

#include "api/console/face.h"
#include "api/rest/problem.h"
#include "base/ids.h"
#include "base/json_writer.h"
#include "model/entity_keys.h"
#include "model/recognise.h"
#include "value/json_codec.h"

namespace gateleg::api::console {
namespace {

using dynamo::StreamEvent;
using dynamo::StreamRecord;
using model::CallError;

std::string_view operation_name(StreamEvent event) {
    switch (event) {
        case StreamEvent::kInsert:
            return "INSERT";
        case StreamEvent::kModify:
            return "MODIFY";
        case StreamEvent::kRemove:
            return "REMOVE";
    }
    return "";
}

struct Filter {
    std::string entity = {};
    std::string operation = {};
    std::string key = {};
};

// What the page wants to see, and as what.
class TailView {
public:
    TailView(std::string table, Filter filter, const model::Model* model)
        : table_(std::move(table)), filter_(std::move(filter)), model_(model) {}

    std::optional<std::string> render(const StreamRecord& record) const {
        const auto operation = operation_name(record.event);
        if (!filter_.operation.empty() && filter_.operation != operation) {
            return std::nullopt;
        }
        if (!filter_.key.empty() && !names_key(record)) {
            return std::nullopt;
        }
        const auto* entity = entity_of(record);
        if (!filter_.entity.empty() && (entity == nullptr || entity->name != filter_.entity)) {
            return std::nullopt;
        }
        std::string out;
        JsonWriter json(out);
        json.begin_object();
        json.member("sequence", record.sequence);
        json.member("operation", operation);
        json.member("at", record.created_seconds * 1000);
        json.member("table", table_);
        if (model_ != nullptr) {
            json.member("system", model_->name);
        }
        if (entity != nullptr) {
            json.member("entity", entity->name);
        }
        write_item(json, "keys", record.keys);
        if (record.old_image) {
            write_item(json, "old", *record.old_image);
        }
        if (record.new_image) {
            write_item(json, "new", *record.new_image);
        }
        if (record.by_time_to_live) {
            json.member("expired", true);
        }
        json.end_object();
        return out;
    }

private:
    static void write_item(
        JsonWriter& json, std::string_view name, const value::EncodedItem& item
    ) {
        json.key(name);
        value::append_json_map(json.value_sink(), item.view());
    }

    // A value of the key, as JSON has it, holds the text.
    bool names_key(const StreamRecord& record) const {
        constexpr std::size_t kBeforeValue = 5;  // {"S":
        std::string wanted;
        append_json_string(wanted, filter_.key);
        const auto inner = std::string_view(wanted).substr(1, wanted.size() - 2);
        for (const auto& entry : record.keys.view().entries()) {
            std::string json;
            value::append_json(json, entry.value);
            if (json.find(inner, kBeforeValue) != std::string::npos) {
                return true;
            }
        }
        return false;
    }

    const model::Entity* entity_of(const StreamRecord& record) const {
        if (model_ == nullptr) {
            return nullptr;
        }
        const auto& image = record.new_image   ? *record.new_image
                            : record.old_image ? *record.old_image
                                               : record.keys;
        return model::recognise(*model_, value::decode_item(image.view()));
    }

    std::string table_;
    Filter filter_;
    const model::Model* model_;
};

}  // namespace

std::optional<CallError> Face::follow_table(http::Exchange& exchange, const Call& call) {
    if (context_.events == nullptr) {
        return not_available(
            "Streams of a remote store are not followed here; read them there with the DynamoDB "
            "Streams API"
        );
    }
    const auto table = std::string(call.parameter("table"));
    if (table.empty()) {
        return rest::validation_failed("table", "is missing");
    }
    Filter filter{
        .entity = std::string(call.parameter("entity")),
        .operation = std::string(call.parameter("operation")),
        .key = std::string(call.parameter("key"))};
    const bool known = filter.operation.empty() || filter.operation == "INSERT" ||
                       filter.operation == "MODIFY" || filter.operation == "REMOVE";
    if (!known) {
        return rest::validation_failed("operation", "is INSERT, MODIFY or REMOVE");
    }
    const model::Model* model = nullptr;
    for (const auto& system : context_.systems) {
        if (system.runtime->model().table.name == table) {
            model = &system.runtime->model();
            break;
        }
    }
    events::Follow follow;
    const auto& head = exchange.request().head;
    if (auto refused = context_.events->find_start(
            table,
            {.from = call.parameter("from"),
             .last_event_id = head.find("Last-Event-ID").value_or("")},
            false,
            follow
        )) {
        return refused;
    }
    if (!filter.entity.empty() &&
        (model == nullptr || model->find_entity(filter.entity) == nullptr)) {
        return rest::validation_failed("entity", "is none of a model of this table");
    }
    follow.owner = "console " + call.session->csrf;
    follow.render = [view = TailView(table, std::move(filter), model)](const StreamRecord& record) {
        return view.render(record);
    };
    follow.may_go_on = [&sessions = sessions_, cookie = std::string(cookie_of(head, kCookie))] {
        return sessions.find(cookie) != nullptr;
    };
    auto& trace = exchange.trace();
    trace.id = random_request_id();
    trace.table = table;
    return context_.events->follow(exchange, rest::common_headers(trace.id), std::move(follow));
}

void Face::answer_tail(http::Exchange exchange, const Call& call) {
    if (const auto refused = follow_table(exchange, call)) {
        reply_error(exchange, *refused);
    }
}

}  // namespace gateleg::api::console

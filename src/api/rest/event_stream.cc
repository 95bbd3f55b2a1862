// The changes of a system as they happen, for its applications: entities as the model shows them to
// the caller, server-sent events.

#include "api/rest/face.h"
#include "api/rest/problem.h"
#include "base/json_writer.h"
#include "base/time_text.h"
#include "model/event_access.h"
#include "value/json_tree.h"

namespace gateleg::api::rest {
namespace {

using dynamo::StreamEvent;
using dynamo::StreamRecord;
using model::CallError;

// Sessions are in the table: they are not looked for each second.
constexpr int kLooksPerSessionRead = 5;

std::string_view operation_name(StreamEvent event) {
    return event == StreamEvent::kInsert   ? "INSERT"
           : event == StreamEvent::kModify ? "MODIFY"
                                           : "REMOVE";
}

// What one caller sees of a system's changes.
class ChangeView {
public:
    ChangeView(
        const model::Runtime& runtime,
        dynamo::Dynamo& dynamo,
        model::Caller caller,
        const model::Entity* only
    )
        : runtime_(runtime), dynamo_(dynamo), caller_(std::move(caller)), only_(only) {}

    std::optional<std::string> render(const StreamRecord& record) const {
        const bool removed = record.event == StreamEvent::kRemove;
        const auto& image = removed ? record.old_image : record.new_image;
        if (!image) {
            return std::nullopt;
        }
        const auto seen = model::see_change(
            runtime_.model(),
            dynamo_,
            value::decode_item(image->view()),
            removed,
            caller_,
            runtime_.clock().now_millis()
        );
        // What cannot be judged is not shown.
        if (!seen || !*seen || (only_ != nullptr && (*seen)->entity != only_)) {
            return std::nullopt;
        }
        const auto& [entity, pattern, attributes] = **seen;
        std::string out;
        JsonWriter json(out);
        json.begin_object();
        json.member("sequence", record.sequence);
        json.member("operation", operation_name(record.event));
        json.member("at", render_rfc3339(record.created_seconds * 1000));
        json.member("entity", entity->name);
        json.key("item");
        value::append_plain_json(
            json.value_sink(), runtime_.to_api(*pattern, *entity, attributes, caller_)
        );
        if (record.by_time_to_live) {
            json.member("expired", true);
        }
        json.end_object();
        return out;
    }

private:
    const model::Runtime& runtime_;
    dynamo::Dynamo& dynamo_;
    model::Caller caller_;
    const model::Entity* only_;
};

struct Asked {
    const model::Entity* entity = nullptr;
    std::string from = {};
};

model::CallResult<Asked> read_query(const http::RequestHead& head, const model::Model& model) {
    const auto query = parse_query(head.query());
    if (!query) {
        return query.error();
    }
    Asked asked;
    for (const auto& [name, value] : *query) {
        if (name == "entity") {
            asked.entity = model.find_entity(value);
            if (asked.entity == nullptr || asked.entity->built_in) {
                return validation_failed(name, "is no entity of this system");
            }
        } else if (name == "from") {
            if (!events::is_start(value)) {
                return validation_failed(name, "is latest, horizon or a sequence number");
            }
            asked.from = value;
        } else {
            return validation_failed(name, "is not a parameter of this request");
        }
    }
    return asked;
}

}  // namespace

UniqueFunction<bool()> Face::watch_identity(
    const http::RequestHead& head, const Identity& identity, std::string_view system
) const {
    const auto header = head.find("Authorization").value_or("");
    const auto blank = header.rfind(' ');
    auto token = std::string(blank == std::string_view::npos ? header : header.substr(blank + 1));
    if (identity.session) {
        if (token.empty()) {
            token = console::cookie_of(head, systems::kSessionCookie);
        }
        return [&source = *options_.sessions,
                token = std::move(token),
                roles = systems::roles_in(*identity.session, system),
                system = std::string(system),
                looks = 0]() mutable {
            if (++looks % kLooksPerSessionRead != 0) {
                return true;
            }
            const auto found = source.find(token);
            // A store that does not answer now says nothing about the session.
            return !found || (*found && systems::roles_in(**found, system) == roles);
        };
    }
    if (!token.empty()) {
        return [&tokens = tokens_, &clock = real_clock_, token = std::move(token)] {
            return tokens.verify(token, clock.now_seconds()).has_value();
        };
    }
    return [&gate = *options_.console,
            cookie = std::string(console::cookie_of(head, console::kCookie))] {
        return gate.is_live(cookie);
    };
}

std::optional<Face::Refused> Face::follow(
    http::Exchange& exchange,
    model::Runtime& runtime,
    const Identity& identity,
    std::string_view request_id
) {
    const auto& head = exchange.request().head;
    const auto& model = runtime.model();
    exchange.trace().table = model.table.name;
    auto caller = identity.caller;
    if (identity.session) {
        caller.roles = systems::roles_in(*identity.session, model.name);
    }
    if (!caller.user) {
        return Refused{unauthenticated("Sign in first.")};
    }
    const auto asked = read_query(head, model);
    if (!asked) {
        return Refused{asked.error()};
    }
    if (options_.events == nullptr) {
        return Refused{CallError{
            .status = 501, .code = "NotAvailable", .message = "This server follows no changes"}};
    }
    events::Follow follow;
    const events::Start start{
        .from = asked->from, .last_event_id = head.find("Last-Event-ID").value_or("")};
    if (auto refused = options_.events->find_start(model.table.name, start, true, follow)) {
        return Refused{*std::move(refused)};
    }
    follow.owner = model.name + " " + *caller.user;
    follow.may_go_on = watch_identity(head, identity, model.name);
    follow.render = [view = ChangeView(
                         runtime, *options_.dynamo, std::move(caller), asked->entity
                     )](const StreamRecord& record) { return view.render(record); };
    exchange.trace().end(http::Stage::kParse);
    if (auto refused =
            options_.events->follow(exchange, common_headers(request_id), std::move(follow))) {
        return Refused{*std::move(refused)};
    }
    return std::nullopt;
}

}  // namespace gateleg::api::rest

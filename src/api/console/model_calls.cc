#include "api/console/calls.h"
#include "api/console/gate.h"
#include "api/rest/problem.h"
#include "api/rest/read_call.h"
#include "base/json_writer.h"
#include "model/backfill.h"
#include "model/check.h"
#include "model/load.h"
#include "model/markdown.h"
#include "model/native.h"
#include "model/surface.h"
#include "model/table_apply.h"
#include "value/json_tree.h"

namespace gateleg::api::console {
namespace {

using model::CallResult;

// Read in one call of a backfill: a person sees how far it is.
constexpr std::int64_t kBackfillItems = 500;

// The catalogue of the served system that the text is a version of.
std::string_view catalog_for(const Context& context, const std::string& name) {
    const auto* system = context.find_system(name);
    return system != nullptr ? system->catalog : std::string_view();
}

std::unique_ptr<model::Model> load(
    const Context& context,
    const std::string& yaml,
    const std::string& name,
    model::Diagnostics& diagnostics
) {
    auto loaded = model::load_model(yaml, diagnostics, catalog_for(context, name));
    if (loaded && name.empty() && diagnostics.has_errors() &&
        !catalog_for(context, loaded->name).empty()) {
        // A version of a served model: its constants may be in the catalogue beside it.
        model::Diagnostics again;
        auto with_catalog = model::load_model(yaml, again, catalog_for(context, loaded->name));
        diagnostics = std::move(again);
        loaded = std::move(with_catalog);
    }
    if (loaded && !diagnostics.has_errors()) {
        model::check_model(*loaded, diagnostics);
    }
    return loaded;
}

// Parameters as the query string of the pattern's own route would give them.
CallResult<rest::QueryParameters> to_query(const value::Map& params) {
    rest::QueryParameters query;
    for (const auto& [name, value] : params) {
        if (const auto* text = std::get_if<std::string>(&value.data)) {
            if (!text->empty()) {
                query[name] = *text;
            }
        } else if (!std::holds_alternative<value::Null>(value.data)) {
            value::append_plain_json(query[name], value);
        }
    }
    return query;
}

CallResult<model::PatternCall> read_call(
    const model::Model& model,
    const model::Pattern& pattern,
    const value::Map& params,
    std::string& route
) {
    for (const auto& endpoint : model::pattern_endpoints_of(model)) {
        if (endpoint.pattern == &pattern) {
            route = endpoint.path;
            auto query = to_query(params);
            if (!query) {
                return query.error();
            }
            return rest::read_pattern_call(endpoint, {.query = *std::move(query)});
        }
    }
    model::PatternCall call;
    for (const auto& [name, value] : params) {
        call.arguments[name] = value;
    }
    return call;
}

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || c == '-' || c == '_' || c == '.' || c == '~') {
            out.push_back(c);
        } else {
            out.push_back('%');
            out.push_back(kDigits[byte >> 4]);
            out.push_back(kDigits[byte & 15]);
        }
    }
    return out;
}

void write_plan(JsonWriter& json, const model::Model& model, const model::TablePlan& plan) {
    json.begin_object();
    json.member("table", model.table.name);
    model::append_plan_members(json, plan);
    json.key("lines");
    json.begin_array();
    for (const auto& line : model::plan_lines(plan)) {
        json.string(line);
    }
    json.end_array();
    json.end_object();
}

}  // namespace

CallReply check_model(const Context& context, const Call& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto body, Body::parse(call.body));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto yaml, body.text("yaml"));
    model::Diagnostics diagnostics;
    const auto loaded = load(context, yaml, body.text_or("name", ""), diagnostics);
    Reply reply;
    JsonWriter json(reply.json);
    json.begin_object();
    json.key("problems");
    json.begin_array();
    for (const auto& found : diagnostics.sorted()) {
        json.begin_object();
        json.member("line", found.position.line);
        json.member("column", found.position.column);
        json.member("severity", model::severity_name(found.severity));
        json.member("rule", found.id);
        json.member("message", found.message);
        json.member("suggestion", found.suggestion);
        json.end_object();
    }
    json.end_array();
    json.key("doc");
    loaded && !diagnostics.has_errors() ? json.string(model::to_markdown(*loaded))
                                        : json.raw("null");
    json.end_object();
    return reply;
}

CallReply plan_model(const Context& context, const Call& call) {
    const auto* system = context.find_system(call.variables.at(0));
    if (system == nullptr) {
        return not_found("There is no model of that name");
    }
    const auto* wanted = &system->runtime->model();
    std::unique_ptr<model::Model> loaded;
    if (!call.body.empty()) {
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto body, Body::parse(call.body));
        if (const auto yaml = body.text_or("yaml", ""); !yaml.empty()) {
            model::Diagnostics diagnostics;
            loaded = load(context, yaml, wanted->name, diagnostics);
            if (!loaded || diagnostics.has_errors()) {
                return rest::validation_failed("yaml", "has errors; check it first");
            }
            wanted = loaded.get();
        }
    }
    GATELEG_CALL_TRY_ASSIGN(
        const auto state, model::read_table_state(wanted->table, context.dynamo)
    );
    Reply reply;
    JsonWriter json(reply.json);
    write_plan(json, *wanted, model::plan_table(*wanted, state, {}));
    return reply;
}

// One page of a run, to be repeated with its cursor until `done`.
CallReply backfill_model(const Context& context, const Call& call) {
    const auto* system = context.find_system(call.variables.at(0));
    if (system == nullptr) {
        return not_found("There is no model of that name");
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto body, Body::parse(call.body));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto yaml, body.text("yaml"));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto name, body.text("entity"));
    model::BackfillOptions options{.page_items = kBackfillItems, .max_items = kBackfillItems};
    options.dry_run = body.flag_or("dryRun", false);
    if (!options.dry_run && call.session->read_only) {
        return read_only_error();
    }
    const auto& served = system->runtime->model();
    model::Diagnostics diagnostics;
    const auto wanted = load(context, yaml, served.name, diagnostics);
    if (!wanted || diagnostics.has_errors()) {
        return rest::validation_failed("yaml", "has errors; check it first");
    }
    if (wanted->name != served.name || wanted->table.name != served.table.name) {
        return rest::validation_failed("yaml", "is of another model or table than " + served.name);
    }
    options.entity = wanted->find_entity(name);
    if (options.entity == nullptr) {
        return rest::validation_failed("entity", "is not in the model");
    }
    model::BackfillPosition start;
    if (const auto cursor = body.text_or("cursor", ""); !cursor.empty()) {
        auto parsed = model::parse_position(*wanted, name, cursor);
        if (!parsed) {
            return rest::validation_failed("cursor", parsed.error().message);
        }
        start = *std::move(parsed);
    }
    model::Shared shared(*wanted, context.dynamo, context.clock, {});
    model::Database database(wanted->table, context.dynamo, nullptr);
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto report, model::run_backfill(shared, database, options, std::move(start))
    );
    Reply reply;
    JsonWriter json(reply.json);
    json.begin_object();
    const auto& counts = report.position.counts;
    json.member("scanned", counts.scanned);
    json.member("matched", counts.matched);
    json.member("changed", counts.changed);
    json.member("rows", counts.rows);
    json.member("contended", counts.contended);
    json.member("failed", counts.failed);
    json.key("problems");
    json.begin_array();
    for (const auto& problem : report.problems) {
        json.begin_object();
        json.key("key");
        json.raw(problem.key);
        json.member("message", problem.message);
        json.end_object();
    }
    json.end_array();
    json.member("done", report.position.finished);
    json.key("cursor");
    report.position.finished ? json.raw("null")
                             : json.string(model::render_position(*wanted, name, report.position));
    json.end_object();
    return reply;
}

CallReply explain(const Context& context, const Call& call) {
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto body, Body::parse(call.body));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto name, body.text("system"));
    GATELEG_CALL_TRY_ASSIGN_CALL(const auto pattern_name, body.text("pattern"));
    const auto* system = context.find_system(name);
    const auto* pattern =
        system != nullptr ? system->runtime->model().find_pattern(pattern_name) : nullptr;
    if (pattern == nullptr) {
        return not_found("There is no such access pattern");
    }
    const auto* given = body.find("params");
    const auto* params = given != nullptr ? std::get_if<value::Map>(&given->data) : nullptr;
    const value::Map none;
    std::string route;
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto read,
        read_call(system->runtime->model(), *pattern, params != nullptr ? *params : none, route)
    );
    model::Explained explained;
    const auto caller = model::internal_caller("console");
    std::optional<model::CallError> failed;
    std::size_t count = 0;
    if (pattern->get || pattern->one) {
        const auto found = system->runtime->get(*pattern, read, caller, &explained);
        count = found ? 1 : 0;
        if (!found && found.error().status != 404) {
            failed = found.error();
        }
    } else {
        const auto page = system->runtime->query(*pattern, read, caller, &explained);
        page ? static_cast<void>(count = page->items.size())
             : static_cast<void>(failed = page.error());
    }
    if (failed) {
        return *std::move(failed);
    }
    if (!route.empty() && params != nullptr) {
        char separator = '?';
        const auto query = to_query(*params);
        for (const auto& [each, value] : *query) {
            route += separator + percent_encoded(each) + "=" + percent_encoded(value);
            separator = '&';
        }
    }
    Reply reply;
    JsonWriter json(reply.json);
    json.begin_object();
    json.key("requests");
    json.begin_array();
    for (const auto& each : explained.calls) {
        // {"operation":..,"request":..}: one more member goes in front of its end.
        json.raw(
            each.substr(0, each.size() - 1) + ",\"capacity\":" +
            (explained.calls.size() == 1 ? std::to_string(explained.capacity) : "null") + "}"
        );
    }
    json.end_array();
    json.member("capacity", explained.capacity);
    json.member("returned", count);
    json.key("route");
    route.empty() ? json.raw("null") : json.string(route);
    json.end_object();
    return reply;
}

}  // namespace gateleg::api::console

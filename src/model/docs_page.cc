#include "model/docs_page.h"

#include "model/surface.h"

namespace gateleg::model {
namespace {

constexpr std::string_view kCss =
    R"(:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
code, summary { font-family: ui-monospace, monospace; font-size: 0.92em; }
summary { cursor: pointer; padding: 0.4rem 0.6rem; }
details { border: 1px solid var(--line); border-radius: 6px; margin: 0.4rem 0; }
details > div { padding: 0 0.9rem 0.6rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.6rem 0.25rem 0; border-bottom: 1px solid var(--line); }
.method { display: inline-block; min-width: 4.5rem; font-weight: 700; }
.access { float: right; opacity: 0.75; }
nav a { margin-right: 1rem; }
)";

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string_view place_name(Parameter::Place place) {
    switch (place) {
        case Parameter::Place::kPath:
            return "path";
        case Parameter::Place::kQuery:
            return "query";
        case Parameter::Place::kBody:
            return "body";
    }
    return "";
}

void append_parameters(std::string& out, const Endpoint& endpoint) {
    if (endpoint.parameters.empty() && endpoint.rest.empty()) {
        return;
    }
    out += "<table><tr><th>Parameter<th>In<th>Type<th></tr>\n";
    for (const auto& parameter : endpoint.parameters) {
        const auto type = parameter.attribute != nullptr
                              ? attribute_type_name(parameter.attribute->type)
                              : std::string_view("string");
        out += "<tr><td><code>" + escaped(parameter.name) + "</code><td>" +
               std::string(place_name(parameter.place)) + "<td>" + std::string(type) + "<td>" +
               (parameter.required ? "required" : "") + "</tr>\n";
    }
    if (!endpoint.rest.empty()) {
        out += "<tr><td>any other field<td>body<td>any<td></tr>\n";
    }
    out += "</table>\n";
}

void append_endpoint(std::string& out, const Model& model, const Endpoint& endpoint) {
    std::string query;
    for (const auto& name : endpoint.selecting) {
        query += (query.empty() ? "?" : "&") + name + "=";
    }
    out += "<details><summary><span class=\"method\">" + escaped(endpoint.method) + "</span>" +
           escaped(endpoint.path + query) + "<span class=\"access\">" +
           escaped(endpoint.access().text()) + "</span></summary><div>\n<p><code>" +
           escaped(endpoint.id) + "</code>";
    if (endpoint.pattern != nullptr && !endpoint.pattern->doc.empty()) {
        out += " " + escaped(endpoint.pattern->doc);
    }
    std::string answers;
    for (const auto* entity : returned_entities(endpoint)) {
        answers += (answers.empty() ? "" : " or ") + entity->name;
    }
    if (!answers.empty()) {
        out += endpoint.is_list() ? " answers a list of " : " answers ";
        out += escaped(answers);
    }
    out += "</p>\n";
    append_parameters(out, endpoint);
    out += "<p>Errors:";
    for (const auto& [status, codes] : errors_of(model, endpoint)) {
        for (const auto& code : codes) {
            out += " <code>" + std::to_string(status) + " " + escaped(code) + "</code>";
        }
    }
    out += "</p></div></details>\n";
}

void append_model(std::string& out, const Model& model) {
    out += "<h2 id=\"" + escaped(model.name) + "\">" + escaped(model.name) +
           "</h2>\n<p><a href=\"" + escaped(base_path(model)) +
           "/openapi.json\">OpenAPI</a> <a href=\"" + escaped(base_path(model)) +
           "/patterns\">Patterns</a></p>\n";
    for (const auto& endpoint : endpoints_of(model)) {
        append_endpoint(out, model, endpoint);
    }
    out += "<h3>Access patterns</h3>\n";
    for (const auto& endpoint : pattern_endpoints_of(model)) {
        append_endpoint(out, model, endpoint);
    }
}

}  // namespace

std::string render_docs_page(const std::vector<const Model*>& models) {
    std::string out =
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
        "<title>API</title><link rel=\"stylesheet\" href=\"/docs/docs.css\"></head><body>\n"
        "<h1>API</h1>\n<nav><a href=\"/openapi.json\">OpenAPI of everything</a>";
    for (const auto* model : models) {
        out += " <a href=\"#" + escaped(model->name) + "\">" + escaped(model->name) + "</a>";
    }
    out += "</nav>\n";
    if (models.empty()) {
        out += "<p>No model is loaded: start with <code>--model FILE</code>.</p>\n";
    }
    for (const auto* model : models) {
        append_model(out, *model);
    }
    out += "</body></html>\n";
    return out;
}

std::string_view docs_css() {
    return kCss;
}

}  // namespace gateleg::model

#include "model/client_writer.h"

#include <utility>

namespace gateleg::model {

using Place = Parameter::Place;

std::vector<ClientInput> inputs_of(const ClientCall& call) {
    using Kind = ClientInput::Kind;
    const auto& endpoint = call.endpoint;
    std::vector<ClientInput> inputs;
    for (const auto& parameter : endpoint.parameters) {
        inputs.push_back(
            {Kind::kParameter,
             parameter.name,
             parameter.place,
             parameter.required || parameter.place == Place::kPath,
             parameter.whole_day ? nullptr : parameter.attribute}
        );
    }
    if (!endpoint.rest.empty()) {
        inputs.push_back({Kind::kRest, endpoint.rest, Place::kBody});
    }
    if (endpoint.is_paged()) {
        inputs.push_back({Kind::kLimit, "limit"});
        inputs.push_back({Kind::kCursor, "cursor"});
    }
    if (endpoint.is_list() && endpoint.pattern->order == Pattern::Order::kEither) {
        inputs.push_back({Kind::kOrder, "order"});
    }
    return inputs;
}

std::vector<PathPart> path_parts(std::string_view path) {
    std::vector<PathPart> parts;
    while (!path.empty()) {
        const auto open = path.find('{');
        const auto end = path.find('}', open == std::string_view::npos ? path.size() : open);
        if (end == std::string_view::npos) {
            parts.push_back({std::string(path), false});
            break;
        }
        if (open > 0) {
            parts.push_back({std::string(path.substr(0, open)), false});
        }
        parts.push_back({std::string(path.substr(open + 1, end - open - 1)), true});
        path.remove_prefix(end + 1);
    }
    return parts;
}

std::string summary_of(const ClientCall& call) {
    const auto& endpoint = call.endpoint;
    auto text = endpoint.method + " " + endpoint.path;
    for (const auto& [name, value] : endpoint.fixed) {
        text += " " + name + "=" + value;
    }
    text += "; " + endpoint.access().text();
    if (endpoint.pattern != nullptr && !endpoint.pattern->doc.empty()) {
        text += "; " + endpoint.pattern->doc;
    }
    return text;
}

ClientWriter::ClientWriter(const Model& model, std::set<std::string> taken)
    : model_(model),
      calls_(client_calls(model)),
      entities_(client_entities(model, calls_)),
      taken_(std::move(taken)) {
    client_ = claim(pascal_case(model.name) + "Client");
    for (const auto* entity : entities_) {
        names_[entity] = claim(pascal_case(entity->name));
    }
}

std::string ClientWriter::write_calls() {
    for (const auto* entity : entities_) {
        write_entity(*entity);
    }
    std::string methods;
    for (const auto& call : calls_) {
        methods += write_call(call);
    }
    return methods;
}

}  // namespace gateleg::model

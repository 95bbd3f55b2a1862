#include "model/client_surface.h"

#include <algorithm>
#include <cctype>

namespace gateleg::model {
namespace {

bool has_unchanged(const std::vector<OutcomeRule>& rules) {
    return std::any_of(rules.begin(), rules.end(), [](const OutcomeRule& rule) {
        return rule.outcome.kind == Outcome::Kind::kUnchanged;
    });
}

bool may_be_unchanged(const Operation& operation) {
    return has_unchanged(operation.require) ||
           std::any_of(operation.writes.begin(), operation.writes.end(), [](const Step& step) {
               const auto& targets = step.target.entities;
               return has_unchanged(step.conditions) ||
                      std::any_of(targets.begin(), targets.end(), [](const Entity* entity) {
                          const auto& rows = entity->rows;
                          return std::any_of(rows.begin(), rows.end(), [](const Step& row) {
                              return has_unchanged(row.conditions);
                          });
                      });
           });
}

AnswerKind answer_kind(const Endpoint& endpoint, bool has_entities) {
    if (endpoint.pattern != nullptr) {
        return endpoint.is_list()        ? AnswerKind::kPage
               : endpoint.pattern->count ? AnswerKind::kCount
                                         : AnswerKind::kItem;
    }
    if (endpoint.operation == nullptr) {  // a job's report
        return AnswerKind::kAny;
    }
    const auto& operation = *endpoint.operation;
    if (operation.native) {
        return !has_entities ? (operation.answer.empty() ? AnswerKind::kAny : AnswerKind::kFields)
               : operation.answer_list ? AnswerKind::kPage
                                       : AnswerKind::kItem;
    }
    return !operation.returns ? AnswerKind::kChanged
           : has_entities     ? AnswerKind::kItem
                              : AnswerKind::kAny;
}

ClientCall make_call(const Model& model, Endpoint endpoint, std::set<std::string>& taken) {
    ClientCall call;
    const auto& name = endpoint.pattern != nullptr     ? endpoint.pattern->name
                       : endpoint.operation != nullptr ? endpoint.operation->name
                                                       : endpoint.id;
    call.name = claim_name(taken, camel_case(name));
    for (const auto& [status, codes] : errors_of(model, endpoint)) {
        call.errors.insert(codes.begin(), codes.end());
    }
    call.takes_version = endpoint.operation != nullptr && call.errors.contains("VersionMismatch");
    call.entities = returned_entities(endpoint);
    if (endpoint.operation != nullptr && !endpoint.operation->answer_item.empty()) {
        if (const auto* entity = model.find_entity(endpoint.operation->answer_item)) {
            call.entities = {entity};
        }
    }
    call.answer = answer_kind(endpoint, !call.entities.empty());
    call.may_be_unchanged = endpoint.operation != nullptr && may_be_unchanged(*endpoint.operation);
    call.endpoint = std::move(endpoint);
    return call;
}

std::string cased(std::string_view text, bool upper) {
    std::string out;
    bool raise = upper;
    for (const char c : text) {
        const auto letter = static_cast<unsigned char>(c);
        if (letter >= 0x80 || std::isalnum(letter) == 0) {
            raise = !out.empty() || upper;
            continue;
        }
        if (out.empty() && !upper) {
            out += static_cast<char>(std::tolower(letter));
        } else {
            out += raise ? static_cast<char>(std::toupper(letter)) : c;
        }
        raise = false;
    }
    if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) {
        out.insert(0, upper ? "N" : "n");
    }
    return out;
}

}  // namespace

bool ClientCall::has_body() const {
    return endpoint.takes_body();
}

bool ClientCall::all_optional() const {
    const auto& parameters = endpoint.parameters;
    return std::none_of(parameters.begin(), parameters.end(), [](const Parameter& parameter) {
        return parameter.required || parameter.place == Parameter::Place::kPath;
    });
}

std::vector<ClientCall> client_calls(const Model& model) {
    std::vector<ClientCall> calls;
    // What every client has already.
    std::set<std::string> taken = {"constructor", "iterate"};
    for (auto& endpoint : endpoints_of(model)) {
        if (endpoint.operation == nullptr || !endpoint.operation->raw_body) {
            calls.push_back(make_call(model, std::move(endpoint), taken));
        }
    }
    for (auto& endpoint : pattern_endpoints_of(model)) {
        if (endpoint.pattern->routes.empty()) {
            calls.push_back(make_call(model, std::move(endpoint), taken));
        }
    }
    return calls;
}

std::vector<const Entity*> client_entities(
    const Model& model, const std::vector<ClientCall>& calls
) {
    std::vector<const Entity*> entities;
    for (const auto& entity : model.entities) {
        if (std::any_of(calls.begin(), calls.end(), [&](const ClientCall& call) {
                return std::find(call.entities.begin(), call.entities.end(), &entity) !=
                       call.entities.end();
            })) {
            entities.push_back(&entity);
        }
    }
    return entities;
}

bool is_shown(const Attribute& attribute) {
    return !attribute.hidden && !(attribute.is && !attribute.stored);
}

bool is_always_there(const Entity& entity, const Attribute& attribute) {
    const auto& names = entity.public_names;
    return attribute.required &&
           (names.empty() || std::any_of(names.begin(), names.end(), [&](const Reference& one) {
                return one.name == attribute.name;
            }));
}

std::vector<const Attribute*> shown_attributes(const ClientCall& call, const Entity& entity) {
    std::vector<const Attribute*> shown;
    const auto* pattern = call.endpoint.pattern;
    for (const auto& attribute : entity.attributes) {
        const bool wanted = pattern == nullptr || pattern->returns.empty() ||
                            std::any_of(
                                pattern->returns.begin(),
                                pattern->returns.end(),
                                [&](const Reference& one) { return one.name == attribute.name; }
                            );
        if (wanted && is_shown(attribute)) {
            shown.push_back(&attribute);
        }
    }
    return shown;
}

std::string pascal_case(std::string_view text) {
    return cased(text, true);
}

std::string camel_case(std::string_view text) {
    return cased(text, false);
}

bool is_plain_identifier(std::string_view text) {
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
           });
}

std::string claim_name(std::set<std::string>& taken, const std::string& name) {
    auto free = name;
    for (int again = 2; !taken.insert(free).second; ++again) {
        free = name + std::to_string(again);
    }
    return free;
}

}  // namespace gateleg::model

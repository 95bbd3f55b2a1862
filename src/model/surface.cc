#include "model/surface.h"

#include <algorithm>
#include <cctype>
#include <variant>

#include "model/pattern_within.h"

namespace gateleg::model {
namespace {

bool has_name(const std::vector<Pattern::Fixed>& fixed, std::string_view name) {
    return std::any_of(fixed.begin(), fixed.end(), [&](const auto& entry) {
        return entry.attribute == name;
    });
}

// Names of the attributes a caller of the pattern gives, equal to something.
std::vector<std::string> required_names(const Model& model, const Pattern& pattern) {
    std::vector<std::string> names;
    for (const auto& reference : pattern.by) {
        names.push_back(reference.name);
    }
    if (pattern.get && !pattern.entities.empty()) {
        for (auto& name : key_variables(*pattern.entities.front(), model.table.key)) {
            if (!has_name(pattern.fixed, name) &&
                std::find(names.begin(), names.end(), name) == names.end()) {
                names.push_back(std::move(name));
            }
        }
    }
    return names;
}

const Attribute* find_attribute(const Pattern& pattern, std::string_view name) {
    for (const auto* entity : pattern.entities) {
        if (const auto* attribute = entity->find_attribute(name)) {
            return attribute;
        }
    }
    return nullptr;
}

bool has_fixed(const Endpoint& endpoint, std::string_view name) {
    return std::any_of(endpoint.fixed.begin(), endpoint.fixed.end(), [&](const auto& entry) {
        return entry.first == name;
    });
}

void add_path_parameters(Endpoint& endpoint, const Route& route) {
    for (const auto& name : route.path_inputs) {
        endpoint.parameters.push_back(
            {.name = name, .argument = name, .place = Parameter::Place::kPath, .required = true}
        );
    }
}

// "user" in GET /items?user&status stands for userId, "day" for both ends of the range.
std::string query_name(const Endpoint& endpoint, const std::string& argument) {
    for (const auto& name : endpoint.selecting) {
        if (name + "Id" == argument || name + "_id" == argument) {
            return name;
        }
    }
    return argument;
}

void add_pattern_parameters(const Model& model, const Pattern& pattern, Endpoint& endpoint) {
    const auto add = [&](Parameter parameter, std::string_view attribute) {
        if (!has_fixed(endpoint, parameter.argument) &&
            endpoint.find_parameter(parameter.name) == nullptr) {
            parameter.attribute = find_attribute(pattern, attribute);
            endpoint.parameters.push_back(std::move(parameter));
        }
    };
    for (auto& parameter : endpoint.parameters) {
        parameter.attribute = find_attribute(pattern, parameter.name);
    }
    for (const auto& name : required_names(model, pattern)) {
        add({.name = query_name(endpoint, name), .argument = name, .required = true}, name);
    }
    if (pattern.range) {
        const auto& selecting = endpoint.selecting;
        if (std::find(selecting.begin(), selecting.end(), "day") != selecting.end()) {
            add({.name = "day", .argument = "day", .whole_day = true}, pattern.range->name);
        }
        add({.name = "from", .argument = "from"}, pattern.range->name);
        add({.name = "to", .argument = "to"}, pattern.range->name);
    }
    if (pattern.prefix) {
        const auto& name = pattern.prefix->name;
        const bool declared = !endpoint.id.starts_with("patterns.");
        add({.name = declared ? "prefix" : name, .argument = name}, name);
    }
}

// The input a step spreads over its item.
std::string find_rest(const Operation& operation) {
    if (!operation.rest.empty()) {
        return operation.rest;
    }
    for (const auto& step : operation.writes) {
        if (!step.spread || !step.spread->root) {
            continue;
        }
        const auto* variable = std::get_if<VariableNode>(&step.spread->root->node);
        const auto* input = variable != nullptr ? operation.find_input(variable->name) : nullptr;
        if (input != nullptr && input->attribute.type == AttributeType::kMap &&
            input->attribute.open) {
            return variable->name;
        }
    }
    return {};
}

// Requests that read or delete have no body worth the name; what else they say is in the query.
Parameter::Place free_place(const Endpoint& endpoint) {
    const bool in_query = endpoint.method == "DELETE" || endpoint.method == "GET";
    return in_query ? Parameter::Place::kQuery : Parameter::Place::kBody;
}

void add_input(const Attribute& attribute, Endpoint& endpoint, Parameter::Place place) {
    if (attribute.name == endpoint.rest || has_fixed(endpoint, attribute.name) ||
        endpoint.find_parameter(attribute.name) != nullptr) {
        return;
    }
    const auto& selecting = endpoint.selecting;
    const bool selects =
        std::find(selecting.begin(), selecting.end(), attribute.name) != selecting.end();
    endpoint.parameters.push_back(
        {.name = attribute.name,
         .argument = attribute.name,
         .place = selects ? Parameter::Place::kQuery : place,
         .required = attribute.required && !attribute.default_value,
         .attribute = &attribute}
    );
}

void add_operation_parameters(const Operation& operation, Endpoint& endpoint) {
    endpoint.rest = find_rest(operation);
    for (auto& parameter : endpoint.parameters) {
        if (const auto* input = operation.find_input(parameter.name)) {
            parameter.attribute = &input->attribute;
        }
    }
    for (const auto& input : operation.inputs) {
        add_input(input.attribute, endpoint, free_place(endpoint));
    }
}

Attribute optional_input(std::string name, AttributeType type) {
    Attribute attribute;
    attribute.name = std::move(name);
    attribute.type = type;
    return attribute;
}

// What every job takes beside its own inputs.
const std::vector<Attribute>& job_inputs() {
    static const std::vector<Attribute> kInputs = {
        optional_input("dryRun", AttributeType::kBoolean),
        optional_input("cursor", AttributeType::kString),
    };
    return kInputs;
}

void add_job_parameters(const Job& job, Endpoint& endpoint) {
    const auto place = free_place(endpoint);
    for (auto& parameter : endpoint.parameters) {
        for (const auto& input : job.inputs) {
            if (input.attribute.name == parameter.name) {
                parameter.attribute = &input.attribute;
            }
        }
    }
    for (const auto& input : job.inputs) {
        add_input(input.attribute, endpoint, place);
    }
    for (const auto& attribute : job_inputs()) {
        add_input(attribute, endpoint, place);
    }
}

// "runPlanExpiry" of "plan-expiry".
std::string job_endpoint_id(const std::string& name) {
    std::string id = "run";
    bool capital = true;
    for (const char c : name) {
        if (c == '-' || c == '_') {
            capital = true;
            continue;
        }
        const auto letter = static_cast<unsigned char>(c);
        id += static_cast<char>(capital ? std::toupper(letter) : letter);
        capital = false;
    }
    return id;
}

// Under the model's own path, or ("//shared/{token}") under /v1.
std::string route_path(const Model& model, const Route& route) {
    if (route.path.starts_with("//")) {
        return "/v1" + route.path.substr(1);
    }
    return base_path(model) + (route.path == "/" ? "" : route.path);
}

template <class Source>
std::vector<Endpoint> endpoints_from(const Model& model, const Source& source) {
    std::vector<Endpoint> endpoints;
    if (source.allow.kind == Access::Kind::kInternal) {
        return endpoints;
    }
    for (const auto& route : source.routes) {
        Endpoint endpoint;
        endpoint.id = std::is_same_v<Source, Job> ? job_endpoint_id(source.name) : source.name;
        if (!endpoints.empty()) {
            endpoint.id += "." + std::to_string(endpoints.size() + 1);
        }
        endpoint.method = route.method;
        endpoint.path = route_path(model, route);
        endpoint.selecting = route.query;
        endpoint.fixed = route.fixed;
        add_path_parameters(endpoint, route);
        if constexpr (std::is_same_v<Source, Pattern>) {
            endpoint.pattern = &source;
            add_pattern_parameters(model, source, endpoint);
        } else if constexpr (std::is_same_v<Source, Job>) {
            endpoint.job = &source;
            add_job_parameters(source, endpoint);
        } else {
            endpoint.operation = &source;
            add_operation_parameters(source, endpoint);
        }
        endpoints.push_back(std::move(endpoint));
    }
    return endpoints;
}

template <class T>
void append(std::vector<T>& all, std::vector<T> more) {
    all.insert(
        all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end())
    );
}

// Statuses of the codes every system shares, where they are not what the name would give.
int common_status(std::string_view code) {
    static const std::map<std::string_view, int> kStatus = {
        {"ValidationFailed", 400},
        {"MalformedJson", 400},
        {"UnknownField", 400},
        {"InvalidCursor", 400},
        {"RangeInvalid", 400},
        {"Unauthenticated", 401},
        {"InsufficientCredits", 402},
        {"Forbidden", 403},
        {"VersionMismatch", 412},
        {"PayloadTooLarge", 413},
        {"UnsupportedMediaType", 415},
        {"IdempotencyKeyReused", 422},
        {"IdempotencyKeyRequired", 428},
        {"Internal", 500},
        {"IndexDisabled", 501},
        {"Unavailable", 503},
        {"StorageFull", 507},
    };
    const auto found = kStatus.find(code);
    return found == kStatus.end() ? 0 : found->second;
}

class ErrorList {
public:
    explicit ErrorList(const Model& model) : model_(model) {}

    void add(const std::string& code) {
        const auto listed =
            std::any_of(model_.errors.begin(), model_.errors.end(), [&](const auto& entry) {
                return entry.first == code;
            });
        const int common = listed ? 0 : common_status(code);
        codes_[common != 0 ? common : model_.error_status(code)].insert(code);
    }
    void add(const std::vector<OutcomeRule>& rules) {
        for (const auto& rule : rules) {
            if (rule.outcome.kind == Outcome::Kind::kError) {
                add(rule.outcome.error);
            }
        }
    }
    void add_not_found(const std::vector<const Entity*>& entities) {
        for (const auto* entity : entities) {
            add(entity->name + "NotFound");
        }
    }
    void add(const Step& step) {
        add(step.conditions);
        const bool by_default =
            step.verb == Verb::kPut ? step.conditions.empty() : !step.says_existence;
        for (const auto* entity : step.target.entities) {
            if (by_default && step.verb == Verb::kPut) {
                add(entity->name + "AlreadyExists");
            } else if (by_default && step.verb != Verb::kUpsert) {
                add(entity->name + "NotFound");
            }
            if (step.verb == Verb::kCheck) {
                continue;
            }
            for (const auto& row : entity->rows) {
                add(row.conditions);
            }
            if (!entity->version.empty() && step.verb != Verb::kPut) {
                add("VersionMismatch");
            }
        }
    }

    std::map<int, std::set<std::string>> take() { return std::move(codes_); }

private:
    const Model& model_;
    std::map<int, std::set<std::string>> codes_;
};

void add_pattern_errors(const Endpoint& endpoint, ErrorList& errors) {
    const auto& pattern = *endpoint.pattern;
    if (!endpoint.parameters.empty() || endpoint.is_paged()) {
        errors.add("ValidationFailed");
    }
    if (endpoint.is_paged()) {
        errors.add("InvalidCursor");
    }
    if (pattern.range) {
        errors.add("RangeInvalid");
    }
    if (!endpoint.is_list() && !pattern.count && !pattern.absent_defaults) {
        errors.add_not_found(pattern.returned());
    }
    if (endpoint.is_list() && pattern.within && is_named_by_call(pattern)) {
        const auto& entities = pattern.within->entities;
        errors.add(entities.size() == 1 ? entities.front()->name + "NotFound" : "TargetNotFound");
    }
    if (pattern.table_index != nullptr && pattern.table_index->optional) {
        errors.add("IndexDisabled");
    }
}

void add_input_errors(const Endpoint& endpoint, ErrorList& errors) {
    if (!endpoint.parameters.empty()) {
        errors.add("ValidationFailed");
    }
    if (endpoint.takes_body()) {
        for (const auto* code :
             {"MalformedJson", "UnknownField", "PayloadTooLarge", "UnsupportedMediaType"}) {
            errors.add(code);
        }
    }
}

void add_job_errors(const Endpoint& endpoint, ErrorList& errors) {
    add_input_errors(endpoint, errors);
    errors.add("InvalidCursor");
    const auto* pattern = endpoint.job->pattern;
    if (pattern != nullptr && pattern->table_index != nullptr && pattern->table_index->optional) {
        errors.add("IndexDisabled");
    }
}

void add_operation_errors(const Endpoint& endpoint, ErrorList& errors) {
    const auto& operation = *endpoint.operation;
    add_input_errors(endpoint, errors);
    if (endpoint.takes_idempotency_key()) {
        errors.add("IdempotencyKeyReused");
    }
    if (operation.idempotency_required) {
        errors.add("IdempotencyKeyRequired");
    }
    for (const auto& code : operation.raised) {
        errors.add(code);
    }
    errors.add(operation.require);
    for (const auto& step : operation.writes) {
        errors.add(step);
    }
}

}  // namespace

const Access& Endpoint::access() const {
    if (pattern != nullptr) {
        return pattern->allow;
    }
    return operation != nullptr ? operation->allow : job->allow;
}

const Parameter* Endpoint::find_parameter(std::string_view name) const {
    const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const auto& entry) {
        return entry.name == name;
    });
    return found == parameters.end() ? nullptr : &*found;
}

bool Endpoint::is_list() const {
    return pattern != nullptr && !pattern->get && !pattern->one && !pattern->count;
}

bool Endpoint::is_paged() const {
    return is_list() && !pattern->all_pages;
}

bool Endpoint::takes_body() const {
    return !rest.empty() ||
           std::any_of(parameters.begin(), parameters.end(), [](const auto& parameter) {
               return parameter.place == Parameter::Place::kBody;
           });
}

bool Endpoint::takes_idempotency_key() const {
    return operation != nullptr && (method == "POST" || operation->idempotency_required);
}

std::string base_path(const Model& model) {
    const auto& path = model.path;
    if (path.empty() || path == "/") {
        return "/v1";
    }
    return (path.starts_with('/') ? "/v1" : "/v1/") + path;
}

std::vector<Endpoint> endpoints_of(const Model& model) {
    std::vector<Endpoint> endpoints;
    for (const auto& pattern : model.patterns) {
        append(endpoints, endpoints_from(model, pattern));
    }
    for (const auto& operation : model.operations) {
        append(endpoints, endpoints_from(model, operation));
    }
    for (const auto& job : model.jobs) {
        append(endpoints, endpoints_from(model, job));
    }
    return endpoints;
}

std::vector<Endpoint> pattern_endpoints_of(const Model& model) {
    std::vector<Endpoint> endpoints;
    for (const auto& pattern : model.patterns) {
        if (pattern.allow.kind == Access::Kind::kInternal) {
            continue;
        }
        Endpoint endpoint;
        endpoint.id = "patterns." + pattern.name;
        endpoint.method = "GET";
        endpoint.path = base_path(model) + "/patterns/" + pattern.name;
        endpoint.pattern = &pattern;
        add_pattern_parameters(model, pattern, endpoint);
        endpoints.push_back(std::move(endpoint));
    }
    return endpoints;
}

// Letters, '-', letters, digits.
std::vector<std::string> row_ids(const Pattern& pattern) {
    std::vector<std::string> ids;
    const std::string text = pattern.doc + " ";
    std::string word;
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-') {
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            continue;
        }
        const auto dash = word.find('-');
        const auto digit = word.find_first_of("0123456789");
        const bool is_row = dash != std::string::npos && dash > 0 && digit != std::string::npos &&
                            digit > dash + 1 &&
                            word.find_first_not_of("0123456789", digit) == std::string::npos;
        if (is_row && std::find(ids.begin(), ids.end(), word) == ids.end()) {
            ids.push_back(word);
        }
        word.clear();
    }
    return ids;
}

std::vector<const Entity*> returned_entities(const Endpoint& endpoint) {
    if (endpoint.pattern != nullptr) {
        return endpoint.pattern->returned();
    }
    if (endpoint.operation == nullptr) {
        return {};
    }
    const auto& returns = endpoint.operation->returns;
    if (!returns || !returns->root || returns->root->type.kind != ValueKind::kItem) {
        return {};
    }
    return returns->root->type.entities;
}

std::string discriminator(const Model& model) {
    return model.table.marker.empty() ? "entityType" : model.table.marker;
}

std::string discriminator_value(const Entity& entity, const std::vector<const Entity*>& among) {
    const auto marker = entity.marker.value_or(entity.name);
    const auto same = std::count_if(among.begin(), among.end(), [&](const Entity* other) {
        return other->marker.value_or(other->name) == marker;
    });
    return same > 1 ? entity.name : marker;
}

std::map<int, std::set<std::string>> errors_of(const Model& model, const Endpoint& endpoint) {
    ErrorList errors(model);
    for (const auto* code : {"Unauthenticated", "Internal", "Unavailable"}) {
        errors.add(code);
    }
    if (endpoint.access().kind == Access::Kind::kRole) {
        errors.add("Forbidden");
    }
    if (endpoint.pattern != nullptr) {
        add_pattern_errors(endpoint, errors);
    } else if (endpoint.job != nullptr) {
        add_job_errors(endpoint, errors);
    } else {
        add_operation_errors(endpoint, errors);
    }
    return errors.take();
}

}  // namespace gateleg::model

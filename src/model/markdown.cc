#include "model/markdown.h"

#include <algorithm>
#include <map>
#include <set>

#include "model/check.h"

namespace gateleg::model {
namespace {

std::string code(std::string_view text) {
    return text.empty() ? std::string() : "`" + std::string(text) + "`";
}

// A cell holds no bar and no line break.
std::string cell(std::string text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') {
            out += "\\|";
        } else {
            out += c == '\n' ? ' ' : c;
        }
    }
    return out;
}

std::string row(const std::vector<std::string>& cells) {
    std::string out = "|";
    for (const auto& one : cells) {
        out += " " + cell(one) + " |";
    }
    return out + "\n";
}

std::string head(const std::vector<std::string>& cells) {
    return row(cells) + row(std::vector<std::string>(cells.size(), "---"));
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
    std::string out;
    for (const auto& part : parts) {
        out += (out.empty() ? "" : std::string(separator)) + part;
    }
    return out;
}

std::string key_text(const KeySchema& key) {
    const auto one = [](const KeyAttribute& attribute) {
        return code(attribute.name) + " " + std::string(value::type_name(attribute.type));
    };
    return one(key.partition) + (key.sort ? ", " + one(*key.sort) : "");
}

std::string template_text(const Entity& entity, const std::string& key) {
    const auto* rule = entity.find_key(key);
    if (rule == nullptr) {
        return {};
    }
    return code(rule->key_template.text()) + (rule->when ? " when " + code(rule->when->text) : "");
}

std::string index_keys(const Model& model, const Entity& entity) {
    std::vector<std::string> parts;
    for (const auto& index : model.table.indexes) {
        if (!entity.in_index(index.key)) {
            continue;
        }
        auto text = index.name + ": " + template_text(entity, index.key.partition.name);
        if (index.key.sort) {
            text += " / " + template_text(entity, index.key.sort->name);
        }
        parts.push_back(text);
    }
    return joined(parts, "; ");
}

std::string type_text(const Attribute& attribute) {
    if (attribute.type == AttributeType::kEnum) {
        return joined(attribute.values, ", ");
    }
    std::string text(attribute_type_name(attribute.type));
    if (attribute.of) {
        text += " of " + type_text(*attribute.of);
    }
    return text;
}

std::string rules_text(const Attribute& attribute) {
    std::vector<std::string> parts;
    if (attribute.required) {
        parts.emplace_back("required");
    }
    if (attribute.default_value) {
        parts.push_back("default " + code(attribute.default_value->text));
    }
    if (attribute.is) {
        parts.push_back("is " + code(attribute.is->text));
    }
    if (attribute.min) {
        parts.push_back("min " + attribute.min->to_text());
    }
    if (attribute.max) {
        parts.push_back("max " + attribute.max->to_text());
    }
    if (attribute.decimals) {
        parts.push_back(std::to_string(*attribute.decimals) + " decimals");
    }
    if (!attribute.pattern.empty()) {
        parts.push_back("matches " + code(attribute.pattern));
    }
    if (attribute.spelling) {
        parts.push_back(
            "stored as " + attribute.spelling->first + " and " + attribute.spelling->second
        );
    }
    if (attribute.whole_seconds) {
        parts.emplace_back("whole seconds");
    }
    if (attribute.key_only()) {
        parts.emplace_back("in the key only");
    } else if (!attribute.stored) {
        parts.emplace_back("not stored");
    }
    if (attribute.keep_null) {
        parts.emplace_back("null is stored");
    }
    if (attribute.immutable) {
        parts.emplace_back("never changes");
    }
    if (attribute.hidden) {
        parts.emplace_back("never shown");
    }
    return joined(parts, ", ");
}

std::string entity_names(const std::vector<const Entity*>& entities) {
    std::vector<std::string> names;
    for (const auto* entity : entities) {
        names.push_back(entity->name);
    }
    return joined(names, ", ");
}

std::string route_text(const std::vector<Route>& routes) {
    std::vector<std::string> parts;
    for (const auto& route : routes) {
        parts.push_back(code(route.method + " " + route.path));
    }
    return joined(parts, ", ");
}

// {name} where the caller gives it, its value where it is fixed.
std::string filled(const Pattern& pattern, const KeyVariable& variable) {
    for (const auto& fixed : pattern.fixed) {
        if (fixed.attribute == variable.name) {
            return fixed.value.text == "caller" ? "{caller}" : fixed.value.text;
        }
    }
    return "{" + variable.name + "}";
}

bool is_given(const Pattern& pattern, std::string_view name) {
    const auto named = [&](const auto& one) { return one.name == name; };
    return pattern.get || std::any_of(pattern.by.begin(), pattern.by.end(), named) ||
           std::any_of(pattern.merge.begin(), pattern.merge.end(), named) ||
           std::any_of(pattern.fixed.begin(), pattern.fixed.end(), [&](const auto& one) {
               return one.attribute == name;
           });
}

std::string sort_text(const Pattern& pattern, const std::string& key, const KeyTemplate& sort) {
    std::string prefix;
    for (const auto& segment : sort.segments()) {
        if (const auto* literal = std::get_if<std::string>(&segment)) {
            prefix += *literal;
            continue;
        }
        const auto& variable = std::get<KeyVariable>(segment);
        if (is_given(pattern, variable.name) &&
            !(pattern.range && pattern.range->name == variable.name)) {
            prefix += filled(pattern, variable);
            continue;
        }
        if (pattern.range && pattern.range->name == variable.name) {
            return " and " + key + " between " + prefix + "{from} and " + prefix + "{to}";
        }
        if (pattern.prefix && pattern.prefix->name == variable.name) {
            return " and " + key + " begins with " + prefix + "{" + variable.name + "}";
        }
        return prefix.empty() ? std::string() : " and " + key + " begins with " + prefix;
    }
    return " and " + key + " = " + prefix;
}

std::string order_text(const Pattern& pattern) {
    if (pattern.get) {
        return {};
    }
    switch (pattern.order) {
        case Pattern::Order::kAscending:
            return "ascending";
        case Pattern::Order::kDescending:
            return "descending";
        case Pattern::Order::kEither:
            return "either";
    }
    return {};
}

void write_entities(const Model& model, std::string& out) {
    const auto& key = model.table.key;
    out += "## Entities\n\n";
    out +=
        head({"Entity", "Marker", key.partition.name, key.sort ? key.sort->name : "", "Index keys"}
        );
    for (const auto& entity : model.entities) {
        out += row(
            {entity.name + (entity.built_in ? " (built in)" : ""),
             entity.marker ? code(*entity.marker) : "",
             template_text(entity, key.partition.name),
             key.sort ? template_text(entity, key.sort->name) : "",
             index_keys(model, entity)}
        );
    }
    for (const auto& entity : model.entities) {
        if (entity.built_in) {
            continue;
        }
        out += "\n### " + entity.name + "\n\n";
        if (entity.visible) {
            out += "Seen when " + code(entity.visible->text) + ".\n";
        }
        for (const auto& one : entity.rows) {
            const bool vowel =
                std::string_view("AEIOU").find(one.target.name.front()) != std::string_view::npos;
            out += (vowel ? "Keeps an " : "Keeps a ") + one.target.name;
            if (one.loop) {
                out += " for each of " + code(one.loop->list.text);
            }
            if (one.when) {
                out += " while " + code(one.when->text);
            }
            out += ".\n";
        }
        out += (entity.visible || !entity.rows.empty() ? "\n" : "") +
               head({"Attribute", "Type", "Rules"});
        for (const auto& attribute : entity.attributes) {
            out += row({code(attribute.name), type_text(attribute), rules_text(attribute)});
        }
    }
    out += "\n";
}

void write_indexes(const Model& model, std::string& out) {
    if (model.table.indexes.empty()) {
        return;
    }
    out += "## Indexes\n\n" + head({"Index", "Key", "Holds", "Entities", "Patterns"});
    for (const auto& index : model.table.indexes) {
        std::vector<const Entity*> members;
        for (const auto& entity : model.entities) {
            if (entity.in_index(index.key)) {
                members.push_back(&entity);
            }
        }
        std::vector<std::string> patterns;
        for (const auto& pattern : model.patterns) {
            if (pattern.table_index == &index) {
                patterns.push_back(pattern.name);
            }
        }
        const auto holds = index.projection == Index::Projection::kAll ? std::string("all")
                           : index.projection == Index::Projection::kKeys
                               ? std::string("keys")
                               : joined(index.projected, ", ");
        out += row(
            {index.name, key_text(index.key), holds, entity_names(members), joined(patterns, ", ")}
        );
    }
    out += "\n";
}

void write_patterns(const Model& model, std::string& out) {
    if (model.patterns.empty()) {
        return;
    }
    out +=
        "## Access patterns\n\n" +
        head({"Pattern", "Document", "Reads", "Index", "Key condition", "Order", "Who", "Route"});
    for (const auto& pattern : model.patterns) {
        auto reads = entity_names(pattern.entities);
        if (pattern.load && pattern.load->entities != pattern.entities) {
            reads += ", gives " + entity_names(pattern.load->entities);
        }
        out += row(
            {pattern.name,
             pattern.doc,
             reads,
             pattern.table_index != nullptr ? pattern.index : "table",
             key_condition_text(model, pattern) +
                 (pattern.only ? "; only " + code(pattern.only->text) : ""),
             order_text(pattern),
             pattern.allow.text(),
             route_text(pattern.routes)}
        );
    }
    out += "\n";
}

std::string step_text(const Step& step) {
    auto text = std::string(verb_name(step.verb)) + " " + code(step.target.text);
    if (step.loop) {
        text += " for each of " + code(step.loop->list.text);
    }
    if (step.when) {
        text += " when " + code(step.when->text);
    }
    return text;
}

void collect_errors(const std::vector<OutcomeRule>& rules, std::vector<std::string>& errors) {
    for (const auto& rule : rules) {
        const auto name = rule.outcome.name();
        if (rule.outcome.kind != Outcome::Kind::kSkip &&
            rule.outcome.kind != Outcome::Kind::kRetry &&
            std::find(errors.begin(), errors.end(), name) == errors.end()) {
            errors.push_back(name);
        }
    }
}

void write_operations(const Model& model, std::string& out) {
    if (model.operations.empty()) {
        return;
    }
    out += "## Operations\n\n" +
           head({"Operation", "Who", "Route", "Inputs", "Writes", "Outcomes", "Actions"});
    for (const auto& operation : model.operations) {
        std::vector<std::string> inputs;
        for (const auto& input : operation.inputs) {
            const auto& name = input.attribute.name;
            // What stands in the path is always given.
            const bool in_path =
                !operation.routes.empty() &&
                std::all_of(
                    operation.routes.begin(),
                    operation.routes.end(),
                    [&](const Route& route) {
                        return route.path.find("{" + name + "}") != std::string::npos;
                    }
                );
            inputs.push_back(name + (input.attribute.required || in_path ? "" : "?"));
        }
        std::vector<std::string> steps;
        std::vector<std::string> errors;
        collect_errors(operation.require, errors);
        for (const auto& step : operation.writes) {
            steps.push_back(step_text(step));
            collect_errors(step.conditions, errors);
        }
        for (auto& error : errors) {
            if (error != "unchanged") {
                error += " " + std::to_string(model.error_status(error));
            }
        }
        out += row(
            {operation.name,
             operation.allow.text(),
             route_text(operation.routes),
             joined(inputs, ", "),
             joined(steps, "; "),
             joined(errors, ", "),
             std::to_string(worst_case_actions(model, operation))}
        );
    }
    out += "\n";
}

void write_jobs(const Model& model, std::string& out) {
    if (model.jobs.empty()) {
        return;
    }
    out += "## Jobs\n\n" + head({"Job", "Every", "For each of", "Runs", "Who", "Route"});
    for (const auto& job : model.jobs) {
        out += row(
            {job.name,
             job.every ? std::to_string(*job.every / 60'000) + " min" : "",
             job.scan ? "every " + job.source.name : job.source.name,
             job.run.name,
             job.allow.text(),
             route_text(job.routes)}
        );
    }
    out += "\n";
}

// Edges: rows an entity keeps, and items a pattern loads.
void write_diagram(const Model& model, std::string& out) {
    out += "## Diagram\n\n```mermaid\nerDiagram\n";
    for (const auto& entity : model.entities) {
        if (entity.built_in) {
            continue;
        }
        out += "    " + entity.name + " {\n";
        for (const auto& variable : key_variables(entity, model.table.key)) {
            const auto* attribute = entity.find_attribute(variable);
            if (attribute != nullptr) {
                out += "        " + std::string(attribute_type_name(attribute->type)) + " " +
                       variable + " PK\n";
            }
        }
        out += "    }\n";
    }
    std::set<std::string> edges;
    for (const auto& entity : model.entities) {
        for (const auto& one : entity.rows) {
            edges.insert(
                "    " + entity.name + (one.loop ? " ||--o{ " : " ||--o| ") + one.target.name +
                " : keeps\n"
            );
        }
    }
    for (const auto& pattern : model.patterns) {
        if (!pattern.load) {
            continue;
        }
        for (const auto* from : pattern.entities) {
            for (const auto* to : pattern.load->entities) {
                if (from != to) {
                    edges.insert("    " + from->name + " }o--|| " + to->name + " : names\n");
                }
            }
        }
    }
    for (const auto& edge : edges) {
        out += edge;
    }
    out += "```\n";
}

}  // namespace

std::string key_condition_text(const Model& model, const Pattern& pattern) {
    if (pattern.entities.empty()) {
        return {};
    }
    const auto& schema = model.key_of(pattern);
    const auto& first = *pattern.entities.front();
    const auto* partition = first.find_key(schema.partition.name);
    if (partition == nullptr) {
        return {};
    }
    std::string text = schema.partition.name + " = ";
    for (const auto& segment : partition->key_template.segments()) {
        const auto* literal = std::get_if<std::string>(&segment);
        text += literal != nullptr ? *literal : filled(pattern, std::get<KeyVariable>(segment));
    }
    if (!schema.sort || pattern.entities.size() > 1) {
        return code(text);
    }
    const auto* sort = first.find_key(schema.sort->name);
    return code(
        text + (sort != nullptr ? sort_text(pattern, schema.sort->name, sort->key_template) : "")
    );
}

std::string to_markdown(const Model& model) {
    std::string out = "# " + model.name + "\n\n";
    out += "Table " + code(model.table.name) + ", key " + key_text(model.table.key);
    if (!model.table.ttl.empty()) {
        out += ", items expire by " + code(model.table.ttl);
    }
    out += model.table.marker.empty()
               ? ", items are told apart by their keys.\n\n"
               : ", kind of an item in " + code(model.table.marker) + ".\n\n";
    write_entities(model, out);
    write_indexes(model, out);
    write_patterns(model, out);
    write_operations(model, out);
    write_jobs(model, out);
    write_diagram(model, out);
    return out;
}

}  // namespace gateleg::model

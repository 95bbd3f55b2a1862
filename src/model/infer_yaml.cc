#include "base/json_writer.h"
#include "model/client_surface.h"
#include "model/infer_draft.h"

namespace gateleg::model {
namespace {

// JSON's strings are YAML's too.
std::string quoted(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

std::string joined(const std::vector<std::string>& parts) {
    std::string out;
    for (const auto& part : parts) {
        out.append(out.empty() ? "" : ", ").append(part);
    }
    return out;
}

class Yaml {
public:
    explicit Yaml(const Draft& draft) : draft_(draft) {}

    std::string render(std::size_t items) {
        write_head(items);
        for (const auto& entity : draft_.entities) {
            write_entity(entity);
        }
        write_patterns();
        return std::move(out_);
    }

private:
    std::string key_types(const KeyNames& keys) const {
        const auto one = [&](const std::string& name) {
            const auto word = draft_.type_word(name);
            return quoted(name) + (word == "string" ? ": S" : word == "number" ? ": N" : ": B");
        };
        return "{ " + one(keys.partition) + (keys.sort.empty() ? "" : ", " + one(keys.sort)) + " }";
    }

    void write_head(std::size_t items) {
        const auto name = camel_case(draft_.table.name);
        out_ += "# Drafted from " + std::to_string(items) +
                " items of the table. Templates are what these items show: look at them first, then"
                "\n# say who sees what (visible, allow) and write the operations.\n";
        out_ += "model: { name: " + quoted(name) + ", path: " + quoted("/" + name) + " }\n\n";
        out_ += "table:\n  name: " + quoted(draft_.table.name) +
                "\n  key: " + key_types(draft_.keys) + "\n";
        out_ += draft_.ttl.empty() ? "" : "  ttl: " + quoted(draft_.ttl) + "\n";
        out_ += "  marker: " + (draft_.marker.empty() ? "none" : quoted(draft_.marker)) + "\n";
        out_ += draft_.indexes.empty() ? "" : "  indexes:\n";
        for (const auto& [definition, keys] : draft_.indexes) {
            out_ += "    " + quoted(definition->name) + ": { key: " + key_types(keys);
            const auto& projection = definition->projection;
            if (projection.type == dynamo::ProjectionType::kKeysOnly) {
                out_ += ", project: keys";
            } else if (projection.type == dynamo::ProjectionType::kInclude) {
                std::vector<std::string> names;
                for (const auto& attribute : projection.non_key_attributes) {
                    names.push_back(quoted(attribute));
                }
                out_ += ", project: [" + joined(names) + "]";
            }
            out_ += " }\n";
        }
        out_ += draft_.entities.empty() ? "\nentities: {}\n" : "\nentities:\n";
    }

    void write_entity(const DraftedEntity& entity) {
        std::vector<std::string> keys;
        for (const auto& [key, text] : entity.keys) {
            keys.push_back(quoted(key) + ": " + quoted(text));
        }
        out_ += "  " + entity.name + ":  # " + std::to_string(entity.items.size()) + " seen\n";
        out_ += keys.empty() ? "    keys: {}\n" : "    keys: { " + joined(keys) + " }\n";
        if (!draft_.marker.empty() && entity.marker != entity.name) {
            out_ +=
                "    marker: " + (entity.marker.empty() ? "none" : quoted(entity.marker)) + "\n";
        }
        out_ += "    open: true\n";
        out_ += entity.attributes.empty() ? "    attributes: {}\n" : "    attributes:\n";
        for (const auto& [name, type] : entity.attributes) {
            out_ += "      " + quoted(name) + ": " + type + "\n";
        }
    }

    void write_patterns() {
        out_ += draft_.entities.empty() ? "" : "\npatterns:\n";
        for (const auto& entity : draft_.entities) {
            out_ += "  get" + entity.name + ": { get: " + entity.name + ", allow: internal }\n";
        }
        for (const auto& [definition, keys] : draft_.indexes) {
            // Entities that share a partition are listed together.
            std::map<std::string, std::vector<std::string>> sharing;
            for (const auto& entity : draft_.entities) {
                if (entity.has(keys.partition) && entity.has(keys.sort)) {
                    const auto rule = entity.keys.find(keys.partition);
                    sharing[rule == entity.keys.end() ? "{" + keys.partition + "}" : rule->second]
                        .push_back(entity.name);
                }
            }
            int number = 0;
            for (const auto& [text, names] : sharing) {
                write_list(*definition, text, names, ++number);
            }
        }
    }

    void write_list(
        const dynamo::IndexDefinition& index,
        const std::string& partition,
        const std::vector<std::string>& names,
        int number
    ) {
        std::vector<std::string> by;
        for (auto open = partition.find('{'); open != std::string::npos;
             open = partition.find('{', open + 1)) {
            const auto end = partition.find_first_of(":}", open);
            by.push_back(quoted(partition.substr(open + 1, end - open - 1)));
        }
        const bool whole = index.projection.type == dynamo::ProjectionType::kAll;
        out_ += "  list" + pascal_case(index.name) + (number > 1 ? std::to_string(number) : "") +
                ": { query: " + (names.size() == 1 ? names.front() : "[" + joined(names) + "]") +
                ", index: " + quoted(index.name) + ", by: [" + joined(by) + "]" +
                (whole || names.size() > 1 ? "" : ", load: " + names.front()) +
                ", allow: internal }\n";
    }

    const Draft& draft_;
    std::string out_;
};

}  // namespace

std::string draft_yaml(const Draft& draft, std::size_t items) {
    return Yaml(draft).render(items);
}

}  // namespace gateleg::model

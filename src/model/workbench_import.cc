#include "model/workbench_import.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/json_writer.h"
#include "model/key_template.h"
#include "model/workbench_file.h"

namespace gateleg::model {
namespace {

// JSON's strings are YAML's too.
std::string quoted(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

// An entity's name: identifiers stand as they are, but for those that YAML takes for a value.
std::string as_name(const std::string& name) {
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return lower == "null" || lower == "true" || lower == "false" ? quoted(name) : name;
}

bool is_identifier(std::string_view text) {
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
           });
}

// "customer orders" -> "customerOrders"; with `upper` -> "CustomerOrders".
std::string identifier(std::string_view text, bool upper) {
    std::string out;
    bool raise = upper;
    for (const char c : text) {
        const auto letter = static_cast<unsigned char>(c);
        if (letter >= 0x80 || (std::isalnum(letter) == 0 && c != '_')) {
            raise = !out.empty() || upper;
            continue;
        }
        out += raise ? static_cast<char>(std::toupper(letter)) : c;
        raise = false;
    }
    if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) {
        out.insert(0, upper ? "E" : "v");
    }
    return out;
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    std::size_t at = 0;
    for (;;) {
        const auto end = text.find('#', at);
        parts.emplace_back(text.substr(at, end == std::string_view::npos ? end : end - at));
        if (end == std::string_view::npos) {
            return parts;
        }
        at = end + 1;
    }
}

// What people write for themselves: USER, META_DATA, v0.
bool is_constant_word(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        const auto letter = static_cast<unsigned char>(c);
        return std::isupper(letter) != 0 || c == '_' || c == '-';
    });
}

std::string_view typeword(std::string_view stored) {
    static const std::map<std::string_view, std::string_view> kWords = {
        {"S", "string"},
        {"N", "number"},
        {"B", "binary"},
        {"BOOL", "boolean"},
        {"L", "list"},
        {"M", "{ type: map, open: true }"},
        {"SS", "{ type: set, of: string }"},
        {"NS", "{ type: set, of: number }"},
        {"BS", "{ type: set, of: binary }"},
    };
    const auto found = kWords.find(stored);
    return found == kWords.end() ? "any" : found->second;
}

// One facet on its way to an entity.
class EntityDraft {
public:
    EntityDraft(const WorkbenchTable& table, const WorkbenchFacet& facet, std::string name)
        : table_(table), facet_(facet), name_(std::move(name)) {}

    const std::string& name() const { return name_; }

    void make(const std::string& marker, const std::string& ttl, std::vector<std::string>& notes) {
        for (const auto& attribute : facet_.attributes) {
            if (attribute == marker || is_table_key(attribute)) {
                continue;
            }
            if (!is_identifier(attribute)) {
                notes.push_back(
                    name_ + ": the attribute " + quoted(attribute) +
                    " is left out: its name is no identifier"
                );
                continue;
            }
            const auto type = table_.types.find(attribute);
            const auto word = type == table_.types.end() ? "any" : typeword(type->second);
            attributes_[attribute] = attribute == ttl ? "epoch_s" : std::string(word);
        }
        make_key(table_.keys.partition, facet_.partition_alias);
        if (table_.keys.sort) {
            make_key(*table_.keys.sort, facet_.sort_alias);
        }
        for (const auto& index : table_.indexes) {
            type_index_key(index.keys.partition);
            if (index.keys.sort) {
                type_index_key(*index.keys.sort);
            }
        }
        marker_ = constant_sample(marker);
    }

    bool has(const WorkbenchKey& key) const {
        return attributes_.contains(key.name) || keys_.contains(key.name);
    }
    // Attributes that make up a key.
    std::vector<std::string> variables(const WorkbenchKey& key) const {
        const auto rule = keys_.find(key.name);
        if (rule == keys_.end()) {
            return {key.name};
        }
        std::vector<std::string> names;
        const auto parsed = KeyTemplate::parse(rule->second);
        if (parsed) {
            for (const auto* variable : parsed->variables()) {
                names.push_back(variable->name);
            }
        }
        return names;
    }

    std::string render() const {
        std::string out = "  " + as_name(name_) + ":\n    keys: {";
        bool first = true;
        for (const auto& [key, text] : keys_) {
            out += (first ? " " : ", ") + quoted(key) + ": " + quoted(text);
            first = false;
        }
        out += first ? "}\n" : " }\n";
        if (!marker_.empty() && marker_ != name_) {
            out += "    marker: " + quoted(marker_) + "\n";
        }
        out += attributes_.empty() ? "    attributes: {}\n" : "    attributes:\n";
        for (const auto& [attribute, type] : attributes_) {
            out += "      " + quoted(attribute) + ": " + type + "\n";
        }
        return out;
    }

private:
    bool is_table_key(std::string_view attribute) const {
        return attribute == table_.keys.partition.name ||
               (table_.keys.sort && attribute == table_.keys.sort->name);
    }

    // The value all samples share, if they do.
    std::string constant_sample(const std::string& attribute) const {
        std::string shared;
        for (const auto& sample : facet_.samples) {
            const auto found = sample.find(attribute);
            if (found == sample.end() || (!shared.empty() && found->second != shared)) {
                return {};
            }
            shared = found->second;
        }
        return is_identifier(shared) ? shared : std::string();
    }

    void make_key(const WorkbenchKey& key, const std::string& alias) {
        auto text = key.type == "S" ? from_alias(key, alias) : std::string();
        const auto parsed = KeyTemplate::parse(text);
        const auto usable = !text.empty() && parsed && accept_variables(*parsed);
        if (usable && text != "{" + key.name + "}") {
            keys_[key.name] = text;
            return;
        }
        // The attribute itself is the key.
        if (is_identifier(key.name)) {
            attributes_[key.name] = std::string(typeword(key.type)) + "!";
            return;
        }
        const auto variable = identifier(key.name, false);
        keys_[key.name] = "{" + variable + "}";
        attributes_[variable] = "{ type: " + std::string(typeword(key.type)) + "!, stored: false }";
    }

    // Every variable becomes an attribute that must have a value.
    bool accept_variables(const KeyTemplate& parsed) {
        for (const auto* variable : parsed.variables()) {
            if (!is_identifier(variable->name) || variable->name == "shard" ||
                is_table_key(variable->name)) {
                return false;
            }
        }
        for (const auto* variable : parsed.variables()) {
            auto& type = attributes_[variable->name];
            if (type.empty()) {
                type = key_only_type(variable->format);
            } else if (type == "number" && std::holds_alternative<NumberFormat>(variable->format)) {
                type = "{ " + padded_type(std::get<NumberFormat>(variable->format)) + " }";
            } else if (type == "string" && std::holds_alternative<DateFormat>(variable->format)) {
                type = "timestamp!";  // only a time has a date in it
            } else if (type == "string" || type == "number" || type == "binary") {
                type += "!";
            }
        }
        return true;
    }

    // Padding needs bounds.
    static std::string padded_type(const NumberFormat& format) {
        const bool decimal = format.decimals > 0;
        const auto whole = decimal ? format.width - format.decimals - 1 : format.width;
        const auto digits = static_cast<std::size_t>(std::clamp(whole, 1, 37));
        return "type: " + std::string(decimal ? "number!" : "integer!") +
               ", min: 0, max: " + std::string(digits, '9') +
               (decimal ? ", decimals: " + std::to_string(format.decimals) : "");
    }
    static std::string key_only_type(const KeyFormat& format) {
        if (const auto* number = std::get_if<NumberFormat>(&format)) {
            return "{ " + padded_type(*number) + ", stored: false }";
        }
        // A date in a key says less than the time it was made from: that time must be stored.
        return std::holds_alternative<DateFormat>(format) ? "timestamp!"
                                                          : "{ type: string!, stored: false }";
    }

    std::string from_alias(const WorkbenchKey& key, const std::string& alias) {
        if (alias.find('{') != std::string::npos) {
            return alias;
        }
        if (alias.find('<') != std::string::npos) {
            return with_braces(alias);
        }
        const auto sampled = from_samples(key, alias);
        if (!sampled.empty()) {
            return sampled;
        }
        if (is_constant_word(alias) && alias != key.name) {
            return alias;
        }
        if (alias.find('#') == std::string::npos) {
            return alias.empty() ? std::string() : "{" + identifier(alias, false) + "}";
        }
        std::string out;
        for (const auto& part : split(alias)) {
            out += out.empty() ? "" : "#";
            out +=
                part.empty() || is_constant_word(part) ? part : "{" + identifier(part, false) + "}";
        }
        return out;
    }

    // USER#<user id> -> USER#{userId}
    static std::string with_braces(std::string_view alias) {
        std::string out;
        std::string inside;
        bool open = false;
        for (const char c : alias) {
            if (c == '<' && !open) {
                open = true;
                inside.clear();
            } else if (c == '>' && open) {
                open = false;
                out += "{" + identifier(inside, false) + "}";
            } else {
                (open ? inside : out) += c;
            }
        }
        return open ? std::string() : out;
    }

    std::string from_samples(const WorkbenchKey& key, const std::string& alias) const {
        std::vector<std::vector<std::string>> rows;
        for (const auto& sample : facet_.samples) {
            const auto found = sample.find(key.name);
            if (found == sample.end() || found->second.empty()) {
                return {};
            }
            rows.push_back(split(found->second));
            if (rows.back().size() != rows.front().size()) {
                return {};
            }
        }
        if (rows.empty()) {
            return {};
        }
        std::string out;
        for (std::size_t column = 0; column < rows.front().size(); ++column) {
            const auto& first = rows.front()[column];
            const bool same = std::all_of(rows.begin(), rows.end(), [&](const auto& row) {
                return row[column] == first;
            });
            out += column == 0 ? "" : "#";
            if (same && (is_constant_word(first) || first.empty())) {
                out += first;
            } else {
                out += "{" + variable_name(rows, column, alias) + "}";
            }
        }
        return out;
    }

    // The attribute that has the same values, else a name made from the alias.
    std::string variable_name(
        const std::vector<std::vector<std::string>>& rows,
        std::size_t column,
        const std::string& alias
    ) const {
        for (const auto& [attribute, type] : attributes_) {
            bool equal = true;
            for (std::size_t row = 0; row < rows.size(); ++row) {
                const auto found = facet_.samples[row].find(attribute);
                equal = equal && found != facet_.samples[row].end() &&
                        found->second == rows[row][column];
            }
            if (equal) {
                return attribute;
            }
        }
        const auto& before = column > 0 ? rows.front()[column - 1] : std::string();
        if (is_constant_word(before)) {
            std::string lower = before;
            std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
                return static_cast<char>(std::tolower(c));
            });
            return identifier(lower, false) + "Id";
        }
        const auto base = identifier(alias.empty() ? name_ : alias, false);
        return column == 0 ? base : base + std::to_string(column + 1);
    }

    // A key of an index is a plain attribute of whatever has it.
    void type_index_key(const WorkbenchKey& key) {
        const auto found = attributes_.find(key.name);
        const bool typed = key.type == "N" || key.type == "B";
        if (found != attributes_.end() && (typed || found->second == "any")) {
            found->second = std::string(typeword(key.type));
        }
    }

    const WorkbenchTable& table_;
    const WorkbenchFacet& facet_;
    std::string name_;
    std::string marker_;
    std::map<std::string, std::string> keys_;
    std::map<std::string, std::string> attributes_;  // name -> what stands behind the colon
};

class ModelDraft {
public:
    explicit ModelDraft(const WorkbenchTable& table) : table_(table) {}

    WorkbenchDraft make() {
        marker_ = first_attribute(
            {"EntityType", "entityType", "ItemType", "itemType", "Type", "type", "kind"}, "S"
        );
        ttl_ = first_attribute({"ttl", "TTL", "expiresAt", "expires_at"}, "N");
        std::set<std::string> names = {"Event", "Outbox", "Audit"};
        for (const auto& facet : table_.facets) {
            auto name = identifier(facet.name, true);
            for (int again = 2; !names.insert(name).second; ++again) {
                name = identifier(facet.name, true) + std::to_string(again);
            }
            entities_.emplace_back(table_, facet, name).make(marker_, ttl_, draft_.notes);
        }
        write_head();
        write_patterns();
        return std::move(draft_);
    }

private:
    std::string first_attribute(const std::vector<std::string_view>& names, std::string_view type)
        const {
        for (const auto name : names) {
            const auto found = table_.types.find(name);
            if (found != table_.types.end() && found->second == type) {
                return std::string(name);
            }
        }
        return {};
    }

    static std::string key_text(const WorkbenchKeys& keys) {
        std::string out = "{ " + quoted(keys.partition.name) + ": " + keys.partition.type;
        if (keys.sort && keys.sort->name != keys.partition.name) {
            out += ", " + quoted(keys.sort->name) + ": " + keys.sort->type;
        }
        return out + " }";
    }

    void write_head() {
        auto& out = draft_.yaml;
        const auto name = identifier(table_.name, false);
        out +=
            "# Drafted from a data model of NoSQL Workbench. Key templates are guesses: look at "
            "them first,\n# then say who sees what (visible, allow), and write the operations.\n";
        out += "model: { name: " + quoted(name) + ", path: " + quoted("/" + name) + " }\n\n";
        out +=
            "table:\n  name: " + quoted(table_.name) + "\n  key: " + key_text(table_.keys) + "\n";
        if (!ttl_.empty()) {
            out += "  ttl: " + quoted(ttl_) + "\n";
        }
        out += "  marker: " + (marker_.empty() ? "none" : quoted(marker_)) + "\n";
        std::set<std::string> written;
        for (const auto& index : table_.indexes) {
            if (!written.insert(index.name).second) {
                continue;
            }
            out += written.size() == 1 ? "  indexes:\n" : "";
            out += "    " + quoted(index.name) + ": { key: " + key_text(index.keys);
            if (index.projection == "KEYS_ONLY") {
                out += ", project: keys";
            } else if (index.projection == "INCLUDE") {
                out += ", project: [";
                for (std::size_t i = 0; i < index.included.size(); ++i) {
                    out += (i == 0 ? "" : ", ") + quoted(index.included[i]);
                }
                out += "]";
            }
            out += " }\n";
        }
        out += "\nentities:\n";
        for (const auto& entity : entities_) {
            out += entity.render();
        }
    }

    void write_patterns() {
        auto& out = draft_.yaml;
        out += "\npatterns:\n";
        for (const auto& entity : entities_) {
            out += "  get" + entity.name() + ": { get: " + as_name(entity.name()) +
                   ", allow: internal }\n";
        }
        std::set<std::string> written;
        for (const auto& index : table_.indexes) {
            for (const auto& entity : entities_) {
                const bool inside = entity.has(index.keys.partition) &&
                                    (!index.keys.sort || entity.has(*index.keys.sort));
                const bool says_by = index.name.starts_with("by") || index.name.starts_with("By");
                const auto name =
                    "list" + entity.name() + (says_by ? "" : "By") + identifier(index.name, true);
                if (!inside || !written.insert(name).second) {
                    continue;
                }
                out += "  " + name + ": { query: " + as_name(entity.name()) +
                       ", index: " + quoted(index.name) + ", by: [";
                bool first = true;
                for (const auto& variable : entity.variables(index.keys.partition)) {
                    out += (first ? "" : ", ") + quoted(variable);
                    first = false;
                }
                out += index.projection == "ALL" ? "]" : "], load: " + as_name(entity.name());
                out += ", allow: internal }\n";
            }
        }
    }

    const WorkbenchTable& table_;
    std::string marker_;
    std::string ttl_;
    std::vector<EntityDraft> entities_;
    WorkbenchDraft draft_;
};

}  // namespace

Result<WorkbenchDraft> import_workbench(std::string_view json, std::string_view table) {
    auto tables = read_workbench(json);
    if (!tables) {
        return std::move(tables).error();
    }
    std::string names;
    for (const auto& one : *tables) {
        if (table.empty() ? tables->size() == 1 : one.name == table) {
            return ModelDraft(one).make();
        }
        names += (names.empty() ? "" : ", ") + one.name;
    }
    return validation_error(
        table.empty() ? "the file has several tables, name one with --table: " + names
                      : "no table '" + std::string(table) + "' in the file, only " + names
    );
}

}  // namespace gateleg::model

#include "model/infer.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/json_writer.h"
#include "model/client_surface.h"
#include "model/infer_keys.h"

namespace gateleg::model {
namespace {

using value::Item;

// More different words than this, and more than a tenth of the items: they are data.
constexpr std::size_t kManyWords = 20;
constexpr std::size_t kMaxMarkers = 64;

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

struct Keys {
    std::string partition;
    std::string sort;  // empty: none
};

// Nothing for a key of several attributes a side.
std::optional<Keys> read_keys(const dynamo::KeySchema& schema) {
    Keys keys;
    for (const auto& element : schema) {
        auto& name = element.role == dynamo::KeyRole::kHash ? keys.partition : keys.sort;
        if (!name.empty()) {
            return std::nullopt;
        }
        name = element.attribute;
    }
    return keys;
}

std::string text_in(const Item& item, const std::string& attribute) {
    const auto found = item.find(attribute);
    const auto* text =
        found == item.end() ? nullptr : std::get_if<std::string>(&found->second.data);
    return text == nullptr ? std::string() : *text;
}

std::string type_of_texts(const std::vector<const std::string*>& texts) {
    const auto kind = timestamp_kind(*texts.front());
    const bool same = std::all_of(texts.begin(), texts.end(), [&](const std::string* text) {
        return timestamp_kind(*text) == kind;
    });
    return !same || kind == 0 ? "string"
           : kind == 1        ? "timestamp"
                              : "{ type: timestamp, precision: s }";
}

// What stands behind the attribute's colon: no more than all its values allow.
std::string type_of_values(const std::vector<const value::AttributeValue*>& values) {
    using value::Type;
    const auto type = values.front()->type();
    std::vector<const std::string*> texts;
    bool whole = true;
    for (const auto* value : values) {
        if (value->type() != type) {
            return "any";
        }
        if (const auto* text = std::get_if<std::string>(&value->data)) {
            texts.push_back(text);
        } else if (const auto* number = std::get_if<value::Number>(&value->data)) {
            whole = whole && number->exponent() >= 0;
        }
    }
    switch (type) {
        case Type::kString:
            return type_of_texts(texts);
        case Type::kNumber:
            return whole ? "integer" : "number";
        case Type::kBinary:
            return "binary";
        case Type::kBool:
            return "boolean";
        case Type::kNull:
            return "any";
        case Type::kList:
            return "list";
        case Type::kMap:
            return "{ type: map, open: true }";
        case Type::kStringSet:
            return "{ type: set, of: string }";
        case Type::kNumberSet:
            return "{ type: set, of: number }";
        case Type::kBinarySet:
            return "{ type: set, of: binary }";
    }
    return "any";
}

// "string" -> "string!", "{ type: timestamp, .. }" -> "{ type: timestamp!, .. }"
std::string required(const std::string& type) {
    if (type.find('!') != std::string::npos) {
        return type;
    }
    return type.starts_with('{') ? "{ type: timestamp!, precision: s }" : type + "!";
}

// Keys that every model has, of what the server keeps for itself (docs/model-language.md).
bool is_kept_by_server(const std::string& partition, const std::string& sort) {
    static const std::map<std::string, std::size_t, std::less<>> kOwn = {
        {"EVENT", 3},
        {"OUTBOX", 2},
        {"OUTBOXDONE", 2},
        {"OUTBOXDEAD", 2},
        {"SCHEDULE", 2},
        {"SHARDS", 2},
        {"AUDIT", 2}};
    const auto parts = split_key(partition, '#');
    if (parts.front() == "IDEMP") {
        return sort == "META";
    }
    const auto found = kOwn.find(parts.front());
    if (found == kOwn.end() || parts.size() != found->second) {
        return false;
    }
    const bool is_dated = parts.front().starts_with("OUTBOX") || parts.front() == "AUDIT";
    return is_dated || sort == "META";
}

// GSI1PK, due_pk: nobody calls an attribute so that people read.
bool is_key_name(std::string_view name) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return lower.ends_with("pk") || lower.ends_with("sk") || lower.starts_with("gsi");
}

struct DraftedEntity {
    std::string name;
    std::vector<std::string> words;  // constant parts of its keys
    std::string marker;              // its value; empty: none
    std::vector<Item> items;
    std::map<std::string, std::string> keys;
    std::map<std::string, std::string> attributes;  // name -> type

    bool has(const std::string& key) const {
        return key.empty() || keys.contains(key) || attributes.contains(key);
    }
};

class Inference {
public:
    Inference(
        const dynamo::TableDescription& table,
        const std::optional<std::string>& ttl,
        const std::vector<Item>& items
    )
        : table_(table), ttl_(ttl.value_or("")), items_(items) {
        keys_ = read_keys(table.key_schema).value_or(Keys{});
        for (const auto& index : table.global_indexes) {
            if (auto keys = read_keys(index.definition.key_schema)) {
                indexes_.push_back({&index.definition, *std::move(keys)});
            } else {
                note(
                    "The index " + index.definition.name +
                    " has a key of several attributes: "
                    "the language has no word for it, and it is left out."
                );
            }
        }
        for (const auto& index : table.local_indexes) {
            note(
                "The local index " + index.definition.name +
                " is left out: models have global "
                "indexes only. It stays in the table."
            );
        }
    }

    InferredModel run() {
        separator_ = find_separator(items_, table_keys());
        find_marker();
        make_groups();
        for (auto& entity : entities_) {
            make_entity(entity);
        }
        if (entities_.empty()) {
            note("The table has no items: write its entities yourself.");
        }
        write_head();
        for (const auto& entity : entities_) {
            write_entity(entity);
        }
        write_patterns();
        result_.entities = entities_.size();
        return std::move(result_);
    }

private:
    struct Index {
        const dynamo::IndexDefinition* definition;
        Keys keys;
    };

    void note(std::string text) { result_.notes.push_back(std::move(text)); }

    std::vector<std::string> table_keys() const {
        return keys_.sort.empty() ? std::vector{keys_.partition}
                                  : std::vector{keys_.partition, keys_.sort};
    }
    bool is_table_key(std::string_view name) const {
        return name == keys_.partition || name == keys_.sort;
    }
    bool is_index_key(std::string_view name) const {
        return std::any_of(indexes_.begin(), indexes_.end(), [&](const Index& index) {
            return name == index.keys.partition || name == index.keys.sort;
        });
    }

    // An attribute of the usual names that holds an identifier in every item that has it.
    void find_marker() {
        static constexpr std::string_view kNames[] = {
            "entityType",
            "EntityType",
            "entity",
            "Entity",
            "itemType",
            "ItemType",
            "_type",
            "__type",
            "_et",
            "__edb_e__",
            "type",
            "Type",
            "kind",
            "Kind"};
        for (const auto name : kNames) {
            std::set<std::string> values;
            std::size_t having = 0;
            bool usable = !is_table_key(name) && !is_index_key(name);
            for (const auto& item : items_) {
                if (item.contains(name)) {
                    values.insert(text_in(item, std::string(name)));
                    ++having;
                }
            }
            usable = usable && having * 2 > items_.size() && values.size() <= kMaxMarkers &&
                     std::all_of(values.begin(), values.end(), is_plain_identifier);
            if (usable) {
                marker_ = name;
                return;
            }
        }
    }

    // Words at the places where prefixes stand; "*" for what is data.
    std::vector<std::string> shape(const std::string& text, bool is_sort, bool words_are_data)
        const {
        const auto parts = split_key(text, separator_);
        std::vector<std::string> out;
        for (std::size_t at = 0; at < parts.size(); ++at) {
            const auto& part = parts[at];
            const bool word = at % 2 == 0 && !words_are_data &&
                              (is_upper_word(part) ||
                               (at == 0 && is_key_word(part) && (is_sort || parts.size() > 1)));
            out.push_back(word ? part : "*");
        }
        return out;
    }

    bool are_words_data(const std::string& key) const {
        std::set<std::string> words;
        for (const auto& item : items_) {
            const auto first = split_key(text_in(item, key), separator_).front();
            if (is_key_word(first)) {
                words.insert(first);
            }
        }
        return words.size() > kManyWords && words.size() * 10 > items_.size();
    }

    void make_groups() {
        const bool partition_data = are_words_data(keys_.partition);
        const bool sort_data = !keys_.sort.empty() && are_words_data(keys_.sort);
        std::map<std::vector<std::string>, std::vector<Item>> groups;
        std::size_t kept_by_server = 0;
        for (const auto& item : items_) {
            if (is_kept_by_server(text_in(item, keys_.partition), text_in(item, keys_.sort))) {
                ++kept_by_server;
                continue;
            }
            std::vector<std::string> group = {marker_.empty() ? "" : text_in(item, marker_)};
            for (auto& part : shape(text_in(item, keys_.partition), false, partition_data)) {
                group.push_back(std::move(part));
            }
            group.emplace_back();
            if (!keys_.sort.empty()) {
                for (auto& part : shape(text_in(item, keys_.sort), true, sort_data)) {
                    group.push_back(std::move(part));
                }
            }
            groups[std::move(group)].push_back(item);
        }
        if (kept_by_server > 0) {
            note(
                std::to_string(kept_by_server) +
                " items have keys of entities that every model has (Event, Outbox, Audit and what "
                "belongs to them); they are left out."
            );
        }
        std::set<std::string> names = {
            "Event", "Outbox", "OutboxDone", "OutboxDead", "Audit", "Schedule", "Shards"};
        for (auto& [group, items] : groups) {
            DraftedEntity entity;
            entity.marker = group.front();
            entity.name = claim_name(names, name_of(group));
            entity.items = std::move(items);
            entities_.push_back(std::move(entity));
        }
    }

    static std::string name_of(const std::vector<std::string>& group) {
        if (!group.front().empty()) {
            return pascal_case(group.front());
        }
        static const std::set<std::string> kHeads = {
            "META", "METADATA", "INFO", "PROFILE", "ROOT", "DETAILS", "DATA", "A"};
        std::string upper;
        std::vector<std::string> partition;
        std::vector<std::string> sort;
        bool behind = false;
        for (std::size_t at = 1; at < group.size(); ++at) {
            if (group[at].empty()) {
                behind = true;
            } else if (group[at] != "*") {
                (behind ? sort : partition).push_back(group[at]);
            }
        }
        const auto pascal = [](std::string word) {
            if (is_upper_word(word)) {
                std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) {
                    return static_cast<char>(std::tolower(c));
                });
            }
            return pascal_case(word);
        };
        upper = sort.empty() ? std::string() : sort.back();
        std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) {
            return static_cast<char>(std::toupper(c));
        });
        const auto head = partition.empty() ? std::string() : pascal(partition.back());
        const bool is_item = group.back() == "*";
        if (sort.empty() || (!head.empty() && kHeads.contains(upper))) {
            return head.empty() ? "Item" : head;
        }
        return is_item ? pascal(sort.back()) : head + pascal(sort.back());
    }

    GuessRequest request(const std::string& key) const {
        GuessRequest request;
        request.key = key;
        request.separator = separator_;
        for (const auto& name : table_keys()) {
            request.not_these.insert(name);
        }
        for (const auto& index : indexes_) {
            // A key that holds one value as it is may be an attribute that people read.
            for (const auto& name : {index.keys.partition, index.keys.sort}) {
                if (is_key_name(name) || is_composed(name)) {
                    request.not_these.insert(name);
                }
            }
        }
        request.not_these.insert(marker_);
        return request;
    }

    bool is_composed(const std::string& key) const {
        return std::any_of(items_.begin(), items_.end(), [&](const Item& item) {
            return text_in(item, key).find(separator_) != std::string::npos;
        });
    }

    void make_entity(DraftedEntity& entity) {
        make_attributes(entity);
        for (const auto& key : table_keys()) {
            auto wanted = request(key);
            wanted.may_invent = true;
            const auto guess = guess_key(entity.items, wanted);
            if (guess && guess->text != "{" + key + "}") {
                accept(entity, key, *guess);
            } else {
                make_plain(entity, key);
            }
        }
        std::set<std::string> done;
        for (const auto& index : indexes_) {
            for (const auto& key : {index.keys.partition, index.keys.sort}) {
                if (!key.empty() && !is_table_key(key) && done.insert(key).second) {
                    make_index_key(entity, key);
                }
            }
        }
    }

    void make_attributes(DraftedEntity& entity) {
        std::map<std::string, std::vector<const value::AttributeValue*>> values;
        for (const auto& item : entity.items) {
            for (const auto& [name, value] : item) {
                values[name].push_back(&value);
            }
        }
        for (const auto& [name, all] : values) {
            if (is_table_key(name) || name == marker_) {
                continue;
            }
            if (!is_plain_identifier(name)) {
                note(
                    entity.name + ": the attribute " + quoted(name) +
                    " is not named in the "
                    "draft, for its name is no identifier; it is kept as it is."
                );
                continue;
            }
            entity.attributes[name] = name == ttl_ ? "epoch_s" : type_of_values(all);
        }
    }

    static void accept(DraftedEntity& entity, const std::string& key, const KeyGuess& guess) {
        entity.keys[key] = guess.text;
        for (const auto& [name, type] : guess.attributes) {
            auto& now = entity.attributes[name];
            now = type.empty() ? required(now.empty() ? "string" : now) : type;
        }
        for (const auto& name : guess.key_only) {
            entity.attributes[name] = "{ type: string!, stored: false }";
        }
    }

    void make_plain(DraftedEntity& entity, const std::string& key) {
        const auto type = type_word(key);
        if (is_plain_identifier(key)) {
            entity.attributes[key] = type + "!";
            return;
        }
        const auto variable = camel_case(key);
        entity.keys[key] = "{" + variable + "}";
        entity.attributes[variable] = "{ type: " + type + "!, stored: false }";
    }

    // A template if it makes the key of every item that has one, and of no other.
    void make_index_key(DraftedEntity& entity, const std::string& key) {
        std::vector<Item> having;
        for (const auto& item : entity.items) {
            if (item.contains(key)) {
                having.push_back(item);
            }
        }
        if (having.empty()) {
            return;
        }
        const auto guess = is_composed(key) ? guess_key(having, request(key)) : std::nullopt;
        if (!guess) {
            if (is_composed(key)) {
                note(
                    entity.name + ": no template makes " + quoted(key) +
                    " from other attributes; "
                    "it stays an attribute that callers would have to set."
                );
            }
            entity.attributes[key] = entity.attributes[key] == "any" || type_word(key) != "string"
                                         ? type_word(key)
                                         : entity.attributes[key];
            return;
        }
        const bool others_lack =
            std::all_of(entity.items.begin(), entity.items.end(), [&](const Item& item) {
                return item.contains(key) ||
                       std::any_of(
                           guess->attributes.begin(),
                           guess->attributes.end(),
                           [&](const auto& used) { return !item.contains(used.first); }
                       );
            });
        if (!others_lack) {
            note(
                entity.name + ": " + quoted(guess->text) + " makes " + quoted(key) + ", but " +
                std::to_string(entity.items.size() - having.size()) + " of " +
                std::to_string(entity.items.size()) +
                " items have none: find out `when`, and "
                "make it { template, when }."
            );
            return;
        }
        entity.attributes.erase(key);
        entity.keys[key] = guess->text;
        for (const auto& [name, type] : guess->attributes) {
            auto& now = entity.attributes[name];
            // Not every item need have it, so it is not required for this key alone.
            if (!type.empty() && now.find('{') == std::string::npos) {
                now = type;
                now.erase(std::remove(now.begin(), now.end(), '!'), now.end());
            }
        }
    }

    std::string type_word(const std::string& key) const {
        for (const auto& definition : table_.attributes) {
            if (definition.name == key && definition.type != value::Type::kString) {
                return definition.type == value::Type::kNumber ? "number" : "binary";
            }
        }
        return "string";
    }

    std::string key_types(const Keys& keys) const {
        const auto one = [&](const std::string& name) {
            const auto word = type_word(name);
            return quoted(name) + (word == "string" ? ": S" : word == "number" ? ": N" : ": B");
        };
        return "{ " + one(keys.partition) + (keys.sort.empty() ? "" : ", " + one(keys.sort)) + " }";
    }

    void write_head() {
        auto& out = result_.yaml;
        const auto name = camel_case(table_.name);
        out += "# Drafted from " + std::to_string(items_.size()) +
               " items of the table. Templates are what these items show: look at them first, then"
               "\n# say who sees what (visible, allow) and write the operations.\n";
        out += "model: { name: " + quoted(name) + ", path: " + quoted("/" + name) + " }\n\n";
        out += "table:\n  name: " + quoted(table_.name) + "\n  key: " + key_types(keys_) + "\n";
        out += ttl_.empty() ? "" : "  ttl: " + quoted(ttl_) + "\n";
        out += "  marker: " + (marker_.empty() ? "none" : quoted(marker_)) + "\n";
        out += indexes_.empty() ? "" : "  indexes:\n";
        for (const auto& [definition, keys] : indexes_) {
            out += "    " + quoted(definition->name) + ": { key: " + key_types(keys);
            const auto& projection = definition->projection;
            if (projection.type == dynamo::ProjectionType::kKeysOnly) {
                out += ", project: keys";
            } else if (projection.type == dynamo::ProjectionType::kInclude) {
                std::vector<std::string> names;
                for (const auto& attribute : projection.non_key_attributes) {
                    names.push_back(quoted(attribute));
                }
                out += ", project: [" + joined(names) + "]";
            }
            out += " }\n";
        }
        out += entities_.empty() ? "\nentities: {}\n" : "\nentities:\n";
    }

    void write_entity(const DraftedEntity& entity) {
        auto& out = result_.yaml;
        std::vector<std::string> keys;
        for (const auto& [key, text] : entity.keys) {
            keys.push_back(quoted(key) + ": " + quoted(text));
        }
        out += "  " + entity.name + ":  # " + std::to_string(entity.items.size()) + " seen\n";
        out += keys.empty() ? "    keys: {}\n" : "    keys: { " + joined(keys) + " }\n";
        if (!marker_.empty() && entity.marker != entity.name) {
            out += "    marker: " + (entity.marker.empty() ? "none" : quoted(entity.marker)) + "\n";
        }
        out += "    open: true\n";
        out += entity.attributes.empty() ? "    attributes: {}\n" : "    attributes:\n";
        for (const auto& [name, type] : entity.attributes) {
            out += "      " + quoted(name) + ": " + type + "\n";
        }
    }

    void write_patterns() {
        auto& out = result_.yaml;
        out += entities_.empty() ? "" : "\npatterns:\n";
        for (const auto& entity : entities_) {
            out += "  get" + entity.name + ": { get: " + entity.name + ", allow: internal }\n";
        }
        for (const auto& [definition, keys] : indexes_) {
            // Entities that share a partition are listed together.
            std::map<std::string, std::vector<std::string>> sharing;
            for (const auto& entity : entities_) {
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
        result_.yaml +=
            "  list" + pascal_case(index.name) + (number > 1 ? std::to_string(number) : "") +
            ": { query: " + (names.size() == 1 ? names.front() : "[" + joined(names) + "]") +
            ", index: " + quoted(index.name) + ", by: [" + joined(by) + "]" +
            (whole || names.size() > 1 ? "" : ", load: " + names.front()) + ", allow: internal }\n";
    }

    const dynamo::TableDescription& table_;
    std::string ttl_;
    const std::vector<Item>& items_;
    Keys keys_;
    std::vector<Index> indexes_;
    char separator_ = '#';
    std::string marker_;
    std::vector<DraftedEntity> entities_;
    InferredModel result_;
};

}  // namespace

InferredModel infer_model(
    const dynamo::TableDescription& table,
    const std::optional<std::string>& ttl,
    const std::vector<value::Item>& items
) {
    return Inference(table, ttl, items).run();
}

}  // namespace gateleg::model

#include "model/infer.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/json_writer.h"
#include "model/client_surface.h"
#include "model/infer_draft.h"
#include "model/infer_keys.h"

namespace gateleg::model {
namespace {

using value::Item;

std::string quoted(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

// Nothing for a key of several attributes a side.
std::optional<KeyNames> read_keys(const dynamo::KeySchema& schema) {
    KeyNames keys;
    for (const auto& element : schema) {
        auto& name = element.role == dynamo::KeyRole::kHash ? keys.partition : keys.sort;
        if (!name.empty()) {
            return std::nullopt;
        }
        name = element.attribute;
    }
    return keys;
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

// GSI1PK, due_pk: nobody calls an attribute so that people read.
bool is_key_name(std::string_view name) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return lower.ends_with("pk") || lower.ends_with("sk") || lower.starts_with("gsi");
}

class Inference {
public:
    Inference(
        const dynamo::TableDescription& table,
        const std::optional<std::string>& ttl,
        const std::vector<Item>& items
    )
        : items_(items), draft_{table, ttl.value_or("")} {
        draft_.keys = read_keys(table.key_schema).value_or(KeyNames{});
        for (const auto& index : table.global_indexes) {
            if (auto keys = read_keys(index.definition.key_schema)) {
                draft_.indexes.push_back({&index.definition, *std::move(keys)});
            } else {
                note(
                    "The index " + index.definition.name +
                    " has a key of several attributes: the language has no word for it, and it is "
                    "left out."
                );
            }
        }
        for (const auto& index : table.local_indexes) {
            note(
                "The local index " + index.definition.name +
                " is left out: models have global indexes only. It stays in the table."
            );
        }
    }

    InferredModel run() {
        draft_.separator = find_separator(items_, draft_.table_keys());
        find_kinds(draft_, items_);
        for (auto& entity : draft_.entities) {
            make_entity(entity);
        }
        if (draft_.entities.empty()) {
            note("There are no items that show what the table holds: write its entities yourself.");
        }
        auto yaml = draft_yaml(draft_, items_.size());
        return {std::move(yaml), std::move(draft_.notes), draft_.entities.size()};
    }

private:
    void note(std::string text) { draft_.notes.push_back(std::move(text)); }

    GuessRequest request(const std::string& key) const {
        GuessRequest request;
        request.key = key;
        request.separator = draft_.separator;
        for (const auto& name : draft_.table_keys()) {
            request.not_these.insert(name);
        }
        for (const auto& index : draft_.indexes) {
            // A key that holds one value as it is may be an attribute that people read.
            for (const auto& name : {index.keys.partition, index.keys.sort}) {
                if (is_key_name(name) || is_composed(name)) {
                    request.not_these.insert(name);
                }
            }
        }
        request.not_these.insert(draft_.marker);
        return request;
    }

    bool is_composed(const std::string& key) const {
        return std::any_of(items_.begin(), items_.end(), [&](const Item& item) {
            return text_in(item, key).find(draft_.separator) != std::string::npos;
        });
    }

    void make_entity(DraftedEntity& entity) {
        make_attributes(entity);
        for (const auto& key : draft_.table_keys()) {
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
        for (const auto& index : draft_.indexes) {
            for (const auto& key : {index.keys.partition, index.keys.sort}) {
                if (!key.empty() && !draft_.is_table_key(key) && done.insert(key).second) {
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
            if (draft_.is_table_key(name) || name == draft_.marker) {
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
            entity.attributes[name] = name == draft_.ttl ? "epoch_s" : type_of_values(all);
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
        const auto type = draft_.type_word(key);
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
            entity.attributes[key] =
                entity.attributes[key] == "any" || draft_.type_word(key) != "string"
                    ? draft_.type_word(key)
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

    const std::vector<Item>& items_;
    Draft draft_;
};

}  // namespace

bool DraftedEntity::has(const std::string& key) const {
    return key.empty() || keys.contains(key) || attributes.contains(key);
}

std::vector<std::string> Draft::table_keys() const {
    return keys.sort.empty() ? std::vector{keys.partition} : std::vector{keys.partition, keys.sort};
}

bool Draft::is_table_key(std::string_view name) const {
    return name == keys.partition || name == keys.sort;
}

bool Draft::is_index_key(std::string_view name) const {
    return std::any_of(indexes.begin(), indexes.end(), [&](const DraftedIndex& index) {
        return name == index.keys.partition || name == index.keys.sort;
    });
}

std::string Draft::type_word(std::string_view key) const {
    for (const auto& definition : table.attributes) {
        if (definition.name == key && definition.type != value::Type::kString) {
            return definition.type == value::Type::kNumber ? "number" : "binary";
        }
    }
    return "string";
}

std::string text_in(const Item& item, const std::string& attribute) {
    const auto found = item.find(attribute);
    const auto* text =
        found == item.end() ? nullptr : std::get_if<std::string>(&found->second.data);
    return text == nullptr ? std::string() : *text;
}

InferredModel infer_model(
    const dynamo::TableDescription& table,
    const std::optional<std::string>& ttl,
    const std::vector<Item>& items
) {
    return Inference(table, ttl, items).run();
}

}  // namespace gateleg::model

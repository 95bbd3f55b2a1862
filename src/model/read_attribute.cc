#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <re2/re2.h>

#include "model/reader.h"

namespace gateleg::model {
namespace {

// In the order of type_words().
constexpr AttributeType kTypes[] = {
    AttributeType::kString,
    AttributeType::kInteger,
    AttributeType::kNumber,
    AttributeType::kBoolean,
    AttributeType::kTimestamp,
    AttributeType::kEpochSeconds,
    AttributeType::kEpochMillis,
    AttributeType::kUlid,
    AttributeType::kUuid,
    AttributeType::kList,
    AttributeType::kMap,
    AttributeType::kSet,
    AttributeType::kBinary,
    AttributeType::kAny,
};

void read_type_word(
    Attribute& attribute, const Node& node, const std::string& where, Diagnostics& diagnostics
) {
    auto word = node.text;
    if (word.ends_with('!')) {
        attribute.required = true;
        word.pop_back();
    }
    const auto& words = type_words();
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end()) {
        diagnostics.error(
            "Y04",
            node.position,
            where + ": '" + node.text + "' is no type",
            did_you_mean(word, words)
        );
        return;
    }
    attribute.type = kTypes[found - words.begin()];
}

void read_enum(
    Attribute& attribute, const Node& list, const std::string& where, Diagnostics& diagnostics
) {
    attribute.type = AttributeType::kEnum;
    for (const auto& element : list.elements) {
        if (!element.is_scalar() || element.text.empty()) {
            diagnostics.error("Y04", element.position, where + ": an enum value must be a word");
            continue;
        }
        auto& values = attribute.values;
        if (std::find(values.begin(), values.end(), element.text) != values.end()) {
            diagnostics.error(
                "Y01", element.position, where + ": '" + element.text + "' is there twice"
            );
        }
        values.push_back(element.text);
    }
    if (attribute.values.empty()) {
        diagnostics.error("Y04", list.position, where + ": an enum needs values");
    }
}

// One for all attributes with the same pattern: each that counts to 128 takes a tenth of a
// millisecond and 40 KB, and a model has dozens.
std::shared_ptr<const re2::RE2> compile(const std::string& pattern) {
    static std::mutex mutex;
    static std::map<std::string, std::weak_ptr<const re2::RE2>> known;
    const std::lock_guard lock(mutex);
    auto& place = known[pattern];
    auto regex = place.lock();
    if (!regex) {
        std::erase_if(known, [&](const auto& one) {
            return one.first != pattern && one.second.expired();
        });
        re2::RE2::Options options;
        options.set_log_errors(false);
        regex = std::make_shared<const re2::RE2>(pattern, options);
        place = regex;
    }
    return regex;
}

void read_pattern(
    Attribute& attribute, const Node& node, const std::string& where, Diagnostics& diagnostics
) {
    attribute.pattern = node.text;
    auto regex = compile(node.text);
    if (!regex->ok()) {
        diagnostics.error("Y04", node.position, where + ": no RE2 pattern: " + regex->error());
        return;
    }
    attribute.regex = std::move(regex);
}

void read_normalise(Attribute& attribute, const Reader& reader) {
    const std::vector<std::string> words = {"trim", "lower", "squeeze", "distinct"};
    for (const auto& one : reader.names("normalise")) {
        const auto found = std::find(words.begin(), words.end(), one.name);
        if (found == words.end()) {
            reader.diagnostics().error(
                "Y04",
                one.position,
                reader.where() + ": normalise knows trim, lower, squeeze and distinct",
                did_you_mean(one.name, words)
            );
            continue;
        }
        attribute.normalise.push_back(static_cast<Normalise>(found - words.begin()));
    }
}

// A map without `type` and `enum` is the fields of a map.
Attribute read_element(const Node& node, const std::string& where, Diagnostics& diagnostics) {
    if (!node.is_map() || node.find("type") != nullptr || node.find("enum") != nullptr) {
        return read_attribute("", node.position, node, where, diagnostics);
    }
    Attribute element;
    element.position = node.position;
    element.type = AttributeType::kMap;
    for (const auto& [key, field] : node.members) {
        element.fields.push_back(
            read_attribute(key.text, key.position, field, where + "." + key.text, diagnostics)
        );
    }
    return element;
}

void read_stored(
    Attribute& attribute, const Node& node, const std::string& where, Diagnostics& diagnostics
) {
    if (node.is_scalar()) {
        attribute.stored = node.text == "true";
        return;
    }
    if (attribute.type != AttributeType::kBoolean) {
        diagnostics.error("Y04", node.position, where + ": only a boolean has spellings");
    }
    attribute.spelling = {node.elements[0].text, node.elements[1].text};
}

void read_map(
    Attribute& attribute, const Node& node, const std::string& where, Diagnostics& diagnostics
) {
    const Reader reader(node, "attribute", where, diagnostics);
    if (const auto* type = reader.find("type")) {
        read_type_word(attribute, *type, where, diagnostics);
    }
    if (const auto* list = reader.find("enum")) {
        read_enum(attribute, *list, where, diagnostics);
    }
    attribute.default_value = reader.expression("default");
    attribute.is = reader.expression("is");
    if (!reader.has("type") && !reader.has("enum") && !reader.has("is")) {
        diagnostics.error("Y05", node.position, where + " needs a type");
    }
    attribute.min = reader.number("min");
    attribute.max = reader.number("max");
    attribute.above = reader.number("above");
    attribute.step = reader.number("step");
    if (const auto* values = reader.find("in")) {
        for (const auto& element : values->elements) {
            attribute.in.push_back(plain_value(element));
        }
    }
    if (const auto* pattern = reader.find("pattern")) {
        read_pattern(attribute, *pattern, where, diagnostics);
    }
    attribute.decimals = reader.integer("decimals");
    attribute.whole_seconds = reader.text("precision") == "s";
    read_normalise(attribute, reader);
    if (const auto* of = reader.find("of")) {
        attribute.of = std::make_shared<Attribute>(read_element(*of, where, diagnostics));
    }
    if (const auto* fields = reader.find("fields")) {
        for (const auto& [key, field] : fields->members) {
            attribute.fields.push_back(
                read_attribute(key.text, key.position, field, where + "." + key.text, diagnostics)
            );
        }
    }
    if (const auto* stored = reader.find("stored")) {
        read_stored(attribute, *stored, where, diagnostics);
    }
    attribute.keep_null = reader.flag("keep_null");
    attribute.immutable = reader.flag("immutable");
    attribute.hidden = reader.flag("hidden");
    attribute.json_number = reader.has("json");
    attribute.open = reader.flag("open");
}

}  // namespace

Attribute read_attribute(
    const std::string& name,
    Position position,
    const Node& node,
    const std::string& where,
    Diagnostics& diagnostics,
    std::string* borrowed
) {
    Attribute attribute;
    attribute.name = name;
    attribute.position = position;
    if (node.is_list()) {
        read_enum(attribute, node, where, diagnostics);
    } else if (node.is_map()) {
        read_map(attribute, node, where, diagnostics);
    } else if (borrowed != nullptr && node.text.find('.') != std::string::npos) {
        *borrowed = node.text;
    } else {
        read_type_word(attribute, node, where, diagnostics);
    }
    return attribute;
}

}  // namespace gateleg::model

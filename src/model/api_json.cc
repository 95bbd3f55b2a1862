#include "model/api_json.h"

#include <charconv>
#include <utility>

#include "base/time_text.h"
#include "value/plain_json.h"

namespace gateleg::model {
namespace {

using value::JsonSink;
using value::ValueView;

// Milliseconds of an epoch; nothing if it is not a whole number, or too far away for a text.
std::optional<std::int64_t> find_millis(AttributeType type, ValueView stored) {
    if (stored.type() != value::Type::kNumber) {
        return std::nullopt;
    }
    const auto text = stored.text();
    std::int64_t count = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (failure != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return find_epoch_millis(count, type == AttributeType::kEpochSeconds ? 1000 : 1);
}

void write_time(JsonSink& out, const Attribute& attribute, ValueView stored) {
    const auto millis = attribute.json_number ? std::nullopt : find_millis(attribute.type, stored);
    if (millis) {
        out.quote(render_rfc3339(*millis));
    } else {
        write_plain_json(out, stored);
    }
}

void write_boolean(JsonSink& out, const Attribute& attribute, ValueView stored) {
    if (attribute.spelling && stored.type() == value::Type::kString) {
        stored.text() == attribute.spelling->first ? out.put("true") : out.put("false");
    } else {
        write_plain_json(out, stored);
    }
}

void write_list(JsonSink& out, const Attribute& attribute, ValueView list) {
    const auto* known = attribute.of.get();
    out.put('[');
    bool first = true;
    for (const auto element : list.elements()) {
        if (!std::exchange(first, false)) {
            out.put(',');
        }
        write_api_json(out, known, element);
    }
    out.put(']');
}

void write_map(JsonSink& out, const Attribute& attribute, ValueView map) {
    out.put('{');
    bool first = true;
    for (const auto& [name, member] : map.entries()) {
        const auto* known = attribute.find_field(name);
        if (known == nullptr) {
            known = attribute.of.get();
        }
        if (known != nullptr && known->hidden) {
            continue;
        }
        if (!std::exchange(first, false)) {
            out.put(',');
        }
        out.text(name, needs_json_escape(name));
        out.put(':');
        write_api_json(out, known, member);
    }
    out.put('}');
}

}  // namespace

void write_api_json(JsonSink& out, const Attribute* attribute, ValueView stored) {
    if (attribute == nullptr) {
        write_plain_json(out, stored);
        return;
    }
    switch (attribute->type) {
        case AttributeType::kTimestamp:
        case AttributeType::kEpochSeconds:
        case AttributeType::kEpochMillis:
            write_time(out, *attribute, stored);
            return;
        case AttributeType::kBoolean:
            write_boolean(out, *attribute, stored);
            return;
        default:
            break;
    }
    const bool is_described = attribute->of != nullptr || !attribute->fields.empty();
    if (is_described && stored.type() == value::Type::kList) {
        write_list(out, *attribute, stored);
    } else if (is_described && stored.type() == value::Type::kMap) {
        write_map(out, *attribute, stored);
    } else {
        write_plain_json(out, stored);
    }
}

}  // namespace gateleg::model

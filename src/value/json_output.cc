// Values to DynamoDB's JSON, and to JSON without its type names.

#include <utility>

#include "value/json_codec.h"
#include "value/json_sink.h"
#include "value/plain_json.h"

namespace gateleg::value {
namespace {

void write(JsonSink& out, ValueView value);

void write_members(JsonSink& out, ValueView set) {
    const bool binary = set.type() == Type::kBinarySet;
    const bool escape = set.needs_escape();
    char before = '[';
    for (const auto member : set.members()) {
        out.put(std::exchange(before, ','));
        binary ? out.binary(member) : out.text(member, escape);
    }
    out.put(']');
}

void write_list(JsonSink& out, ValueView list) {
    out.put('[');
    bool first = true;
    for (const auto element : list.elements()) {
        if (!std::exchange(first, false)) {
            out.put(',');
        }
        write(out, element);
    }
    out.put(']');
}

void write_map(JsonSink& out, ValueView map) {
    char before = '{';
    for (const auto& [name, value] : map.entries()) {
        out.put(std::exchange(before, ','));
        out.text(name, needs_json_escape(name));
        out.put(':');
        write(out, value);
    }
    if (before == '{') {
        out.put('{');
    }
    out.put('}');
}

void write(JsonSink& out, ValueView value) {
    switch (value.type()) {
        case Type::kString:
            out.put("{\"S\":");
            out.text(value.text(), value.needs_escape());
            break;
        case Type::kNumber:
            out.put("{\"N\":");
            out.quote(value.text());
            break;
        case Type::kBinary:
            out.put("{\"B\":");
            out.binary(value.text());
            break;
        case Type::kBool:
            value.boolean() ? out.put("{\"BOOL\":true") : out.put("{\"BOOL\":false");
            break;
        case Type::kNull:
            out.put("{\"NULL\":true");
            break;
        case Type::kList:
            out.put("{\"L\":");
            write_list(out, value);
            break;
        case Type::kMap:
            out.put("{\"M\":");
            write_map(out, value);
            break;
        case Type::kStringSet:
            out.put("{\"SS\":");
            write_members(out, value);
            break;
        case Type::kNumberSet:
            out.put("{\"NS\":");
            write_members(out, value);
            break;
        case Type::kBinarySet:
            out.put("{\"BS\":");
            write_members(out, value);
            break;
    }
    out.put('}');
}

void write_plain_members(JsonSink& out, ValueView set) {
    const auto type = set.type();
    const bool escape = set.needs_escape();
    out.put('[');
    bool first = true;
    for (const auto member : set.members()) {
        if (!std::exchange(first, false)) {
            out.put(',');
        }
        if (type == Type::kStringSet) {
            out.text(member, escape);
        } else if (type == Type::kNumberSet) {
            out.raw(member);
        } else {
            out.binary(member);
        }
    }
    out.put(']');
}

void write_plain_map(JsonSink& out, ValueView map) {
    out.put('{');
    bool first = true;
    for (const auto& [name, value] : map.entries()) {
        if (!std::exchange(first, false)) {
            out.put(',');
        }
        out.text(name, needs_json_escape(name));
        out.put(':');
        write_plain_json(out, value);
    }
    out.put('}');
}

void write_plain_list(JsonSink& out, ValueView list) {
    out.put('[');
    bool first = true;
    for (const auto element : list.elements()) {
        if (!std::exchange(first, false)) {
            out.put(',');
        }
        write_plain_json(out, element);
    }
    out.put(']');
}

// Names and types take about as much again as a small value.
std::size_t expected_bytes(ValueView value) {
    const auto bytes = value.bytes().size();
    return bytes + bytes / 4 + 256;
}

}  // namespace

void append_json(std::string& out, ValueView value) {
    JsonSink sink(out, expected_bytes(value));
    write(sink, value);
}

void write_plain_json(JsonSink& out, ValueView value) {
    switch (value.type()) {
        case Type::kString:
            out.text(value.text(), value.needs_escape());
            return;
        case Type::kNumber:
            out.raw(value.text());
            return;
        case Type::kBinary:
            out.binary(value.text());
            return;
        case Type::kBool:
            value.boolean() ? out.put("true") : out.put("false");
            return;
        case Type::kNull:
            out.put("null");
            return;
        case Type::kList:
            write_plain_list(out, value);
            return;
        case Type::kMap:
            write_plain_map(out, value);
            return;
        case Type::kStringSet:
        case Type::kNumberSet:
        case Type::kBinarySet:
            write_plain_members(out, value);
            return;
    }
}

void append_json_map(std::string& out, ValueView map) {
    JsonSink sink(out, expected_bytes(map));
    write_map(sink, map);
}

}  // namespace gateleg::value

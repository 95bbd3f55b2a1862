// Values to DynamoDB's JSON. Half of the time of a Query is spent here, so the text is written
// through a bare pointer into room that was made before.

#include <cstring>
#include <utility>

#include "base/base64.h"
#include "base/json_writer.h"
#include "value/json_codec.h"

namespace gateleg::value {
namespace {

// Appends to a string that it keeps longer than needed until it goes. One thread at a time.
class Sink {
public:
    // `expected`: how much will be written, about.
    Sink(std::string& out, std::size_t expected) : out_(out), used_(out.size()) { widen(expected); }
    ~Sink() { out_.resize(used()); }
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;

    void put(char c) {
        make_room(1);
        *at_++ = c;
    }
    template <std::size_t kSize>
    void put(const char (&text)[kSize]) {
        make_room(kSize - 1);
        std::memcpy(at_, text, kSize - 1);
        at_ += kSize - 1;
    }
    // Between quotes, without a look at what it holds.
    void quote(std::string_view text) {
        make_room(text.size() + 2);
        *at_++ = '"';
        std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
        *at_++ = '"';
    }
    // For what only knows how to append: `append(string)`.
    template <class Append>
    void pass_on(Append append) {
        used_ = used();
        out_.resize(used_);
        append(out_);
        used_ = out_.size();
        widen(kStep);
    }

private:
    static constexpr std::size_t kStep = 512;

    std::size_t used() const { return static_cast<std::size_t>(at_ - out_.data()); }
    void make_room(std::size_t bytes) {
        if (static_cast<std::size_t>(end_ - at_) < bytes) {
            used_ = used();
            widen(bytes + used_ / 2 + kStep);
        }
    }
    void widen(std::size_t bytes) {
        out_.resize(used_ + bytes);
        at_ = out_.data() + used_;
        end_ = out_.data() + out_.size();
    }

    std::string& out_;
    std::size_t used_;
    char* at_ = nullptr;
    const char* end_ = nullptr;
};

void write(Sink& out, ValueView value);

void write_text(Sink& out, std::string_view text, bool escape) {
    if (escape) {
        out.pass_on([text](std::string& to) { append_json_string(to, text); });
    } else {
        out.quote(text);
    }
}

void write_binary(Sink& out, std::string_view bytes) {
    out.put('"');
    out.pass_on([bytes](std::string& to) { append_base64(to, bytes); });
    out.put('"');
}

void write_members(Sink& out, ValueView set) {
    const bool binary = set.type() == Type::kBinarySet;
    const bool escape = set.needs_escape();
    char before = '[';
    for (const auto member : set.members()) {
        out.put(std::exchange(before, ','));
        binary ? write_binary(out, member) : write_text(out, member, escape);
    }
    out.put(']');
}

void write_list(Sink& out, ValueView list) {
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

void write_map(Sink& out, ValueView map) {
    char before = '{';
    for (const auto& [name, value] : map.entries()) {
        out.put(std::exchange(before, ','));
        write_text(out, name, needs_json_escape(name));
        out.put(':');
        write(out, value);
    }
    if (before == '{') {
        out.put('{');
    }
    out.put('}');
}

void write(Sink& out, ValueView value) {
    switch (value.type()) {
        case Type::kString:
            out.put("{\"S\":");
            write_text(out, value.text(), value.needs_escape());
            break;
        case Type::kNumber:
            out.put("{\"N\":");
            out.quote(value.text());
            break;
        case Type::kBinary:
            out.put("{\"B\":");
            write_binary(out, value.text());
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

// Names and types take about as much again as a small value.
std::size_t expected_bytes(ValueView value) {
    const auto bytes = value.bytes().size();
    return bytes + bytes / 4 + 256;
}

}  // namespace

void append_json(std::string& out, ValueView value) {
    Sink sink(out, expected_bytes(value));
    write(sink, value);
}

void append_json_map(std::string& out, ValueView map) {
    Sink sink(out, expected_bytes(map));
    write_map(sink, map);
}

}  // namespace gateleg::value

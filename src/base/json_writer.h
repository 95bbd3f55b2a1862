// Appends JSON text to a string. The caller keeps begin/end balanced; commas are placed here.

#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace gateleg {

// `text` with its quotes and the escapes JSON asks for. `text` is UTF-8.
void append_json_string(std::string& out, std::string_view text);

// True if `text` holds a character that JSON must escape.
bool needs_json_escape(std::string_view text);

class JsonWriter {
public:
    explicit JsonWriter(std::string& out) : out_(out) {}

    void begin_object() { open('{'); }
    void end_object() { close('}'); }
    void begin_array() { open('['); }
    void end_array() { close(']'); }

    void key(std::string_view name) {
        separate();
        append_json_string(out_, name);
        out_.push_back(':');
        after_key_ = true;
    }
    void string(std::string_view text) {
        separate();
        append_json_string(out_, text);
    }
    // A value that is JSON already: a number, true, false, null or a whole document.
    void raw(std::string_view json) {
        separate();
        out_.append(json);
    }
    template <std::integral Integer>
    requires(!std::same_as<Integer, bool>) void number(Integer value) {
        raw(std::to_string(value));
    }
    void number(double value);
    void boolean(bool value) { raw(value ? "true" : "false"); }

    void member(std::string_view name, std::string_view text) {
        key(name);
        string(text);
    }
    void member(std::string_view name, const char* text) { member(name, std::string_view(text)); }
    void member(std::string_view name, const std::string& text) {
        member(name, std::string_view(text));
    }
    template <class Number>
    requires std::is_arithmetic_v<Number> &&
        (!std::same_as<Number, bool>)void member(std::string_view name, Number value) {
        key(name);
        number(value);
    }
    void member(std::string_view name, bool value) {
        key(name);
        boolean(value);
    }

    // For writers that append a value to the text themselves: places the comma it needs first.
    std::string& value_sink() {
        separate();
        return out_;
    }

private:
    void open(char bracket) {
        separate();
        out_.push_back(bracket);
        first_ = true;
    }
    void close(char bracket) {
        out_.push_back(bracket);
        first_ = false;
    }
    void separate() {
        if (after_key_) {
            after_key_ = false;
        } else if (!first_) {
            out_.push_back(',');
        }
        first_ = false;
    }

    std::string& out_;
    bool first_ = true;
    bool after_key_ = false;
};

}  // namespace gateleg

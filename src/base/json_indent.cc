#include "base/json_indent.h"

#include <cstddef>

namespace gateleg {
namespace {

// Where the string that starts at `at` ends, behind its quote.
std::size_t string_end(std::string_view json, std::size_t at) {
    for (++at; at < json.size() && json[at] != '"'; ++at) {
        at += json[at] == '\\' ? 1 : 0;
    }
    return at < json.size() ? at + 1 : json.size();
}

}  // namespace

std::string indent_json(std::string_view json) {
    constexpr std::size_t kStep = 2;
    std::string out;
    std::size_t level = 0;
    const auto new_line = [&] { out.append("\n").append(level * kStep, ' '); };
    for (std::size_t at = 0; at < json.size();) {
        const char c = json[at];
        if (c == '"') {
            const auto end = string_end(json, at);
            out.append(json.substr(at, end - at));
            at = end;
            continue;
        }
        ++at;
        if (c == '{' || c == '[') {
            out.push_back(c);
            const char closing = c == '{' ? '}' : ']';
            if (at < json.size() && json[at] == closing) {
                out.push_back(closing);
                ++at;
            } else {
                ++level;
                new_line();
            }
        } else if (c == '}' || c == ']') {
            level -= level > 0 ? 1 : 0;
            new_line();
            out.push_back(c);
        } else if (c == ',') {
            out.push_back(c);
            new_line();
        } else if (c == ':') {
            out.append(": ");
        } else {
            out.push_back(c);
        }
    }
    out.push_back('\n');
    return out;
}

}  // namespace gateleg

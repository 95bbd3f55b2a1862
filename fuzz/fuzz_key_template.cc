// The first line is a template, the rest a key.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/key_template.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gateleg;  // NOLINT: one file, no header
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto line = std::min(text.find('\n'), text.size());
    const auto parsed = model::KeyTemplate::parse(text.substr(0, line));
    if (!parsed) {
        return 0;
    }
    const auto key = text.substr(std::min(line + 1, text.size()));
    const auto values = parsed->parse_key(key);
    if (!values) {
        return 0;
    }
    (void)parsed->condition(*values);
    (void)parsed->condition({});
    const auto variables = parsed->variables();
    const bool plain = std::all_of(variables.begin(), variables.end(), [](const auto* variable) {
        return std::holds_alternative<std::monostate>(variable->format) &&
               variable->name != "shard";
    });
    // A key that is understood is the key its values make.
    const auto again = parsed->render(*values);
    if (plain && again && *again && **again != key) {
        std::abort();
    }
    return 0;
}

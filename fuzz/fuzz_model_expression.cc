// The input is an expression of the model language.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "model/expression.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gateleg::model;  // NOLINT: one file, no header
    std::optional<SyntaxError> error;
    const auto parsed =
        parse_expression({reinterpret_cast<const char*>(data), size}, Position{1, 1}, error);
    // Either a tree or a reason.
    if (!error && !parsed.root) {
        std::abort();
    }
    return 0;
}

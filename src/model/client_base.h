// The parts of generated clients that are the same for every model. Used by the generators only.

#pragma once

#include <string_view>

namespace gateleg::model {

// Errors, pages, retries: what the calls of a TypeScript client stand on.
extern const std::string_view kTypeScriptBase;
// Names it declares at the top level.
extern const std::string_view kTypeScriptNames;
// JSON, transport and errors of a C++ client; stands inside the client's namespace.
extern const std::string_view kCppBase;

}  // namespace gateleg::model

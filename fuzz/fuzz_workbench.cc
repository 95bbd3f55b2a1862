// The input is a data model of NoSQL Workbench. Whatever it holds, the draft is YAML that loads
// as such.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/load.h"
#include "model/workbench_import.h"
#include "model/yaml_loader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gateleg::model;  // NOLINT: one file, no header
    const auto draft = import_workbench({reinterpret_cast<const char*>(data), size}, "");
    if (!draft || draft->yaml.size() > kMaxModelBytes) {
        return 0;
    }
    Diagnostics found("draft");
    const auto model = load_model(draft->yaml, found);
    if (found.contains("Y01")) {
        std::abort();
    }
    return 0;
}

// The input is a model file: loaded, checked, and if it is sound, everything made from it.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/check.h"
#include "model/client_cpp.h"
#include "model/client_typescript.h"
#include "model/load.h"
#include "model/markdown.h"
#include "model/openapi.h"
#include "model/table_export.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gateleg::model;  // NOLINT: one file, no header
    Diagnostics found("fuzz");
    const auto model = load_model({reinterpret_cast<const char*>(data), size}, found);
    if (model && !found.has_errors()) {
        check_model(*model, found);
    }
    (void)found.to_text();
    if (model && !found.has_errors()) {
        (void)to_markdown(*model);
        (void)render_openapi({model.get()});
        (void)to_typescript(*model);
        (void)to_cpp(*model);
        (void)to_terraform(*model);
        (void)to_workbench(*model);
    }
    return 0;
}

#include "cli/draft.h"

#include <cstdio>

#include "cli/load_model.h"
#include "model/check.h"
#include "model/load.h"

namespace gateleg::cli {

void print_draft(const std::string& yaml, const std::vector<std::string>& notes) {
    std::fwrite(yaml.data(), 1, yaml.size(), stdout);
    for (const auto& note : notes) {
        std::fprintf(stderr, "note: %s\n", note.c_str());
    }
    model::Diagnostics found("draft");
    const auto loaded = model::load_model(yaml, found);
    if (loaded && !found.has_errors()) {
        model::check_model(*loaded, found);
    }
    if (found.has_errors()) {
        std::fprintf(stderr, "The draft needs your hand before it can be served:\n");
        print_errors(found, "draft");
    }
}

}  // namespace gateleg::cli

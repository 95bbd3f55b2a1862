// The input is a data model of NoSQL Workbench. Whatever it holds, the draft is YAML that loads
// as such; and a model that is sound stays the same table when it is exported and drafted again.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "model/load.h"
#include "model/table_export.h"
#include "model/workbench_file.h"
#include "model/workbench_import.h"
#include "model/yaml_loader.h"

namespace {

using namespace gateleg::model;  // NOLINT: one file, no header

std::unique_ptr<Model> load_draft(const WorkbenchDraft& draft) {
    if (draft.yaml.size() > kMaxModelBytes) {
        return nullptr;
    }
    Diagnostics found("draft");
    auto model = load_model(draft.yaml, found);
    GATELEG_CHECK(!found.contains("Y01"));
    return found.has_errors() ? nullptr : std::move(model);
}

void check_draft(const WorkbenchDraft& draft) {
    const auto model = load_draft(draft);
    if (!model) {
        return;
    }
    const auto again = import_workbench(to_workbench(*model), "");
    GATELEG_CHECK(again.has_value());
    if (const auto copy = load_draft(*again)) {
        GATELEG_CHECK(to_create_table_json(copy->table) == to_create_table_json(model->table));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view json(reinterpret_cast<const char*>(data), size);
    const auto tables = read_workbench(json);
    const auto only = import_workbench(json, "");
    GATELEG_CHECK(only.has_value() == (tables && tables->size() == 1));
    GATELEG_CHECK(!import_workbench(json, std::string_view("\0", 1)));
    if (!tables) {
        return 0;
    }
    for (const auto& table : *tables) {
        const auto draft = import_workbench(json, table.name);
        GATELEG_CHECK(draft.has_value());
        check_draft(*draft);
    }
    return 0;
}

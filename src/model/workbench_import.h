// From a data model of NoSQL Workbench to a model file to start from.
//
// Workbench knows tables, indexes, facets and sample items, but neither templates nor operations:
// facets become entities, and templates are guessed from the aliases of their keys and from the
// samples.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gateleg::model {

struct WorkbenchDraft {
    std::string yaml;
    // What could not be carried over, a sentence each.
    std::vector<std::string> notes;
};

// `table` picks one of several; it may be empty when there is only one.
Result<WorkbenchDraft> import_workbench(std::string_view json, std::string_view table);

}  // namespace gateleg::model

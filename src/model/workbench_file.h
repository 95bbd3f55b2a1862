// What a file of NoSQL Workbench says, as plain structs. Used by workbench_import.cc only.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gateleg::model {

struct WorkbenchKey {
    std::string name;
    std::string type;  // S, N or B
};
struct WorkbenchKeys {
    WorkbenchKey partition;
    std::optional<WorkbenchKey> sort;
};
struct WorkbenchIndex {
    std::string name;
    WorkbenchKeys keys;
    std::string projection;  // ALL, KEYS_ONLY or INCLUDE
    std::vector<std::string> included;
};
// Attributes of a sample that are text or numbers, as text; of others only the name counts.
using WorkbenchSample = std::map<std::string, std::string, std::less<>>;
struct WorkbenchFacet {
    std::string name;
    std::string partition_alias;
    std::string sort_alias;
    std::vector<std::string> attributes;
    std::vector<WorkbenchSample> samples;
};
struct WorkbenchTable {
    std::string name;
    WorkbenchKeys keys;
    std::map<std::string, std::string, std::less<>> types;  // of the attributes beside the key
    std::vector<WorkbenchFacet> facets;  // one for the whole table if the file has none
    std::vector<WorkbenchIndex> indexes;
};

// Every table; fails when the text is no such file. Samples of the table are given to the facets
// they fit.
Result<std::vector<WorkbenchTable>> read_workbench(std::string_view json);

}  // namespace gateleg::model

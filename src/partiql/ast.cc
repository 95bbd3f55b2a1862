#include "partiql/ast.h"

namespace gateleg::partiql {

std::string column_name(const Path& path) {
    std::string name;
    for (const auto& step : path.steps) {
        if (step.is_index) {
            name += "[" + std::to_string(step.index) + "]";
        } else {
            name = step.name;
        }
    }
    return name;
}

}  // namespace gateleg::partiql

// D01: a design document and its model name the same access patterns.
//
// Rows of the document's Markdown tables are known by ids such as AP-07 in their first cell; a
// pattern says with `doc` which of them it serves.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/diagnostics.h"
#include "model/schema.h"

namespace gateleg::model {

struct DesignRow {
    std::string id;     // as it is written
    std::string index;  // of a column called Index; empty if there is none
    int line = 0;
};

// Ids in a text: letters, '-', letters or none, digits.
std::vector<std::string> design_ids(std::string_view text);
std::vector<DesignRow> read_design_rows(std::string_view markdown);

// Findings about the model go to `diagnostics`, those about the document to `document`.
void check_document(
    const Model& model,
    const std::vector<DesignRow>& rows,
    Diagnostics& diagnostics,
    Diagnostics& document
);

}  // namespace gateleg::model

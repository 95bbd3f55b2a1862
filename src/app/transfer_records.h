// The jobs of transfer_jobs.h as text, for the file that keeps them.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dynamo/transfers.h"

namespace gateleg::app {

struct TransferRecords {
    std::vector<dynamo::ExportDescription> exports;
    std::vector<dynamo::ImportDescription> imports;
};

std::string render_records(
    const std::vector<dynamo::ExportDescription>& exports,
    const std::vector<dynamo::ImportDescription>& imports
);
Result<TransferRecords> parse_records(std::string_view text);

}  // namespace gateleg::app

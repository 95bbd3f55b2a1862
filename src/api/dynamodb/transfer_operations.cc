#include "api/dynamodb/transfer_operations.h"

#include <array>

#include "api/dynamodb/transfers_wire.h"

namespace gateleg::api::dynamodb {
namespace {

using dynamo::Transfers;

using enum auth::Action;

constexpr std::array kOperations = {
    TransferOperation{
        "DescribeExport",
        {kRead, touches::export_arn},
        &run_service<dynamo::DescribeExportRequest, &Transfers::describe_export, write_reply>},
    TransferOperation{
        "DescribeImport",
        {kRead, touches::import_arn},
        &run_service<dynamo::DescribeImportRequest, &Transfers::describe_import, write_reply>},
    TransferOperation{
        "ExportTableToPointInTime",
        {kAdmin, touches::exporting, true},
        &run_service<dynamo::ExportTableRequest, &Transfers::export_table, write_reply>},
    TransferOperation{
        "ImportTable",
        {kAdmin, touches::importing, true},
        &run_service<dynamo::ImportTableRequest, &Transfers::import_table, write_reply>},
    TransferOperation{
        "ListExports",
        {kRead, touches::table_arn},
        &run_service<dynamo::ListExportsRequest, &Transfers::list_exports, write_reply>},
    TransferOperation{
        "ListImports",
        {kRead, touches::table_arn},
        &run_service<dynamo::ListImportsRequest, &Transfers::list_imports, write_reply>},
};

}  // namespace

const TransferOperation* find_transfer_operation(std::string_view name) {
    return find_among(kOperations, name);
}

}  // namespace gateleg::api::dynamodb

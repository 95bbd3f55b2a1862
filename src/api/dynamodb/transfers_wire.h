// Exports to S3 and imports from it on the wire: from JSON to their types, and back.

#pragma once

#include <string>

#include "api/dynamodb/wire_reader.h"
#include "base/result.h"
#include "dynamo/transfers.h"

namespace gateleg::api::dynamodb {

// As in read_request.h.
Result<void> read_request(const Fields& in, dynamo::ExportTableRequest& request);
Result<void> read_request(const Fields& in, dynamo::DescribeExportRequest& request);
Result<void> read_request(const Fields& in, dynamo::ListExportsRequest& request);
Result<void> read_request(const Fields& in, dynamo::ImportTableRequest& request);
Result<void> read_request(const Fields& in, dynamo::DescribeImportRequest& request);
Result<void> read_request(const Fields& in, dynamo::ListImportsRequest& request);

// As in write_reply.h.
void write_reply(std::string& out, const dynamo::ExportDescription& reply);
void write_reply(std::string& out, const dynamo::ListExportsReply& reply);
void write_reply(std::string& out, const dynamo::ImportDescription& reply);
void write_reply(std::string& out, const dynamo::ListImportsReply& reply);

}  // namespace gateleg::api::dynamodb

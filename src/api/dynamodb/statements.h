// The PartiQL operations on the wire: from JSON to their types, and back.

#pragma once

#include <string>
#include <string_view>

#include "api/dynamodb/wire_reader.h"
#include "base/error.h"
#include "base/result.h"
#include "partiql/requests.h"

namespace gateleg::api::dynamodb {

Result<void> read_request(const Fields& in, partiql::ExecuteStatementRequest& request);
Result<void> read_request(const Fields& in, partiql::BatchExecuteStatementRequest& request);
Result<void> read_request(const Fields& in, partiql::ExecuteTransactionRequest& request);

void write_reply(std::string& out, const partiql::ExecuteStatementReply& reply);
void write_reply(std::string& out, const partiql::BatchExecuteStatementReply& reply);
void write_reply(std::string& out, const partiql::ExecuteTransactionReply& reply);

// The code of a statement that failed in a batch: "ConditionalCheckFailed".
std::string_view statement_error_code(const Error& error);

}  // namespace gateleg::api::dynamodb

// Runs PartiQL on whoever answers the DynamoDB API.
//
// Each call answers exactly once, perhaps on another thread and perhaps before it returns, as calls
// of Dynamo do. `dynamo` must outlive the answer. Thread-safe.

#pragma once

#include <string_view>

#include "dynamo/dynamo.h"
#include "partiql/requests.h"

namespace gateleg::partiql {

void execute_statement(
    dynamo::Dynamo& dynamo,
    ExecuteStatementRequest request,
    dynamo::Done<ExecuteStatementRequest> done
);
void batch_execute_statement(
    dynamo::Dynamo& dynamo,
    BatchExecuteStatementRequest request,
    dynamo::Done<BatchExecuteStatementRequest> done
);
void execute_transaction(
    dynamo::Dynamo& dynamo,
    ExecuteTransactionRequest request,
    dynamo::Done<ExecuteTransactionRequest> done
);

// Whether the statement is a SELECT, by its first word.
bool only_reads(std::string_view statement);

}  // namespace gateleg::partiql

// The requests and replies of the PartiQL operations as types, named as AWS names them.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "dynamo/replies.h"
#include "dynamo/requests.h"
#include "partiql/literal.h"

namespace gateleg::partiql {

// A statement's text and what its ? stand for.
struct ParameterizedStatement {
    std::string text;
    Parameters parameters;
    // A parameter that is no value DynamoDB can hold; told when the statement is run, for in a
    // batch it fails its own statement only.
    std::optional<Error> parameter_error;
    bool consistent_read = false;
    bool return_old_on_failure = false;
};

struct ExecuteStatementReply {
    dynamo::ItemBuffer items;
    std::optional<std::string> next_token;
    std::optional<value::EncodedItem> last_evaluated_key;
    std::optional<dynamo::ConsumedCapacity> capacity;
};

struct ExecuteStatementRequest {
    using Reply = ExecuteStatementReply;
    ParameterizedStatement statement;
    std::optional<std::string> next_token;
    std::optional<std::int64_t> limit;
    dynamo::ReturnCapacity return_capacity = dynamo::ReturnCapacity::kNone;
};

struct BatchExecuteStatementReply {
    struct Response {
        std::optional<Error> error;
        // The table of a statement that came as far as to be run.
        std::optional<std::string> table;
        std::optional<value::EncodedItem> item;
    };
    std::vector<Response> responses;
    std::vector<dynamo::ConsumedCapacity> capacity;
};

struct BatchExecuteStatementRequest {
    using Reply = BatchExecuteStatementReply;
    std::vector<ParameterizedStatement> statements;
    dynamo::ReturnCapacity return_capacity = dynamo::ReturnCapacity::kNone;
};

struct ExecuteTransactionReply {
    // Of a transaction of reads, one each.
    std::vector<std::optional<value::EncodedItem>> items;
    std::vector<dynamo::ConsumedCapacity> capacity;
};

struct ExecuteTransactionRequest {
    using Reply = ExecuteTransactionReply;
    std::vector<ParameterizedStatement> statements;
    std::optional<std::string> client_request_token;
    // Tells a repeated request from another one under the same token.
    std::uint64_t content_hash = 0;
    dynamo::ReturnCapacity return_capacity = dynamo::ReturnCapacity::kNone;
};

}  // namespace gateleg::partiql

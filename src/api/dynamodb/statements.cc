#include "api/dynamodb/statements.h"

#include <algorithm>

#include "api/dynamodb/read_request.h"
#include "api/dynamodb/write_parts.h"
#include "base/hash.h"
#include "base/json_writer.h"
#include "dynamo/named_error.h"
#include "partiql/execute.h"
#include "value/attribute_value.h"

namespace gateleg::api::dynamodb {
namespace {

using partiql::ParameterizedStatement;

constexpr std::size_t kMaxStatementLength = 8192;
constexpr std::size_t kMaxBatchStatements = 25;
constexpr std::size_t kMaxTransactStatements = 100;
constexpr std::size_t kMaxTokenLength = 36;
constexpr std::size_t kMaxNextTokenLength = 32768;

void read_parameters(const Fields& in, ParameterizedStatement& statement) {
    const auto list = in.list("Parameters");
    if (!list) {
        return;
    }
    if (list->size() == 0) {
        in.problems().constraint(
            "[]", in.path_of("Parameters"), "Member must have length greater than or equal to 1"
        );
    }
    for (const auto json : *list) {
        std::string bytes;
        if (auto read = value::append_value(bytes, json); !read) {
            if (read.error().code == ErrorCode::kSerialization) {
                in.problems().serialization(read.error().message);
            }
            statement.parameter_error = std::move(read).error();
            return;
        }
        statement.parameters.push_back(value::decode(value::ValueView(bytes.data())));
    }
}

ParameterizedStatement read_statement(const Fields& in) {
    ParameterizedStatement statement;
    statement.text = in.required_text("Statement", 1, kMaxStatementLength);
    read_parameters(in, statement);
    statement.consistent_read = in.boolean("ConsistentRead").value_or(false);
    statement.return_old_on_failure = read_return_old_on_failure(in);
    return statement;
}

std::vector<ParameterizedStatement> read_statements(
    const Fields& in, std::string_view name, std::size_t max
) {
    std::vector<ParameterizedStatement> statements;
    const auto list = in.list(name);
    if (!list) {
        in.problems().constraint_on_null(in.path_of(name));
    } else if (list->size() == 0 || list->size() > max) {
        in.problems().constraint(
            simdjson::minify(*in.find(name)),
            in.path_of(name),
            list->size() == 0
                ? "Member must have length greater than or equal to 1"
                : "Member must have length less than or equal to " + std::to_string(max)
        );
    } else {
        for (const auto& each : in.objects(name)) {
            statements.push_back(read_statement(each));
        }
    }
    return statements;
}

}  // namespace

Result<void> read_request(const Fields& in, partiql::ExecuteStatementRequest& request) {
    request.statement = read_statement(in);
    request.return_capacity = read_return_capacity(in);
    request.limit = in.integer("Limit");
    in.check_range("Limit", 1);
    if (in.has("NextToken")) {
        request.next_token = in.required_text("NextToken", 1, kMaxNextTokenLength);
    }
    return in.problems().check();
}

Result<void> read_request(const Fields& in, partiql::BatchExecuteStatementRequest& request) {
    request.statements = read_statements(in, "Statements", kMaxBatchStatements);
    request.return_capacity = read_return_capacity(in);
    return in.problems().check();
}

Result<void> read_request(const Fields& in, partiql::ExecuteTransactionRequest& request) {
    request.statements = read_statements(in, "TransactStatements", kMaxTransactStatements);
    request.return_capacity = read_return_capacity(in);
    if (in.has("ClientRequestToken")) {
        request.client_request_token = in.required_text("ClientRequestToken", 1, kMaxTokenLength);
    }
    GATELEG_TRY(in.problems().check());
    if (request.client_request_token) {
        request.content_hash = hash64(simdjson::minify(*in.find("TransactStatements")));
    }
    return {};
}

void write_reply(std::string& out, const partiql::ExecuteStatementReply& reply) {
    JsonWriter json(out);
    json.begin_object();
    json.key("Items");
    write_items(json, reply.items);
    if (reply.next_token) {
        json.member("NextToken", *reply.next_token);
    }
    if (reply.last_evaluated_key) {
        json.key("LastEvaluatedKey");
        write_item(json, reply.last_evaluated_key->view());
    }
    write_capacity_member(json, reply.capacity);
    json.end_object();
}

void write_reply(std::string& out, const partiql::BatchExecuteStatementReply& reply) {
    JsonWriter json(out);
    json.begin_object();
    json.key("Responses");
    json.begin_array();
    for (const auto& response : reply.responses) {
        json.begin_object();
        if (response.error) {
            json.key("Error");
            json.begin_object();
            json.member("Code", statement_error_code(*response.error));
            json.member("Message", response.error->message);
            json.end_object();
        }
        if (response.table) {
            json.member("TableName", *response.table);
        }
        if (response.item) {
            json.key("Item");
            write_item(json, response.item->view());
        }
        json.end_object();
    }
    json.end_array();
    write_capacity_member(json, reply.capacity);
    json.end_object();
}

void write_reply(std::string& out, const partiql::ExecuteTransactionReply& reply) {
    write_responses(out, reply.items, reply.capacity);
}

std::string_view statement_error_code(const Error& error) {
    if (dynamo::name_of(error) == "DuplicateItemException") {
        return "DuplicateItem";
    }
    switch (error.code) {
        case ErrorCode::kAccessDenied:
            return "AccessDenied";
        case ErrorCode::kConditionalCheckFailed:
            return "ConditionalCheckFailed";
        case ErrorCode::kItemCollectionSizeLimitExceeded:
            return "ItemCollectionSizeLimitExceeded";
        case ErrorCode::kResourceNotFound:
            return "ResourceNotFound";
        case ErrorCode::kServiceUnavailable:
        case ErrorCode::kThrottling:
            return "ThrottlingError";
        case ErrorCode::kTransactionConflict:
            return "TransactionConflict";
        case ErrorCode::kValidation:
            return "ValidationError";
        default:
            return "InternalServerError";
    }
}

}  // namespace gateleg::api::dynamodb

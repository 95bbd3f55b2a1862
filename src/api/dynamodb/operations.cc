#include "api/dynamodb/operations.h"

#include <algorithm>
#include <array>
#include <memory>

#include "api/dynamodb/legacy.h"
#include "api/dynamodb/parse_body.h"
#include "api/dynamodb/read_request.h"
#include "api/dynamodb/respond.h"
#include "api/dynamodb/service_operation.h"
#include "api/dynamodb/statements.h"
#include "api/dynamodb/table_arns.h"
#include "api/dynamodb/write_reply.h"
#include "base/json_writer.h"
#include "partiql/execute.h"

namespace gateleg::api::dynamodb {
namespace {

using dynamo::Dynamo;

// Whether the errors that the request may still meet have to be told in legacy words.
bool speaks_legacy(const Fields& in, const dynamo::UpdateItemRequest& /*request*/) {
    return in.has("AttributeUpdates");
}
bool speaks_legacy(const Fields& in, const dynamo::QueryRequest& /*request*/) {
    return in.has("QueryFilter") || in.has("AttributesToGet");
}
bool speaks_legacy(const Fields& in, const dynamo::ScanRequest& /*request*/) {
    return in.has("AttributesToGet");
}
template <class Request>
bool speaks_legacy(const Fields& /*in*/, const Request& /*request*/) {
    return false;
}

// What of a request's spelling its reply has to keep.
struct Spelling {
    bool legacy = false;
    std::unique_ptr<const TableArns> arns;  // if there are any
};

// Whether the reply names tables.
template <class Request>
bool shows_tables(const Request& request) {
    if constexpr (requires { request.tables; }) {
        return true;
    } else if constexpr (requires { request.options.return_capacity; }) {
        return request.options.return_capacity != dynamo::ReturnCapacity::kNone;
    } else if constexpr (requires { request.page.return_capacity; }) {
        return request.page.return_capacity != dynamo::ReturnCapacity::kNone;
    } else if constexpr (requires { request.return_capacity; }) {
        return request.return_capacity != dynamo::ReturnCapacity::kNone;
    } else {
        return false;
    }
}

template <class Request>
Result<void> read_body(std::string_view body, Request& request, Spelling& spelling) {
    return parse_body(body, [&](dom::element root) -> Result<void> {
        Problems problems;
        const Fields in(problems, root);
        spelling.legacy = speaks_legacy(in, request);
        GATELEG_TRY(read_request(in, request));
        if (shows_tables(request)) {
            if (auto arns = arns_given(root); !arns.empty()) {
                spelling.arns = std::make_unique<const TableArns>(std::move(arns));
            }
        }
        return {};
    });
}

template <class Request>
using Call = void (Dynamo::*)(Request, dynamo::Done<Request>);

template <class Reply>
using Write = void (*)(std::string&, const Reply&);

// Reads the body, has `start` make the call, and answers with what `write` makes of the reply.
template <class Request, class Start>
void read_and_run(
    std::string_view body,
    http::Exchange exchange,
    Start start,
    Write<typename Request::Reply> write
) {
    using Reply = typename Request::Reply;
    Request request;
    Spelling spelling;
    if (auto read = read_body(body, request, spelling); !read) {
        respond_error(std::move(exchange), read.error());
        return;
    }
    note_table(exchange.trace().table, request);
    exchange.trace().end(http::Stage::kParse);
    start(
        std::move(request),
        [exchange = std::move(exchange), spelling = std::move(spelling), write](Result<Reply> reply
        ) mutable {
            exchange.trace().end(http::Stage::kRun);
            if (!reply) {
                auto error = std::move(reply).error();
                respond_error(
                    std::move(exchange),
                    spelling.legacy ? in_legacy_words(std::move(error)) : std::move(error)
                );
                return;
            }
            if (spelling.arns != nullptr) {
                show_arns(*spelling.arns, *reply);
            }
            auto json = exchange.take_buffer();
            write(json, *reply);
            respond_json(std::move(exchange), std::move(json));
        }
    );
}

template <class Request, Call<Request> call, Write<typename Request::Reply> write>
void run(Dynamo& dynamo, std::string_view body, http::Exchange exchange) {
    read_and_run<Request>(
        body,
        std::move(exchange),
        [&](Request request, dynamo::Done<Request> done) {
            (dynamo.*call)(std::move(request), std::move(done));
        },
        write
    );
}

template <class Reply>
void write_any(std::string& out, const Reply& reply) {
    write_reply(out, reply);
}

template <class Request, void (*execute)(Dynamo&, Request, dynamo::Done<Request>)>
void run_statements(Dynamo& dynamo, std::string_view body, http::Exchange exchange) {
    read_and_run<Request>(
        body,
        std::move(exchange),
        [&](Request request, dynamo::Done<Request> done) {
            execute(dynamo, std::move(request), std::move(done));
        },
        write_any<typename Request::Reply>
    );
}

void write_described(std::string& out, const dynamo::TableReply& reply) {
    write_table(out, "Table", reply.table);
}
void write_changed(std::string& out, const dynamo::TableReply& reply) {
    write_table(out, "TableDescription", reply.table);
}

// Figures of a real account; nothing here is limited by them.
void describe_limits(Dynamo& /*dynamo*/, std::string_view /*body*/, http::Exchange exchange) {
    std::string out;
    JsonWriter json(out);
    json.begin_object();
    json.member("AccountMaxReadCapacityUnits", 80000);
    json.member("AccountMaxWriteCapacityUnits", 80000);
    json.member("TableMaxReadCapacityUnits", 40000);
    json.member("TableMaxWriteCapacityUnits", 40000);
    json.end_object();
    respond_json(std::move(exchange), std::move(out));
}

void describe_endpoints(Dynamo& /*dynamo*/, std::string_view /*body*/, http::Exchange exchange) {
    const auto host = exchange.request().head.find("host").value_or("localhost");
    std::string out;
    JsonWriter json(out);
    json.begin_object();
    json.key("Endpoints");
    json.begin_array();
    json.begin_object();
    json.member("Address", host);
    json.member("CachePeriodInMinutes", 1440);
    json.end_object();
    json.end_array();
    json.end_object();
    respond_json(std::move(exchange), std::move(out));
}

template <class Request, Call<Request> call>
constexpr auto kRun = &run<Request, call, write_any<typename Request::Reply>>;

using enum auth::Action;

constexpr std::array kOperations = {
    Operation{
        "BatchExecuteStatement",
        {kWrite, touches::statements, true},
        &run_statements<partiql::BatchExecuteStatementRequest, partiql::batch_execute_statement>},
    Operation{
        "BatchGetItem",
        {kRead, touches::batch},
        kRun<dynamo::BatchGetItemRequest, &Dynamo::batch_get_item>},
    Operation{
        "BatchWriteItem",
        {kWrite, touches::batch},
        kRun<dynamo::BatchWriteItemRequest, &Dynamo::batch_write_item>},
    Operation{
        "CreateTable",
        {kAdmin, touches::table},
        &run<dynamo::CreateTableRequest, &Dynamo::create_table, write_changed>},
    Operation{
        "DeleteItem",
        {kWrite, touches::table},
        kRun<dynamo::DeleteItemRequest, &Dynamo::delete_item>},
    Operation{
        "DeleteTable",
        {kAdmin, touches::table},
        &run<dynamo::DeleteTableRequest, &Dynamo::delete_table, write_changed>},
    Operation{"DescribeEndpoints", {kRead, touches::nothing}, &describe_endpoints},
    Operation{"DescribeLimits", {kRead, touches::nothing}, &describe_limits},
    Operation{
        "DescribeTable",
        {kRead, touches::table},
        &run<dynamo::DescribeTableRequest, &Dynamo::describe_table, write_described>},
    Operation{
        "DescribeTimeToLive",
        {kRead, touches::table},
        kRun<dynamo::DescribeTimeToLiveRequest, &Dynamo::describe_time_to_live>},
    Operation{
        "ExecuteStatement",
        {kWrite, touches::statement, true},
        &run_statements<partiql::ExecuteStatementRequest, partiql::execute_statement>},
    Operation{
        "ExecuteTransaction",
        {kWrite, touches::transact_statements, true},
        &run_statements<partiql::ExecuteTransactionRequest, partiql::execute_transaction>},
    Operation{"GetItem", {kRead, touches::table}, kRun<dynamo::GetItemRequest, &Dynamo::get_item>},
    Operation{
        "ListTables",
        {kRead, touches::every_table},
        kRun<dynamo::ListTablesRequest, &Dynamo::list_tables>},
    Operation{
        "ListTagsOfResource",
        {kRead, touches::resource},
        kRun<dynamo::ListTagsOfResourceRequest, &Dynamo::list_tags_of_resource>},
    Operation{"PutItem", {kWrite, touches::table}, kRun<dynamo::PutItemRequest, &Dynamo::put_item>},
    Operation{"Query", {kRead, touches::table}, kRun<dynamo::QueryRequest, &Dynamo::query>},
    Operation{"Scan", {kRead, touches::table}, kRun<dynamo::ScanRequest, &Dynamo::scan>},
    Operation{
        "TagResource",
        {kAdmin, touches::resource},
        kRun<dynamo::TagResourceRequest, &Dynamo::tag_resource>},
    Operation{
        "TransactGetItems",
        {kRead, touches::transaction},
        kRun<dynamo::TransactGetItemsRequest, &Dynamo::transact_get_items>},
    Operation{
        "TransactWriteItems",
        {kWrite, touches::transaction, true},
        kRun<dynamo::TransactWriteItemsRequest, &Dynamo::transact_write_items>},
    Operation{
        "UntagResource",
        {kAdmin, touches::resource},
        kRun<dynamo::UntagResourceRequest, &Dynamo::untag_resource>},
    Operation{
        "UpdateItem",
        {kWrite, touches::table},
        kRun<dynamo::UpdateItemRequest, &Dynamo::update_item>},
    Operation{
        "UpdateTable",
        {kAdmin, touches::table},
        &run<dynamo::UpdateTableRequest, &Dynamo::update_table, write_changed>},
    Operation{
        "UpdateTimeToLive",
        {kAdmin, touches::table},
        kRun<dynamo::UpdateTimeToLiveRequest, &Dynamo::update_time_to_live>},
};

}  // namespace

const Operation* find_operation(std::string_view name) {
    static_assert(std::is_sorted(
        kOperations.begin(),
        kOperations.end(),
        [](const Operation& left, const Operation& right) { return left.name < right.name; }
    ));
    const auto found = std::lower_bound(
        kOperations.begin(),
        kOperations.end(),
        name,
        [](const Operation& operation, std::string_view wanted) { return operation.name < wanted; }
    );
    return found == kOperations.end() || found->name != name ? nullptr : &*found;
}

}  // namespace gateleg::api::dynamodb

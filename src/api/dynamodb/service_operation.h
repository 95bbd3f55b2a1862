// Operations that an interface beside Dynamo answers (streams, backups, settings of tables,
// transfers): what one is, how it is found by its name, and how it is run.

#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "api/dynamodb/parse_body.h"
#include "api/dynamodb/policy.h"
#include "api/dynamodb/respond.h"
#include "dynamo/dynamo.h"
#include "http/handler.h"

namespace gateleg::api::dynamodb {

template <class Service>
struct ServiceOperation {
    std::string_view name;  // as X-Amz-Target gives it
    Policy policy;
    // As Operation::run.
    void (*run)(Service& service, std::string_view body, http::Exchange exchange) = nullptr;
};

// Null for a name that is not among them. For the few of one interface; operations.cc has many.
template <class Operations>
constexpr auto find_among(const Operations& operations, std::string_view name) {
    const auto found = std::find_if(operations.begin(), operations.end(), [&](const auto& each) {
        return each.name == name;
    });
    return found == operations.end() ? nullptr : &*found;
}

// The table a request is about, for the list of requests; none if it may name several.
template <class Request>
void note_table(std::string& table, const Request& request) {
    if constexpr (requires { request.write.table; }) {
        table = request.write.table;
    } else if constexpr (requires { request.page.table; }) {
        table = request.page.table;
    } else if constexpr (requires { table = request.table; }) {
        table = request.table;
    }
}

// Reads the body, makes the call, and answers with what `write` makes of the reply.
template <
    class Request,
    auto call,
    void (*write)(std::string&, const typename Request::Reply&),
    class Service>
void run_service(Service& service, std::string_view body, http::Exchange exchange) {
    Request request;
    const auto read = parse_body(body, [&](dom::element root) {
        Problems problems;
        return read_request(Fields(problems, root), request);
    });
    if (!read) {
        respond_error(std::move(exchange), read.error());
        return;
    }
    note_table(exchange.trace().table, request);
    exchange.trace().end(http::Stage::kParse);
    (service.*call
    )(std::move(request),
      [exchange = std::move(exchange)](Result<typename Request::Reply> reply) mutable {
          exchange.trace().end(http::Stage::kRun);
          if (!reply) {
              respond_error(std::move(exchange), reply.error());
              return;
          }
          auto json = exchange.take_buffer();
          write(json, *reply);
          respond_json(std::move(exchange), std::move(json));
      });
}

}  // namespace gateleg::api::dynamodb

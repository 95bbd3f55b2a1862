#include "api/dynamodb/stream_operations.h"

#include <algorithm>
#include <array>

#include "api/dynamodb/parse_body.h"
#include "api/dynamodb/respond.h"
#include "api/dynamodb/streams_wire.h"

namespace gateleg::api::dynamodb {
namespace {

using dynamo::Streams;

template <class Request>
using Call = void (Streams::*)(Request, dynamo::Done<Request>);

template <class Request, Call<Request> call>
void run(Streams& streams, std::string_view body, http::Exchange exchange) {
    Request request;
    const auto read = parse_body(body, [&](dom::element root) {
        Problems problems;
        return read_request(Fields(problems, root), request);
    });
    if (!read) {
        respond_error(std::move(exchange), read.error());
        return;
    }
    (streams.*call
    )(std::move(request),
      [exchange = std::move(exchange)](Result<typename Request::Reply> reply) mutable {
          if (!reply) {
              respond_error(std::move(exchange), reply.error());
              return;
          }
          auto json = exchange.take_buffer();
          write_reply(json, *reply);
          respond_json(std::move(exchange), std::move(json));
      });
}

using enum auth::Action;

constexpr std::array kOperations = {
    StreamOperation{
        "DescribeStream",
        {kRead, touches::stream},
        &run<dynamo::DescribeStreamRequest, &Streams::describe_stream>},
    StreamOperation{
        "GetRecords",
        {kRead, touches::iterator},
        &run<dynamo::GetRecordsRequest, &Streams::get_records>},
    StreamOperation{
        "GetShardIterator",
        {kRead, touches::stream},
        &run<dynamo::GetShardIteratorRequest, &Streams::get_shard_iterator>},
    StreamOperation{
        "ListStreams",
        {kRead, touches::table},
        &run<dynamo::ListStreamsRequest, &Streams::list_streams>},
};

}  // namespace

const StreamOperation* find_stream_operation(std::string_view name) {
    const auto* found = std::find_if(kOperations.begin(), kOperations.end(), [&](const auto& each) {
        return each.name == name;
    });
    return found == kOperations.end() ? nullptr : found;
}

}  // namespace gateleg::api::dynamodb

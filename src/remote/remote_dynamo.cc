#include "remote/remote_dynamo.h"

#include <algorithm>
#include <array>
#include <future>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "remote/batches.h"
#include "remote/internal/typed_call.h"

namespace gateleg::remote {
namespace {

using dynamo::Done;
using internal::CallKind;

constexpr CallKind read(std::string_view operation, std::string_view target = {}) {
    return {operation, Repeat::kHarmless, false, target};
}

constexpr CallKind write(std::string_view operation, Repeat repeat = Repeat::kHarmful) {
    return {operation, repeat, true};
}

// So that a call whose credentials must be fetched first can still keep its deadline.
CredentialsOptions limited(CredentialsOptions credentials, std::chrono::milliseconds deadline) {
    credentials.fetch_timeout = std::min(credentials.fetch_timeout, deadline / 4);
    return credentials;
}

}  // namespace

struct RemoteDynamo::Parts {
    Parts(RemoteOptions options, const Clock& clock)
        : http({
              .max_connections = options.max_connections,
              .max_queued = options.max_calls,
              .ca_file = options.ca_file,
          }),
          credentials(http, clock, limited(std::move(options.credentials), options.deadline)),
          store(
              http,
              credentials,
              clock,
              {.address = std::move(options.store),
               .deadline = options.deadline,
               .max_calls = options.max_calls}
          ) {}

    template <class Request>
    void call(CallKind kind, const Request& request, Done<Request> done) {
        internal::call_store(store, kind, request, store.deadline_from_now(), std::move(done));
    }

    HttpClient http;
    CredentialsChain credentials;
    StoreClient store;
};

RemoteDynamo::RemoteDynamo(RemoteOptions options, const Clock& real_clock)
    : parts_(std::make_unique<Parts>(std::move(options), real_clock)) {}

RemoteDynamo::~RemoteDynamo() {
    // Its callbacks use the other parts.
    parts_->http.stop();
}

Result<Capabilities> RemoteDynamo::probe() {
    // DescribeTable is there always: it shows whether the store answers at all. Without their
    // required members none of these does anything.
    constexpr std::array<std::string_view, 10> kAsked = {
        "DescribeTable",
        "BatchGetItem",
        "BatchWriteItem",
        "TransactGetItems",
        "TransactWriteItems",
        "UpdateTimeToLive",
        "DescribeTimeToLive",
        "TagResource",
        "UntagResource",
        "ListTagsOfResource"};
    std::vector<std::future<Result<void>>> answers;
    for (const auto operation : kAsked) {
        auto answer = std::make_shared<std::promise<Result<void>>>();
        answers.push_back(answer->get_future());
        parts_->store.run(
            {.operation = operation,
             .body = "{}",
             .repeat = Repeat::kHarmless,
             .writes = false,
             .deadline = parts_->store.deadline_from_now(),
             .decode = [](std::string_view /*body*/) { return Result<void>(); }},
            [answer](Result<void> result) { answer->set_value(std::move(result)); }
        );
    }
    Capabilities found;
    std::optional<Error> refusal;
    for (std::size_t i = 0; i < kAsked.size(); ++i) {
        const auto answer = answers[i].get();
        if (answer) {
            continue;
        }
        switch (answer.error().code) {
            case ErrorCode::kUnknownOperation:
                found.missing.emplace(kAsked[i]);
                break;
            case ErrorCode::kAccessDenied:
                // A policy may forbid a call that the store has; but all of them is no policy.
                refusal = i == 0 ? std::optional(answer.error()) : refusal;
                break;
            case ErrorCode::kInternal:
            case ErrorCode::kServiceUnavailable:
            case ErrorCode::kThrottling:
                return answer.error();
            default:
                break;
        }
    }
    if (refusal) {
        return *refusal;
    }
    return found;
}

void RemoteDynamo::get_item(dynamo::GetItemRequest request, Done<dynamo::GetItemRequest> done) {
    parts_->call(read("GetItem"), request, std::move(done));
}

void RemoteDynamo::put_item(dynamo::PutItemRequest request, Done<dynamo::PutItemRequest> done) {
    parts_->call(write("PutItem", repeat_of(request)), request, std::move(done));
}

void RemoteDynamo::update_item(
    dynamo::UpdateItemRequest request, Done<dynamo::UpdateItemRequest> done
) {
    parts_->call(write("UpdateItem", repeat_of(request)), request, std::move(done));
}

void RemoteDynamo::delete_item(
    dynamo::DeleteItemRequest request, Done<dynamo::DeleteItemRequest> done
) {
    parts_->call(write("DeleteItem"), request, std::move(done));
}

void RemoteDynamo::query(dynamo::QueryRequest request, Done<dynamo::QueryRequest> done) {
    parts_->call(read("Query"), request, std::move(done));
}

void RemoteDynamo::scan(dynamo::ScanRequest request, Done<dynamo::ScanRequest> done) {
    parts_->call(read("Scan"), request, std::move(done));
}

void RemoteDynamo::batch_get_item(
    dynamo::BatchGetItemRequest request, Done<dynamo::BatchGetItemRequest> done
) {
    run_batch(parts_->store, std::move(request), std::move(done));
}

void RemoteDynamo::batch_write_item(
    dynamo::BatchWriteItemRequest request, Done<dynamo::BatchWriteItemRequest> done
) {
    run_batch(parts_->store, std::move(request), std::move(done));
}

void RemoteDynamo::transact_get_items(
    dynamo::TransactGetItemsRequest request, Done<dynamo::TransactGetItemsRequest> done
) {
    parts_->call(read("TransactGetItems"), request, std::move(done));
}

void RemoteDynamo::transact_write_items(
    dynamo::TransactWriteItemsRequest request, Done<dynamo::TransactWriteItemsRequest> done
) {
    if (!request.client_request_token) {
        request.client_request_token = random_uuid();
    }
    parts_->call(write("TransactWriteItems", Repeat::kHarmless), request, std::move(done));
}

void RemoteDynamo::create_table(
    dynamo::CreateTableRequest request, Done<dynamo::CreateTableRequest> done
) {
    parts_->call(write("CreateTable"), request, std::move(done));
}

void RemoteDynamo::describe_table(
    dynamo::DescribeTableRequest request, Done<dynamo::DescribeTableRequest> done
) {
    parts_->call(read("DescribeTable"), request, std::move(done));
}

void RemoteDynamo::update_table(
    dynamo::UpdateTableRequest request, Done<dynamo::UpdateTableRequest> done
) {
    parts_->call(write("UpdateTable"), request, std::move(done));
}

void RemoteDynamo::delete_table(
    dynamo::DeleteTableRequest request, Done<dynamo::DeleteTableRequest> done
) {
    parts_->call(write("DeleteTable"), request, std::move(done));
}

void RemoteDynamo::list_tables(
    dynamo::ListTablesRequest request, Done<dynamo::ListTablesRequest> done
) {
    parts_->call(read("ListTables"), request, std::move(done));
}

void RemoteDynamo::update_time_to_live(
    dynamo::UpdateTimeToLiveRequest request, Done<dynamo::UpdateTimeToLiveRequest> done
) {
    parts_->call(write("UpdateTimeToLive"), request, std::move(done));
}

void RemoteDynamo::describe_time_to_live(
    dynamo::DescribeTimeToLiveRequest request, Done<dynamo::DescribeTimeToLiveRequest> done
) {
    parts_->call(read("DescribeTimeToLive"), request, std::move(done));
}

void RemoteDynamo::tag_resource(
    dynamo::TagResourceRequest request, Done<dynamo::TagResourceRequest> done
) {
    parts_->call(write("TagResource"), request, std::move(done));
}

void RemoteDynamo::untag_resource(
    dynamo::UntagResourceRequest request, Done<dynamo::UntagResourceRequest> done
) {
    parts_->call(write("UntagResource"), request, std::move(done));
}

void RemoteDynamo::list_tags_of_resource(
    dynamo::ListTagsOfResourceRequest request, Done<dynamo::ListTagsOfResourceRequest> done
) {
    parts_->call(read("ListTagsOfResource"), request, std::move(done));
}

void RemoteDynamo::list_streams(
    dynamo::ListStreamsRequest request, Done<dynamo::ListStreamsRequest> done
) {
    parts_->call(
        read("ListStreams", "DynamoDBStreams_20120810.ListStreams"), request, std::move(done)
    );
}

void RemoteDynamo::describe_stream(
    dynamo::DescribeStreamRequest request, Done<dynamo::DescribeStreamRequest> done
) {
    parts_->call(
        read("DescribeStream", "DynamoDBStreams_20120810.DescribeStream"), request, std::move(done)
    );
}

void RemoteDynamo::get_shard_iterator(
    dynamo::GetShardIteratorRequest request, Done<dynamo::GetShardIteratorRequest> done
) {
    parts_->call(
        read("GetShardIterator", "DynamoDBStreams_20120810.GetShardIterator"),
        request,
        std::move(done)
    );
}

void RemoteDynamo::get_records(
    dynamo::GetRecordsRequest request, Done<dynamo::GetRecordsRequest> done
) {
    parts_->call(
        read("GetRecords", "DynamoDBStreams_20120810.GetRecords"), request, std::move(done)
    );
}

void RemoteDynamo::forward(dynamo::ForwardedRequest request, Done<dynamo::ForwardedRequest> done) {
    auto reply = std::make_shared<dynamo::ForwardedReply>();
    parts_->store.run(
        {.operation = "forwarded",
         .body = std::move(request.body),
         .repeat = request.writes ? Repeat::kHarmful : Repeat::kHarmless,
         .writes = request.writes,
         .deadline = parts_->store.deadline_from_now(),
         .target = std::move(request.target),
         .decode =
             [reply](std::string_view body) {
                 reply->json = body;
                 return Result<void>();
             }},
        [reply, done = std::move(done)](Result<void> result) mutable {
            if (result) {
                done(std::move(*reply));
            } else {
                done(std::move(result).error());
            }
        }
    );
}

}  // namespace gateleg::remote

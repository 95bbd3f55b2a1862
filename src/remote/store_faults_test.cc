#include <algorithm>
#include <chrono>
#include <future>
#include <string>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/crc32.h"
#include "dynamo/named_error.h"
#include "remote/remote_dynamo.h"
#include "remote/test_calls.h"
#include "remote/test_server.h"

// RemoteDynamo against a store that fails by a script.

namespace gateleg::remote {
namespace {

using namespace std::chrono_literals;
using Then = Answer::Then;
using dynamo::Dynamo;

constexpr auto kDeadline = 1500ms;
// What a busy machine may add.
constexpr auto kGrace = 30s;

class StoreFaultsTest : public ::testing::Test {
protected:
    void start(TestServer::Script script, RemoteOptions options = {}) {
        server = std::make_unique<TestServer>(std::move(script));
        connect(server->url(), std::move(options));
    }

    void connect(const std::string& url, RemoteOptions options = {}) {
        auto address = parse_store(url);
        ASSERT_TRUE(address) << address.error().message;
        options.store = *address;
        options.deadline = deadline;
        options.credentials.access_key_id = "AKIDEXAMPLE";
        options.credentials.secret_access_key = "secret";
        options.credentials.session_token = "session";
        remote = std::make_unique<RemoteDynamo>(std::move(options), clock);
    }

    // Calls, and holds the call to its deadline.
    template <class Request>
    Result<typename Request::Reply> run(Call<Request> call, Request request) {
        const auto begin = std::chrono::steady_clock::now();
        auto reply = call_and_wait(*remote, call, std::move(request));
        took = std::chrono::steady_clock::now() - begin;
        EXPECT_LT(took, deadline + kGrace);
        return reply;
    }

    auto get() {
        return run(
            &Dynamo::get_item,
            dynamo::GetItemRequest{.table = "T", .key = item_of(R"({"pk":{"S":"a"}})")}
        );
    }
    auto put(std::optional<std::string> condition = std::nullopt) {
        return run(
            &Dynamo::put_item,
            dynamo::PutItemRequest{
                .write = {.table = "T", .condition = std::move(condition)},
                .options = {},
                .item = item_of(R"({"pk":{"S":"a"}})")}
        );
    }
    auto transact() {
        dynamo::TransactWriteItemsRequest request;
        auto& action = request.actions.emplace_back();
        action.write.table = "T";
        action.item = item_of(R"({"pk":{"S":"a"}})");
        return run(&Dynamo::transact_write_items, std::move(request));
    }

    template <class Reply>
    void expect_error(const Result<Reply>& reply, ErrorCode code, std::string_view text) {
        ASSERT_FALSE(reply);
        EXPECT_EQ(reply.error().code, code) << reply.error().message;
        EXPECT_NE(reply.error().message.find(text), std::string::npos) << reply.error().message;
    }
    template <class Reply>
    void expect_in_doubt(const Result<Reply>& reply) {
        expect_error(reply, ErrorCode::kInternal, "the store at 127.0.0.1:");
        expect_error(reply, ErrorCode::kInternal, "may or may not have been made");
    }

    SystemClock clock;
    std::chrono::milliseconds deadline = kDeadline;
    std::unique_ptr<TestServer> server;
    std::unique_ptr<RemoteDynamo> remote;
    std::chrono::steady_clock::duration took{};
};

// The first `count` requests get `bad`, later ones a good answer.
TestServer::Script failing_first(int count, Answer bad) {
    return [count, bad](const SeenRequest& /*request*/, int number) {
        return number < count ? bad : ok();
    };
}

Answer lost() {
    return {"", 0ms, Then::kReset};
}

TEST_F(StoreFaultsTest, SignedRequestCarriesTheSessionToken) {
    start(failing_first(0, {}));
    ASSERT_TRUE(get());
    const auto seen = server->seen();
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_TRUE(seen[0].has("POST / HTTP/1.1\r\n")) << seen[0].head;
    EXPECT_TRUE(seen[0].has("X-Amz-Target: DynamoDB_20120810.GetItem\r\n"));
    EXPECT_TRUE(seen[0].has("X-Amz-Security-Token: session\r\n"));
    EXPECT_TRUE(
        seen[0].has("SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target,")
    );
    EXPECT_EQ(seen[0].body, R"({"TableName":"T","Key":{"pk":{"S":"a"}}})");
}

TEST_F(StoreFaultsTest, ConnectionIsKept) {
    start(failing_first(0, {}));
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(get());
        ASSERT_TRUE(put());
    }
    for (const auto& request : server->seen()) {
        EXPECT_EQ(request.connection, 0);
    }
}

TEST_F(StoreFaultsTest, ReadsAreRepeatedThroughEveryKindOfFailure) {
    const auto body = std::string(R"({"Item":{"pk":{"S":"a"}}})");
    const auto half = http_reply(200, body).substr(0, http_reply(200, body).size() - 5);
    for (const auto& bad : {
             store_error(500, "InternalServerError"),
             store_error(503, "ServiceUnavailable"),
             store_error(400, "ThrottlingException"),
             store_error(400, "ProvisionedThroughputExceededException"),
             store_error(400, "RequestLimitExceeded"),
             Answer{http_reply(502, "<html>"), 0ms, Then::kClose},
             lost(),
             Answer{"", 0ms, Then::kClose},
             Answer{half, 0ms, Then::kClose},
             Answer{half, 0ms, Then::kReset},
             Answer{"HTTP/1.1 200 OK\r\n\r\n{\"Item\":{\"pk\"", 0ms, Then::kClose},
             Answer{http_reply(200, body, "x-amz-crc32: 1\r\n")},
             Answer{"nonsense\r\n\r\n", 0ms, Then::kClose},
         }) {
        start([&](const SeenRequest& /*request*/, int number) {
            return number < 2 ? bad : ok(body);
        });
        const auto reply = get();
        ASSERT_TRUE(reply) << reply.error().message << " after " << bad.bytes;
        EXPECT_TRUE(reply->item);
        EXPECT_EQ(server->count(), 3U) << bad.bytes;
        remote.reset();
    }
}

TEST_F(StoreFaultsTest, RightChecksumIsAccepted) {
    start([](const SeenRequest& /*request*/, int /*number*/) {
        return Answer{
            http_reply(200, "{}", "x-amz-crc32: " + std::to_string(crc32("{}")) + "\r\n")};
    });
    EXPECT_TRUE(put());
    EXPECT_EQ(server->count(), 1U);
}

TEST_F(StoreFaultsTest, WriteIsNotRepeatedWhenItsOutcomeIsUnknown) {
    for (const auto& bad : {
             lost(),
             Answer{"", 0ms, Then::kClose},
             Answer{http_reply(200, "{}").substr(0, 30), 0ms, Then::kClose},
             Answer{http_reply(200, "{\"Attri")},
             Answer{http_reply(200, "{}", "x-amz-crc32: 1\r\n")},
             store_error(500, "InternalServerError"),
             Answer{http_reply(504, "")},
         }) {
        start(failing_first(1, bad));
        expect_in_doubt(put());
        EXPECT_EQ(server->count(), 1U) << bad.bytes;
        remote.reset();
    }
}

TEST_F(StoreFaultsTest, WriteIsNotRepeatedOnAKeptConnectionThatDies) {
    // libcurl by itself would send it again here.
    start([](const SeenRequest& /*request*/, int number) { return number == 0 ? ok() : lost(); });
    ASSERT_TRUE(put());
    expect_in_doubt(put());
    const auto seen = server->seen();
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[1].connection, 0);
}

TEST_F(StoreFaultsTest, WriteIsRepeatedWhenTheStoreHasRefusedIt) {
    for (const auto* type :
         {"ThrottlingException",
          "ProvisionedThroughputExceededException",
          "RequestLimitExceeded"}) {
        start(failing_first(3, store_error(400, type)));
        EXPECT_TRUE(put());
        EXPECT_EQ(server->count(), 4U);
        remote.reset();
    }
}

TEST_F(StoreFaultsTest, PutIfAbsentIsRepeated) {
    start(failing_first(1, lost()));
    EXPECT_TRUE(put("attribute_not_exists(pk)"));
    EXPECT_EQ(server->count(), 2U);
}

TEST_F(StoreFaultsTest, PutIfAbsentDoesNotTakeItsOwnFirstRunForAnother) {
    start([](const SeenRequest& /*request*/, int number) {
        return number == 0 ? lost() : store_error(400, "ConditionalCheckFailedException");
    });
    expect_in_doubt(put("attribute_not_exists(pk)"));
    EXPECT_EQ(server->count(), 2U);
}

TEST_F(StoreFaultsTest, FailedConditionComesThrough) {
    start([](const SeenRequest& /*request*/, int /*number*/) {
        return store_error(
            400, "ConditionalCheckFailedException", "The conditional request failed"
        );
    });
    expect_error(
        put("attribute_not_exists(pk)"),
        ErrorCode::kConditionalCheckFailed,
        "The conditional request failed"
    );
    EXPECT_EQ(server->count(), 1U);
}

TEST_F(StoreFaultsTest, TransactionIsRepeatedUnderOneToken) {
    start([](const SeenRequest& /*request*/, int number) {
        return number == 0   ? lost()
               : number == 1 ? store_error(400, "TransactionInProgressException")
               : number == 2 ? store_error(500, "InternalServerError")
                             : ok();
    });
    EXPECT_TRUE(transact());
    const auto seen = server->seen();
    ASSERT_EQ(seen.size(), 4U);
    const auto at = seen[0].body.find("\"ClientRequestToken\":\"");
    ASSERT_NE(at, std::string::npos) << seen[0].body;
    for (const auto& request : seen) {
        EXPECT_EQ(request.body, seen[0].body);
    }
    EXPECT_TRUE(transact());
    EXPECT_NE(server->seen().back().body, seen[0].body);
}

TEST_F(StoreFaultsTest, TransactionThatNeverEndsIsNotClaimed) {
    start([](const SeenRequest& /*request*/, int /*number*/) { return lost(); });
    expect_in_doubt(transact());
    EXPECT_GT(server->count(), 2U);
}

TEST_F(StoreFaultsTest, CancelledTransactionAfterALostOneIsTheStoresWord) {
    start([](const SeenRequest& /*request*/, int number) {
        return number == 0 ? lost() : store_error(400, "TransactionCanceledException", "cancelled");
    });
    expect_error(transact(), ErrorCode::kTransactionCanceled, "cancelled");
}

TEST_F(StoreFaultsTest, SilentStoreIsLeftAtTheDeadline) {
    start([](const SeenRequest& /*request*/, int /*number*/) {
        return Answer{http_reply(200, "{}"), 5s};
    });
    expect_error(get(), ErrorCode::kServiceUnavailable, "the store at 127.0.0.1:");
    expect_error(get(), ErrorCode::kServiceUnavailable, "did not answer within 1500 ms");
    expect_in_doubt(put());
    EXPECT_EQ(server->count(), 3U);
}

TEST_F(StoreFaultsTest, SlowStoreWithinTheDeadlineIsWaitedFor) {
    start([](const SeenRequest& /*request*/, int /*number*/) {
        return Answer{http_reply(200, "{}"), 700ms};
    });
    EXPECT_TRUE(put());
    EXPECT_EQ(server->count(), 1U);
}

TEST_F(StoreFaultsTest, ThrottlingUntilTheDeadlineIsToldAsThrottling) {
    start([](const SeenRequest& /*request*/, int /*number*/) {
        return store_error(400, "ThrottlingException", "slow down");
    });
    expect_error(put(), ErrorCode::kThrottling, "slow down");
    EXPECT_GT(server->count(), 2U);
}

TEST_F(StoreFaultsTest, DeadStoreIsNamedAndAfterAWhileNotAskedAnyMore) {
    std::string url;
    {
        const TestServer gone([](const SeenRequest& /*request*/, int /*number*/) { return ok(); });
        url = gone.url();
    }
    connect(url);
    expect_error(put(), ErrorCode::kServiceUnavailable, "cannot be reached");
    for (int i = 0; i < 20 && took > 100ms; ++i) {
        EXPECT_FALSE(get());
    }
    const auto refused = get();
    expect_error(refused, ErrorCode::kServiceUnavailable, "the store at 127.0.0.1:");
    EXPECT_LT(took, 500ms);
}

TEST_F(StoreFaultsTest, RedirectIsNotFollowed) {
    start([](const SeenRequest& /*request*/, int /*number*/) {
        return Answer{http_reply(307, "", "Location: http://127.0.0.1:1/\r\n")};
    });
    expect_error(get(), ErrorCode::kValidation, "HTTP status 307");
    EXPECT_EQ(server->count(), 1U);
}

TEST_F(StoreFaultsTest, TooLargeAnswerIsCutOff) {
    deadline = 60s;  // 40 MB take their time on a busy machine
    start([](const SeenRequest& /*request*/, int /*number*/) {
        return Answer{
            "HTTP/1.1 200 OK\r\nContent-Length: 40000000\r\n\r\n" + std::string(40'000'000, ' ')};
    });
    expect_error(get(), ErrorCode::kServiceUnavailable, "too large");
    EXPECT_EQ(server->count(), 1U);
}

TEST_F(StoreFaultsTest, RefusedCredentialsAreToldAsOurs) {
    start([](const SeenRequest& /*request*/, int /*number*/) {
        return store_error(400, "UnrecognizedClientException", "The security token is invalid.");
    });
    expect_error(get(), ErrorCode::kAccessDenied, "did not accept this server's credentials");
}

TEST_F(StoreFaultsTest, ExpiredTokenIsFetchedAgainOnce) {
    start(failing_first(1, store_error(400, "ExpiredTokenException")));
    EXPECT_TRUE(put());
    EXPECT_EQ(server->count(), 2U);
    start([](const SeenRequest& /*request*/, int /*number*/) {
        return store_error(400, "ExpiredTokenException");
    });
    expect_error(put(), ErrorCode::kAccessDenied, "credentials");
    EXPECT_EQ(server->count(), 2U);
}

TEST_F(StoreFaultsTest, CallsBeyondTheBoundAreRefusedAtOnce) {
    RemoteOptions options;
    options.max_calls = 2;
    start(
        [](const SeenRequest& /*request*/, int /*number*/) {
            return Answer{http_reply(200, "{}"), 500ms};
        },
        options
    );
    const auto ignore = [](const Result<dynamo::GetItemReply>& /*reply*/) {};
    remote->get_item({.table = "T"}, ignore);
    remote->get_item({.table = "T"}, ignore);
    expect_error(get(), ErrorCode::kServiceUnavailable, "too many calls to the store at");
    EXPECT_LT(took, 300ms);
}

TEST_F(StoreFaultsTest, FewConnectionsServeManyCalls) {
    RemoteOptions options;
    options.max_connections = 3;
    start(
        [](const SeenRequest& /*request*/, int /*number*/) {
            return Answer{http_reply(200, "{}"), 5ms};
        },
        options
    );
    std::vector<std::future<bool>> answers;
    for (int i = 0; i < 60; ++i) {
        auto promise = std::make_shared<std::promise<bool>>();
        answers.push_back(promise->get_future());
        remote->get_item({.table = "T"}, [promise](const Result<dynamo::GetItemReply>& reply) {
            promise->set_value(reply.has_value());
        });
    }
    for (auto& answer : answers) {
        EXPECT_TRUE(answer.get());
    }
    for (const auto& request : server->seen()) {
        EXPECT_LT(request.connection, 3);
    }
}

TEST_F(StoreFaultsTest, DestructionEndsCallsUnderWay) {
    start([](const SeenRequest& /*request*/, int number) {
        return number == 0 ? Answer{"", 10s} : store_error(400, "ThrottlingException");
    });
    std::promise<Error> waiting;
    std::promise<Error> pausing;
    remote->put_item({.write = {.table = "T"}}, [&](Result<dynamo::ItemWriteReply> reply) {
        waiting.set_value(std::move(reply).error());
    });
    while (server->count() == 0) {
        std::this_thread::sleep_for(5ms);
    }
    remote->get_item({.table = "T"}, [&](Result<dynamo::GetItemReply> reply) {
        pausing.set_value(std::move(reply).error());
    });
    remote.reset();
    const auto error = waiting.get_future().get();
    EXPECT_NE(error.message.find("may or may not have been made"), std::string::npos)
        << error.message;
    pausing.get_future().get();
}

TEST_F(StoreFaultsTest, BatchGetAsksForWhatIsLeft) {
    start([](const SeenRequest& request, int number) {
        if (number == 1) {
            return store_error(400, "ThrottlingException");
        }
        if (number == 0) {
            return ok(R"({"Responses":{"T":[{"pk":{"S":"a"}}]},"UnprocessedKeys":{"T":{
                "Keys":[{"pk":{"S":"b"}}],"ProjectionExpression":"#p",
                "ExpressionAttributeNames":{"#p":"pk"},"ConsistentRead":true}},
                "ConsumedCapacity":[{"TableName":"T","CapacityUnits":1}]})");
        }
        EXPECT_EQ(
            request.body,
            R"({"RequestItems":{"T":{"Keys":[{"pk":{"S":"b"}}],"ProjectionExpression":"#p",)"
            R"("ExpressionAttributeNames":{"#p":"pk"},"ConsistentRead":true}},)"
            R"("ReturnConsumedCapacity":"TOTAL"})"
        );
        return ok(R"({"Responses":{"T":[{"pk":{"S":"b"}}]},"UnprocessedKeys":{},
            "ConsumedCapacity":[{"TableName":"T","CapacityUnits":2}]})");
    });
    const auto reply =
        run(&Dynamo::batch_get_item,
            dynamo::BatchGetItemRequest{
                .tables =
                    {{.table = "T",
                      .keys = {item_of(R"({"pk":{"S":"a"}})"), item_of(R"({"pk":{"S":"b"}})")},
                      .projection = "#p",
                      .placeholders = placeholders({{"#p", "pk"}}),
                      .consistent_read = true}},
                .return_capacity = dynamo::ReturnCapacity::kTotal});
    ASSERT_TRUE(reply) << reply.error().message;
    ASSERT_EQ(reply->tables.size(), 1U);
    EXPECT_EQ(reply->tables[0].items.size(), 2U);
    EXPECT_TRUE(reply->unprocessed.empty());
    ASSERT_EQ(reply->capacity.size(), 1U);
    EXPECT_EQ(reply->capacity[0].units, 3);
    EXPECT_EQ(server->count(), 3U);
}

TEST_F(StoreFaultsTest, BatchWriteGivesBackWhatIsLeftAtTheDeadline) {
    start([](const SeenRequest& /*request*/, int /*number*/) {
        return ok(R"({"UnprocessedItems":{"T":[{"DeleteRequest":{"Key":{"pk":{"S":"b"}}}}]}})");
    });
    const auto reply =
        run(&Dynamo::batch_write_item,
            dynamo::BatchWriteItemRequest{
                .tables = {
                    {"T",
                     {{item_of(R"({"pk":{"S":"a"}})"), false},
                      {item_of(R"({"pk":{"S":"b"}})"), true}}}}});
    ASSERT_TRUE(reply) << reply.error().message;
    ASSERT_EQ(reply->unprocessed.size(), 1U);
    ASSERT_EQ(reply->unprocessed[0].writes.size(), 1U);
    EXPECT_TRUE(reply->unprocessed[0].writes[0].is_delete);
    const auto seen = server->seen();
    ASSERT_GT(seen.size(), 2U);
    EXPECT_EQ(
        seen[1].body, R"({"RequestItems":{"T":[{"DeleteRequest":{"Key":{"pk":{"S":"b"}}}}]}})"
    );
}

TEST_F(StoreFaultsTest, BatchWriteThatIsThrottledLaterTellsWhatIsLeft) {
    start([](const SeenRequest& /*request*/, int number) {
        return number == 0
                   ? ok(R"({"UnprocessedItems":{"T":[{"PutRequest":{"Item":{"pk":{"S":"b"}}}}]}})")
                   : store_error(400, "ProvisionedThroughputExceededException");
    });
    const auto reply =
        run(&Dynamo::batch_write_item,
            dynamo::BatchWriteItemRequest{
                .tables = {
                    {"T",
                     {{item_of(R"({"pk":{"S":"a"}})"), false},
                      {item_of(R"({"pk":{"S":"b"}})"), false}}}}});
    ASSERT_TRUE(reply) << reply.error().message;
    ASSERT_EQ(reply->unprocessed.size(), 1U);
    EXPECT_FALSE(reply->unprocessed[0].writes[0].is_delete);
}

TEST_F(StoreFaultsTest, ProbeFindsWhatTheStoreLacks) {
    start([](const SeenRequest& request, int /*number*/) {
        return request.has("Transact") ? store_error(400, "UnknownOperationException")
                                       : store_error(400, "ValidationException");
    });
    const auto found = remote->probe();
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_FALSE(found->has_transactions());
    EXPECT_TRUE(found->has_time_to_live());
    EXPECT_TRUE(found->has_batches());
    EXPECT_TRUE(found->has_tags());
    EXPECT_EQ(found->missing.size(), 2U);
    for (const auto& request : server->seen()) {
        EXPECT_EQ(request.body, "{}");
    }
}

// A call that is handed on as it is.
Result<dynamo::ForwardedReply> forward(
    dynamo::StoreCalls& store, dynamo::ForwardedRequest request
) {
    std::promise<Result<dynamo::ForwardedReply>> promise;
    store.forward(std::move(request), [&](Result<dynamo::ForwardedReply> reply) {
        promise.set_value(std::move(reply));
    });
    return promise.get_future().get();
}

TEST_F(StoreFaultsTest, WhatIsHandedOnArrivesAsItIs) {
    start([](const SeenRequest& /*request*/, int /*number*/) { return ok(R"({"any":[1, 2]})"); });
    const auto reply =
        forward(*remote, {"DynamoDBStreams_20120810.ListStreams", R"({"Limit": 1})", false});
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->json, R"({"any":[1, 2]})");
    const auto seen = server->seen().at(0);
    EXPECT_TRUE(seen.has("X-Amz-Target: DynamoDBStreams_20120810.ListStreams\r\n")) << seen.head;
    EXPECT_TRUE(seen.has("Credential=AKIDEXAMPLE/")) << seen.head;
    EXPECT_EQ(seen.body, R"({"Limit": 1})");
}

TEST_F(StoreFaultsTest, ErrorsOfWhatIsHandedOnKeepTheirNames) {
    start([](const SeenRequest& request, int /*number*/) {
        return request.has("Backup") ? store_error(400, "BackupNotFoundException", "no such backup")
                                     : store_error(400, "TableNotFoundException", "no such table");
    });
    const auto backup = forward(*remote, {"DynamoDB_20120810.DescribeBackup", "{}", false});
    ASSERT_FALSE(backup);
    EXPECT_EQ(dynamo::name_of(backup.error()), "BackupNotFoundException");
    EXPECT_EQ(backup.error().message, "no such backup");
    const auto table = forward(*remote, {"DynamoDB_20120810.DescribeContinuousThing", "{}", true});
    ASSERT_FALSE(table);
    EXPECT_EQ(dynamo::name_of(table.error()), "TableNotFoundException");
    EXPECT_EQ(table.error().message, "no such table");
}

TEST_F(StoreFaultsTest, OnlyReadsThatAreHandedOnAreTriedAgain) {
    start(failing_first(1, store_error(500, "InternalServerError")));
    EXPECT_TRUE(forward(*remote, {"DynamoDB_20120810.ListBackups", "{}", false}));
    EXPECT_EQ(server->count(), 2U);
    start(failing_first(1, store_error(500, "InternalServerError")));
    const auto write = forward(*remote, {"DynamoDB_20120810.CreateBackup", "{}", true});
    ASSERT_FALSE(write);
    EXPECT_NE(write.error().message.find("may or may not"), std::string::npos);
    EXPECT_EQ(server->count(), 1U);
    start([](const SeenRequest& /*request*/, int /*number*/) {
        return store_error(400, "InvalidSignatureException", "no");
    });
    const auto ours = forward(*remote, {"DynamoDB_20120810.ListBackups", "{}", false});
    expect_error(ours, ErrorCode::kAccessDenied, "did not accept this server's credentials");
    EXPECT_EQ(dynamo::name_of(ours.error()), "AccessDeniedException");
}

TEST_F(StoreFaultsTest, ProbeFailsWhenTheStoreRefusesUs) {
    start([](const SeenRequest& /*request*/, int /*number*/) {
        return store_error(400, "InvalidSignatureException", "no");
    });
    expect_error(remote->probe(), ErrorCode::kAccessDenied, "credentials");
}

}  // namespace
}  // namespace gateleg::remote

#include "remote/retry.h"

#include <gtest/gtest.h>

#include "remote/store_address.h"
#include "remote/test_calls.h"

namespace gateleg::remote {
namespace {

using namespace std::chrono_literals;

dynamo::PutItemRequest put_with(
    std::string condition, std::vector<std::pair<std::string, std::string>> names = {}
) {
    return {
        .write =
            {.table = "T",
             .condition = std::move(condition),
             .placeholders = placeholders(std::move(names))},
        .options = {},
        .item = item_of(R"({"pk":{"S":"a"},"version":{"N":"1"}})"),
    };
}

TEST(RetryTest, OnlyAConditionThatTheWriteItselfBreaksGuardsIt) {
    EXPECT_EQ(repeat_of(put_with("attribute_not_exists(pk)")), Repeat::kGuarded);
    EXPECT_EQ(repeat_of(put_with("  attribute_not_exists ( pk ) ")), Repeat::kGuarded);
    EXPECT_EQ(repeat_of(put_with("attribute_not_exists(#p)", {{"#p", "pk"}})), Repeat::kGuarded);
    for (const auto* condition :
         {"attribute_exists(pk)",
          "attribute_not_exists(other)",
          "attribute_not_exists(pk) OR version = :v",
          "attribute_not_exists(pk.inner)",
          "attribute_not_exists(pk) OR attribute_exists(pk)",
          "NOT attribute_not_exists(pk)",
          "attribute_not_exists(#missing)",
          "attribute_not_exists()",
          "attribute_not_exists",
          ""}) {
        EXPECT_EQ(repeat_of(put_with(condition)), Repeat::kHarmful) << condition;
    }
    EXPECT_EQ(repeat_of(put_with("attribute_not_exists(#p)", {{"#p", "x"}})), Repeat::kHarmful);

    dynamo::UpdateItemRequest update;
    update.key = item_of(R"({"pk":{"S":"a"}})");
    update.write.condition = "attribute_not_exists(pk)";
    EXPECT_EQ(repeat_of(update), Repeat::kGuarded);
    update.write.condition = "attribute_not_exists(counter)";
    EXPECT_EQ(repeat_of(update), Repeat::kHarmful);
    update.write.condition.reset();
    EXPECT_EQ(repeat_of(update), Repeat::kHarmful);
}

TEST(RetryTest, DoubtIsRepeatedOnlyWhereItDoesNoHarm) {
    EXPECT_FALSE(may_try_again(Outcome::kInDoubt, Repeat::kHarmful));
    EXPECT_TRUE(may_try_again(Outcome::kInDoubt, Repeat::kGuarded));
    EXPECT_TRUE(may_try_again(Outcome::kInDoubt, Repeat::kHarmless));
    EXPECT_TRUE(may_try_again(Outcome::kNotDone, Repeat::kHarmful));
    EXPECT_FALSE(may_try_again(Outcome::kAnswered, Repeat::kHarmless));
    EXPECT_FALSE(may_try_again(Outcome::kStopped, Repeat::kHarmless));
}

TEST(RetryTest, RequestThatDidNotArriveWasNotDone) {
    for (const auto kind : {HttpFailure::Kind::kLost, HttpFailure::Kind::kTimedOut}) {
        EXPECT_EQ(outcome_of({kind, false, ""}), Outcome::kNotDone);
        EXPECT_EQ(outcome_of({kind, true, ""}), Outcome::kInDoubt);
    }
    EXPECT_EQ(outcome_of({HttpFailure::Kind::kUnreachable, false, ""}), Outcome::kNotDone);
}

TEST(RetryTest, BackoffDoublesUpToABound) {
    EXPECT_EQ(backoff(0, 0), 0ms);
    EXPECT_LT(backoff(0, 0.999), 50ms);
    EXPECT_GT(backoff(3, 0.999), 390ms);
    EXPECT_LE(backoff(1000, 0.999), 2000ms);
    for (int i = 0; i < 1000; ++i) {
        const auto random = random_fraction();
        EXPECT_TRUE(random >= 0 && random < 1);
    }
}

TEST(CircuitTest, OpensAfterManyFailuresOverTimeAndClosesWithAnAnswer) {
    Circuit circuit(5s);
    SteadyTime now{};
    for (int i = 0; i < 100; ++i) {
        circuit.unanswered(now);
    }
    EXPECT_TRUE(circuit.allows(now + 4s));
    EXPECT_TRUE(circuit.allows(now + 6s)) << "a trial";
    EXPECT_FALSE(circuit.allows(now + 6s + 1ms));
    EXPECT_TRUE(circuit.allows(now + 7s)) << "the next trial";
    circuit.answered();
    EXPECT_TRUE(circuit.allows(now + 7s + 1ms));
    circuit.unanswered(now + 8s);
    EXPECT_TRUE(circuit.allows(now + 100s)) << "one failure is none";
}

TEST(StoreAddressTest, RegionsAndUrls) {
    const auto aws = parse_store("dynamodb://eu-west-1");
    ASSERT_TRUE(aws);
    EXPECT_EQ(aws->url, "https://dynamodb.eu-west-1.amazonaws.com/");
    EXPECT_EQ(aws->host, "dynamodb.eu-west-1.amazonaws.com");
    EXPECT_EQ(aws->region, "eu-west-1");
    EXPECT_EQ(parse_store("dynamodb://cn-north-1")->host, "dynamodb.cn-north-1.amazonaws.com.cn");

    const auto local = parse_store("http://localhost:8000/", "ap-south-1");
    ASSERT_TRUE(local);
    EXPECT_EQ(local->url, "http://localhost:8000/");
    EXPECT_EQ(local->host, "localhost:8000");
    EXPECT_EQ(local->region, "ap-south-1");
    EXPECT_TRUE(local->loopback);

    EXPECT_EQ(parse_store("https://[::1]:443")->host, "[::1]");
    EXPECT_EQ(parse_store("http://[::1]:8000")->host, "[::1]:8000");
    EXPECT_EQ(parse_store("http://db.example:80")->host, "db.example");
    EXPECT_FALSE(parse_store("http://db.example")->loopback);
    EXPECT_EQ(
        parse_store("https://dynamodb.us-west-2.amazonaws.com", "eu-west-1")->region, "us-west-2"
    );
}

TEST(StoreAddressTest, WhatIsNoStoreIsRefused) {
    for (const auto* text :
         {"",
          "embedded",
          "dynamodb://",
          "dynamodb://EU WEST",
          "dynamodb://a.evil.example",
          "ftp://x:1",
          "http://",
          "http://x:0",
          "http://x:65536",
          "http://x:",
          "http://x:8000/path",
          "http://user:secret@x:8000",
          "http://x:8000?a",
          "http://x y:1",
          "http://[::1",
          "http://x:1\r\nHost: y"}) {
        const auto address = parse_store(text);
        EXPECT_FALSE(address) << text;
    }
}

}  // namespace
}  // namespace gateleg::remote

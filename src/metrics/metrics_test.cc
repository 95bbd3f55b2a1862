#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

#include "metrics/exposition.h"
#include "metrics/history.h"
#include "metrics/request_log.h"

namespace gateleg::metrics {
namespace {

TEST(HistogramTest, EachTimeLiesWithinItsBounds) {
    for (std::uint64_t micros = 0; micros < 200'000'000; micros += 1 + micros / 7) {
        const auto bucket = bucket_of(micros);
        if (bucket < kBounds.size()) {
            EXPECT_LE(micros, kBounds[bucket]);
        }
        if (bucket > 0) {
            EXPECT_GT(micros, kBounds[bucket - 1]);
        }
    }
    EXPECT_EQ(bucket_of(UINT64_MAX), kBounds.size());
    EXPECT_TRUE(std::is_sorted(kBounds.begin(), kBounds.end()));
}

TEST(HistogramTest, PercentilesLieInTheRightBucket) {
    Buckets buckets{};
    EXPECT_EQ(percentile(buckets, 0.5), 0U);
    for (std::uint64_t micros = 1; micros <= 1'000; ++micros) {
        ++buckets[bucket_of(micros)];
    }
    EXPECT_NEAR(static_cast<double>(percentile(buckets, 0.5)), 500, 20);
    EXPECT_NEAR(static_cast<double>(percentile(buckets, 0.99)), 990, 20);
}

TEST(RecorderTest, ThreadsAddUp) {
    Recorder recorder;
    const std::string name = "GetItem";
    const std::string same_name = name;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int n = 0; n < 1'000; ++n) {
                recorder.count(
                    {Face::kDynamoDb,
                     n % 2 == 0 ? name : same_name,
                     n % 10 == 0 ? 400 : 200,
                     100,
                     3,
                     7}
                );
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    const auto totals = recorder.totals();
    ASSERT_EQ(totals.size(), 1U);
    const auto& all = totals.begin()->second;
    EXPECT_EQ(all.count(), 4'000U);
    EXPECT_EQ(all.errors(), 400U);
    EXPECT_EQ(all.faults(), 0U);
    EXPECT_EQ(all.micros, 400'000U);
    EXPECT_EQ(all.bytes_out, 28'000U);
}

TEST(RecorderTest, AnotherRecorderBeginsAtNothing) {
    const std::string name = "x";
    {
        Recorder first;
        first.count({.operation = name});
    }
    Recorder second;
    EXPECT_TRUE(second.totals().empty());
    second.count({.operation = name});
    EXPECT_EQ(second.totals().begin()->second.count(), 1U);
}

TEST(RequestLogTest, KeepsTheNewest) {
    RequestLog log(4);
    for (int i = 1; i <= 6; ++i) {
        RequestEntry entry;
        entry.status = i;
        const std::string id(100, 'x');
        entry.id = id;
        log.add(entry);
    }
    const auto all = log.list(10, [](const auto&) { return true; });
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(all.front().status, 6);
    EXPECT_EQ(all.back().status, 3);
    EXPECT_EQ(all.front().id.view().size(), 56U);
    EXPECT_EQ(log.list(1, [](const auto& each) { return each.status < 5; }).front().status, 4);
}

TEST(RequestLogTest, TraceparentsAreToldFromOtherTexts) {
    EXPECT_TRUE(is_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"));
    for (const auto* text :
         {"",
          "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
          "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
          "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
          "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
          "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
          "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01"}) {
        EXPECT_FALSE(is_traceparent(text)) << text;
    }
}

TEST(HistoryTest, APointHoldsWhatCameSinceTheLast) {
    Recorder recorder;
    SettableClock clock;
    clock.freeze_at(1'000'000);
    History history(recorder, clock, [] { return std::vector<Gauge>{{"a", "b", "c", 5, false}}; });
    const std::string name = "PutItem";
    recorder.count({Face::kDynamoDb, name, 200, 100, 0, 0});
    history.take_point();
    clock.advance(1'000);
    recorder.count({Face::kDynamoDb, name, 500, 100, 0, 0});
    recorder.count({Face::kDynamoDb, name, 400, 100, 0, 0});
    history.take_point();
    clock.advance(1'000);
    history.take_point();
    const auto points = history.points(0);
    ASSERT_EQ(points.size(), 3U);
    EXPECT_EQ(points[0].requests, 1U);
    EXPECT_EQ(points[1].requests, 2U);
    EXPECT_EQ(points[1].errors, 2U);
    EXPECT_EQ(points[1].faults, 1U);
    EXPECT_EQ(points[1].operations.front().operation, "PutItem");
    EXPECT_EQ(points[2].requests, 0U);
    EXPECT_EQ(points[2].gauges.front().value, 5);
    EXPECT_EQ(history.points(points[1].at_millis).size(), 1U);
}

TEST(ExpositionTest, TextsAreEscapedAndBucketsAddUp) {
    Exposition out;
    out.family("a_total", "counter", "one\ntwo \\ \"three\"");
    out.sample("a_total", {{"name", "x\"y\\z\n"}}, 1.5);
    EXPECT_EQ(
        std::move(out).take(),
        "# HELP a_total one\\ntwo \\\\ \"three\"\n# TYPE a_total counter\n"
        "a_total{name=\"x\\\"y\\\\z\\n\"} 1.5\n"
    );
    Recorder recorder;
    const std::string name = "Query";
    recorder.count({Face::kDynamoDb, name, 200, 90, 1, 2});
    recorder.count({Face::kDynamoDb, name, 200, 200'000'000, 1, 2});
    Exposition requests;
    expose_requests(requests, recorder.totals());
    const auto text = std::move(requests).take();
    const auto has = [&](std::string_view line) {
        return text.find(std::string(line) + "\n") != std::string::npos;
    };
    const std::string bucket = "gateleg_request_duration_seconds_bucket{face=\"dynamodb\",";
    EXPECT_TRUE(has(bucket + "operation=\"Query\",le=\"0.00005\"} 0")) << text;
    EXPECT_TRUE(has(bucket + "operation=\"Query\",le=\"0.0001\"} 1"));
    EXPECT_TRUE(has(bucket + "operation=\"Query\",le=\"30\"} 1"));
    EXPECT_TRUE(has(bucket + "operation=\"Query\",le=\"+Inf\"} 2"));
    EXPECT_TRUE(has("gateleg_requests_total{face=\"dynamodb\",operation=\"Query\",status=\"200\"} 2"
    ));
}

}  // namespace
}  // namespace gateleg::metrics

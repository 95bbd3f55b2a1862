// The changes of a table as one sequence, whatever shards they lie in.

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "engine/stream.h"
#include "engine/test_engine.h"

namespace gateleg::engine {
namespace {

using dynamo::ChangeFeed;
using dynamo::StreamView;

constexpr std::int64_t kHour = 3'600'000;
constexpr const char* kTable = "music";
const std::string kStart(21, '0');

ChangeFeed& feed_of(TestEngine& engine) {
    return dynamic_cast<ChangeFeed&>(engine.dynamo());
}

void create(TestEngine& engine, const char* name = kTable) {
    auto request = new_table(name, {"pk"}, {"pk:S"});
    request.stream = dynamo::StreamSpecification{true, StreamView::kNewAndOldImages};
    must(engine.create(std::move(request)));
}

std::string item_json(int key, int n) {
    return R"({"n":{"N":")" + std::to_string(n) + R"("},"pk":{"S":"k)" + std::to_string(key) +
           R"("}})";
}

std::size_t shard_count(TestEngine& engine) {
    std::size_t count = 0;
    dynamic_cast<dynamo::Streams&>(engine.dynamo())
        .describe_stream(
            {.arn = engine.describe(kTable).latest_stream_arn},
            [&](Result<dynamo::DescribeStreamReply> reply) {
                count = must(std::move(reply)).shards.size();
            }
        );
    return count;
}

// Everything from `after` on, in pages; sets `after` to where it ended.
std::vector<std::string> read_on(TestEngine& engine, std::string& after, std::size_t limit = 7) {
    std::vector<std::string> all;
    for (;;) {
        const auto page =
            must(feed_of(engine).read_changes({.table = kTable, .after = after, .limit = limit}));
        EXPECT_TRUE(page.enabled);
        EXPECT_LE(page.records.size(), limit);
        for (const auto& record : page.records) {
            EXPECT_GT(record.sequence, after);
            after = record.sequence;
            all.push_back(json_of(record.new_image));
        }
        after = page.position;
        if (!page.more) {
            return all;
        }
    }
}

TEST(ChangesTest, OneOrderOverAllShardsAndTheirChildren) {
    TestEngine engine;
    create(engine);
    create(engine, "other");
    std::string after = must(feed_of(engine).changes_range(kTable)).latest;
    const auto begin = after;
    std::vector<std::string> written;
    for (int n = 0; n < 100; ++n) {
        written.push_back(item_json(n % 17, n));
        must(engine.put(kTable, written.back()));
        must(engine.put("other", item_json(n, n)));
        if (n == 40) {
            engine.clock().advance(5 * kHour);  // the shards are closed, others follow them
            ASSERT_TRUE(happens_within(std::chrono::seconds(30), [&] {
                return shard_count(engine) == 2 * kShardsPerGeneration;
            }));
        }
    }
    EXPECT_EQ(read_on(engine, after), written);
    EXPECT_EQ(after, must(feed_of(engine).changes_range(kTable)).latest);
    EXPECT_TRUE(read_on(engine, after).empty());
    auto again = begin;
    EXPECT_EQ(read_on(engine, again, 1), written);
}

TEST(ChangesTest, AReaderMissesNothingOfConcurrentWriters) {
    TestEngine engine;
    create(engine);
    std::atomic<int> rung{0};
    feed_of(engine).on_changes([&] { rung.fetch_add(1); });
    constexpr int kWriters = 4;
    constexpr int kEach = 300;
    std::atomic<int> running{kWriters};
    std::vector<std::thread> writers;
    for (int writer = 0; writer < kWriters; ++writer) {
        writers.emplace_back([&, writer] {
            for (int n = 0; n < kEach; ++n) {
                must(engine.put(kTable, item_json(writer * 31 + n % 5, n)));
            }
            running.fetch_sub(1);
        });
    }
    std::string after = kStart;
    std::vector<std::string> seen;
    for (bool last = false;; last = running.load() == 0) {
        for (auto& each : read_on(engine, after, 64)) {
            seen.push_back(std::move(each));
        }
        if (last) {
            break;
        }
    }
    for (auto& writer : writers) {
        writer.join();
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(kWriters * kEach));
    auto from_the_start = kStart;
    EXPECT_EQ(seen, read_on(engine, from_the_start, 1000));
    EXPECT_GT(rung.load(), 0);
    feed_of(engine).on_changes({});
    const int before = rung.load();
    must(engine.put(kTable, item_json(0, 999'999)));
    EXPECT_EQ(rung.load(), before);
}

TEST(ChangesTest, OldRecordsAreAGap) {
    TestEngine engine;
    create(engine);
    must(engine.put(kTable, item_json(1, 1)));
    std::string after = kStart;
    read_on(engine, after);
    const auto read = [&](const std::string& from) {
        return must(feed_of(engine).read_changes({.table = kTable, .after = from}));
    };
    EXPECT_FALSE(read(after).gap);
    const auto first = must(feed_of(engine).changes_range(kTable)).horizon;
    EXPECT_FALSE(read(first).gap);
    EXPECT_EQ(read(first).records.size(), 1U);
    engine.clock().advance(25 * kHour);
    // Nothing came since: whoever has seen all has missed nothing.
    EXPECT_FALSE(read(after).gap);
    must(engine.put(kTable, item_json(2, 2)));
    EXPECT_TRUE(read(first).gap);
    EXPECT_EQ(read(first).records.size(), 1U);
    EXPECT_FALSE(read(must(feed_of(engine).changes_range(kTable)).latest).gap);
}

TEST(ChangesTest, WhatCannotBeRead) {
    TestEngine engine;
    create(engine);
    auto& feed = feed_of(engine);
    EXPECT_EQ(error_of(feed.changes_range("none")).code, ErrorCode::kResourceNotFound);
    EXPECT_EQ(
        error_of(feed.read_changes({.table = "none", .after = kStart})).code,
        ErrorCode::kResourceNotFound
    );
    for (const auto* after : {"", "x", "999999999999999999999"}) {
        EXPECT_EQ(
            error_of(feed.read_changes({.table = kTable, .after = after})).code,
            ErrorCode::kValidation
        );
    }
    must(engine.create(new_table("plain", {"pk"}, {"pk:S"})));
    EXPECT_FALSE(must(feed.changes_range("plain")).enabled);
    EXPECT_FALSE(must(feed.read_changes({.table = "plain", .after = kStart})).enabled);
}

}  // namespace
}  // namespace gateleg::engine

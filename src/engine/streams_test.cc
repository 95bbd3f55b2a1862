// Streams as a client of the engine sees them, and what of them is in the store.

#include <map>
#include <thread>

#include <gtest/gtest.h>

#include "engine/keyspace.h"
#include "engine/shard_iterator.h"
#include "engine/test_engine.h"

namespace gateleg::engine {
namespace {

using dynamo::IteratorType;
using dynamo::StreamEvent;
using dynamo::StreamRecord;
using dynamo::Streams;
using dynamo::StreamView;

constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr const char* kTable = "music";

template <class Request>
Result<typename Request::Reply> ask(
    TestEngine& engine, void (Streams::*operation)(Request, dynamo::Done<Request>), Request request
) {
    std::optional<Result<typename Request::Reply>> reply;
    auto& streams = dynamic_cast<Streams&>(engine.dynamo());
    (streams.*operation)(std::move(request), [&](Result<typename Request::Reply> result) {
        reply = std::move(result);
    });
    return *std::move(reply);
}

dynamo::CreateTableRequest table_with_stream(std::optional<StreamView> view) {
    auto request = new_table(kTable, {"pk", "sk"}, {"pk:S", "sk:N"});
    if (view) {
        request.stream = dynamo::StreamSpecification{true, view};
    }
    return request;
}

Result<dynamo::TableReply> set_stream(
    TestEngine& engine, bool enabled, std::optional<StreamView> view = std::nullopt
) {
    dynamo::UpdateTableRequest request;
    request.table = kTable;
    request.stream = dynamo::StreamSpecification{enabled, view};
    return call(engine.dynamo(), &dynamo::Dynamo::update_table, std::move(request));
}

void drop_table(TestEngine& engine) {
    must(call(
        engine.dynamo(), &dynamo::Dynamo::delete_table, dynamo::DeleteTableRequest{.table = kTable}
    ));
}

dynamo::DescribeStreamReply describe_stream(TestEngine& engine, const std::string& arn) {
    return must(ask(engine, &Streams::describe_stream, {.arn = arn}));
}

Result<dynamo::GetShardIteratorReply> iterator(
    TestEngine& engine,
    const std::string& arn,
    const std::string& shard,
    IteratorType type,
    std::optional<std::string> sequence = std::nullopt
) {
    return ask(
        engine,
        &Streams::get_shard_iterator,
        {.arn = arn, .shard = shard, .type = type, .sequence = std::move(sequence)}
    );
}

// What the rest of a shard holds; `at` is then behind it, or empty if the shard is closed.
std::vector<StreamRecord> read_on(TestEngine& engine, std::string& at, std::size_t limit = 1000) {
    std::vector<StreamRecord> all;
    while (!at.empty()) {
        auto page = must(ask(engine, &Streams::get_records, {.iterator = at, .limit = limit}));
        const bool more = page.records.size() == limit;
        for (auto& record : page.records) {
            all.push_back(std::move(record));
        }
        at = page.next_iterator.value_or("");
        if (!more) {
            break;
        }
    }
    return all;
}

// All records of a stream in the order of their numbers.
std::vector<StreamRecord> read_all(TestEngine& engine, const std::string& arn) {
    std::map<std::string, StreamRecord> by_sequence;
    for (const auto& shard : describe_stream(engine, arn).shards) {
        auto at = must(iterator(engine, arn, shard.id, IteratorType::kTrimHorizon)).iterator;
        for (auto& record : read_on(engine, at, 7)) {
            const auto sequence = record.sequence;
            EXPECT_TRUE(by_sequence.emplace(sequence, std::move(record)).second) << sequence;
        }
    }
    std::vector<StreamRecord> all;
    for (auto& [sequence, record] : by_sequence) {
        all.push_back(std::move(record));
    }
    return all;
}

// "INSERT {keys} old -> new"
std::string text_of(const StreamRecord& record) {
    constexpr const char* kNames[] = {"INSERT", "MODIFY", "REMOVE"};
    return std::string(kNames[static_cast<int>(record.event)]) + " " + to_json(record.keys.view()) +
           " " + json_of(record.old_image) + " -> " + json_of(record.new_image) +
           (record.by_time_to_live ? " by time to live" : "");
}

std::vector<std::string> texts_of(const std::vector<StreamRecord>& records) {
    std::vector<std::string> all;
    for (const auto& record : records) {
        all.push_back(text_of(record));
    }
    return all;
}

std::size_t stored_rows(TestEngine& engine, char space) {
    const std::string first(1, space);
    const auto cursor =
        engine.store().cursor({.lower_bound = first, .upper_bound = after_prefix(first)});
    std::size_t rows = 0;
    for (cursor->seek_to_first(); cursor->valid(); cursor->next()) {
        ++rows;
    }
    return rows;
}

std::size_t stored_records(TestEngine& engine) {
    return stored_rows(engine, 0x12);
}

const std::string kKey = R"({"pk":{"S":"a"},"sk":{"N":"1"}})";
const std::string kFirst = R"({"n":{"N":"1"},"pk":{"S":"a"},"sk":{"N":"1"}})";
const std::string kSecond = R"({"n":{"N":"2"},"pk":{"S":"a"},"sk":{"N":"1"}})";

void write_and_remove(TestEngine& engine) {
    must(engine.put(kTable, kFirst));
    must(engine.update(kTable, kKey, "SET n = n + :one", {.values = R"({":one":{"N":"1"}})"}));
    must(engine.remove(kTable, kKey));
}

TEST(StreamsTest, EachViewShowsItsImages) {
    const std::map<StreamView, std::vector<std::string>> expected = {
        {StreamView::kKeysOnly,
         {"INSERT " + kKey + "  -> ", "MODIFY " + kKey + "  -> ", "REMOVE " + kKey + "  -> "}},
        {StreamView::kNewImage,
         {"INSERT " + kKey + "  -> " + kFirst,
          "MODIFY " + kKey + "  -> " + kSecond,
          "REMOVE " + kKey + "  -> "}},
        {StreamView::kOldImage,
         {"INSERT " + kKey + "  -> ",
          "MODIFY " + kKey + " " + kFirst + " -> ",
          "REMOVE " + kKey + " " + kSecond + " -> "}},
        {StreamView::kNewAndOldImages,
         {"INSERT " + kKey + "  -> " + kFirst,
          "MODIFY " + kKey + " " + kFirst + " -> " + kSecond,
          "REMOVE " + kKey + " " + kSecond + " -> "}},
    };
    for (const auto& [view, texts] : expected) {
        TestEngine engine;
        const auto table = must(engine.create(table_with_stream(view))).table;
        EXPECT_EQ(table.stream_view, view);
        EXPECT_EQ(table.latest_stream_arn, table.arn + "/stream/" + table.latest_stream_label);
        write_and_remove(engine);
        EXPECT_EQ(texts_of(read_all(engine, table.latest_stream_arn)), texts);
    }
}

TEST(StreamsTest, SizesCountKeysAndImages) {
    TestEngine engine;
    const auto arn = must(engine.create(table_with_stream(StreamView::kNewAndOldImages)))
                         .table.latest_stream_arn;
    write_and_remove(engine);
    const auto records = read_all(engine, arn);
    const auto keys = static_cast<std::int64_t>(value::item_size(item(kKey).view()));
    const auto image = static_cast<std::int64_t>(value::item_size(item(kFirst).view()));
    ASSERT_EQ(records.size(), 3U);
    EXPECT_EQ(records[0].size_bytes, keys + image);
    EXPECT_EQ(records[1].size_bytes, keys + 2 * image);
    EXPECT_EQ(records[2].size_bytes, keys + image);
    EXPECT_EQ(records[0].created_seconds, TestEngine::kStartSeconds);
    EXPECT_EQ(records[0].id.size(), 32U);
    EXPECT_NE(records[0].id, records[1].id);
}

TEST(StreamsTest, WritesThatChangeNothingLeaveNoRecord) {
    TestEngine engine;
    const auto arn =
        must(engine.create(table_with_stream(StreamView::kKeysOnly))).table.latest_stream_arn;
    must(engine.put(kTable, kFirst));
    must(engine.put(kTable, kFirst));
    must(engine.update(kTable, kKey, "SET n = :n", {.values = R"({":n":{"N":"1.0"}})"}));
    must(engine.remove(kTable, R"({"pk":{"S":"a"},"sk":{"N":"2"}})"));
    error_of(engine.put(kTable, kSecond, {.condition = "attribute_not_exists(pk)"}));
    EXPECT_EQ(read_all(engine, arn).size(), 1U);
}

TEST(StreamsTest, TableWithoutStreamWritesNothingMore) {
    TestEngine engine;
    must(engine.create(table_with_stream(std::nullopt)));
    write_and_remove(engine);
    EXPECT_EQ(stored_records(engine), 0U);
    EXPECT_EQ(stored_rows(engine, 0x06), 0U);
    EXPECT_EQ(stored_rows(engine, 0x07), 0U);
    EXPECT_EQ(engine.describe(kTable).latest_stream_arn, "");
    EXPECT_FALSE(engine.describe(kTable).stream_view);
}

TEST(StreamsTest, TransactionsAndBatchesAreIncluded) {
    TestEngine engine;
    const auto arn =
        must(engine.create(table_with_stream(StreamView::kKeysOnly))).table.latest_stream_arn;
    const auto key = [](int n) {
        return R"({"pk":{"S":"t"},"sk":{"N":")" + std::to_string(n) + R"("}})";
    };
    engine.load(kTable, {key(1), key(2), key(3)});
    must(engine.transact(
        {put_action(kTable, key(4)),
         delete_action(kTable, key(1)),
         update_action(kTable, key(2), "SET n = :n", {.values = R"({":n":{"N":"1"}})"}),
         check_action(kTable, key(3), {.condition = "attribute_exists(pk)"})}
    ));
    error_of(engine.transact(
        {put_action(kTable, key(5)),
         check_action(kTable, key(3), {.condition = "attribute_not_exists(pk)"})}
    ));
    EXPECT_EQ(
        texts_of(read_all(engine, arn)),
        (std::vector<std::string>{
            "INSERT " + key(1) + "  -> ",
            "INSERT " + key(2) + "  -> ",
            "INSERT " + key(3) + "  -> ",
            "INSERT " + key(4) + "  -> ",
            "REMOVE " + key(1) + "  -> ",
            "MODIFY " + key(2) + "  -> "})
    );
}

TEST(StreamsTest, ExpiredItemsAreRemovedByTheService) {
    TestEngine engine;
    const auto arn =
        must(engine.create(table_with_stream(StreamView::kOldImage))).table.latest_stream_arn;
    must(call(
        engine.dynamo(),
        &dynamo::Dynamo::update_time_to_live,
        dynamo::UpdateTimeToLiveRequest{
            .table = kTable, .specification = {.attribute = "n", .enabled = true}}
    ));
    const std::string expired = R"({"n":{"N":"1749999000"},"pk":{"S":"a"},"sk":{"N":"1"}})";
    must(engine.put(kTable, expired));
    ASSERT_TRUE(happens_within(std::chrono::seconds(30), [&] {
        return engine.get(kTable, kKey).empty();
    }));
    EXPECT_EQ(
        texts_of(read_all(engine, arn)),
        (std::vector<std::string>{
            "INSERT " + kKey + "  -> ", "REMOVE " + kKey + " " + expired + " ->  by time to live"})
    );
}

TEST(StreamsTest, EnablingAndDisablingHaveTheirRules) {
    TestEngine engine;
    auto request = table_with_stream(std::nullopt);
    request.stream = dynamo::StreamSpecification{true, std::nullopt};
    EXPECT_EQ(error_of(engine.create(request)).code, ErrorCode::kValidation);
    request.stream = dynamo::StreamSpecification{false, StreamView::kNewImage};
    EXPECT_EQ(
        error_of(engine.create(request)).message,
        "One or more parameter values were invalid: Table is being created with a stream disabled, "
        "UpdateViewType should not be specified"
    );
    request.stream = dynamo::StreamSpecification{false, std::nullopt};
    must(engine.create(request));
    EXPECT_EQ(
        error_of(set_stream(engine, false)).message,
        "Table has no stream to disable: TableName: music"
    );
    EXPECT_EQ(
        error_of(set_stream(engine, true)).message,
        "One or more parameter values were invalid: If stream is being enabled then UpdateViewType "
        "is required"
    );
    EXPECT_EQ(
        error_of(set_stream(engine, false, StreamView::kKeysOnly)).message,
        "One or more parameter values were invalid: If stream is being disabled, then "
        "UpdateViewType must not be specified"
    );
    const auto first = must(set_stream(engine, true, StreamView::kKeysOnly)).table;
    EXPECT_EQ(first.stream_view, StreamView::kKeysOnly);
    EXPECT_EQ(
        error_of(set_stream(engine, true, StreamView::kNewImage)).message,
        "Table already has an enabled stream: TableName: music"
    );
    must(set_stream(engine, false));
    const auto between = engine.describe(kTable);
    EXPECT_FALSE(between.stream_view);
    EXPECT_EQ(between.latest_stream_arn, first.latest_stream_arn);
    // The clock stands still; the streams have different names all the same.
    const auto second = must(set_stream(engine, true, StreamView::kNewImage)).table;
    EXPECT_NE(second.latest_stream_arn, first.latest_stream_arn);
    const auto listed = must(ask(engine, &Streams::list_streams, {.table = kTable, .limit = 1}));
    ASSERT_EQ(listed.streams.size(), 1U);
    ASSERT_TRUE(listed.last_evaluated);
    const auto rest = must(
        ask(engine,
            &Streams::list_streams,
            {.table = kTable, .exclusive_start = listed.last_evaluated, .limit = 1})
    );
    ASSERT_EQ(rest.streams.size(), 1U);
    EXPECT_FALSE(rest.last_evaluated);
    EXPECT_NE(rest.streams[0].arn, listed.streams[0].arn);
}

TEST(StreamsTest, ClosedStreamsAreReadToTheirEndForADay) {
    for (const bool drop : {false, true}) {
        TestEngine engine;
        const auto arn =
            must(engine.create(table_with_stream(StreamView::kKeysOnly))).table.latest_stream_arn;
        const auto shards = describe_stream(engine, arn).shards;
        ASSERT_EQ(shards.size(), kShardsPerGeneration);
        EXPECT_FALSE(shards[0].last_sequence);
        must(engine.put(kTable, kFirst));
        if (drop) {
            drop_table(engine);
            must(engine.create(table_with_stream(StreamView::kNewImage)));
        } else {
            must(set_stream(engine, false));
            must(engine.put(kTable, kSecond));
        }
        const auto closed = describe_stream(engine, arn);
        EXPECT_FALSE(closed.enabled);
        EXPECT_TRUE(closed.shards[0].last_sequence);
        engine.clock().advance(23 * kHour);
        engine.reopen();
        EXPECT_EQ(texts_of(read_all(engine, arn)), std::vector{"INSERT " + kKey + "  -> "});
        auto at = must(iterator(engine, arn, shards[0].id, IteratorType::kLatest)).iterator;
        EXPECT_TRUE(read_on(engine, at).empty());
        EXPECT_EQ(at, "");
        engine.clock().advance(kHour + 1000);
        ASSERT_TRUE(happens_within(std::chrono::seconds(30), [&] {
            return !ask(engine, &Streams::describe_stream, {.arn = arn}).has_value();
        }));
        EXPECT_EQ(
            error_of(ask(engine, &Streams::describe_stream, {.arn = arn})).code,
            ErrorCode::kResourceNotFound
        );
        EXPECT_EQ(stored_records(engine), 0U);
    }
}

TEST(StreamsTest, IteratorsStandWhereTheyWereAskedTo) {
    TestEngine engine;
    const auto arn =
        must(engine.create(table_with_stream(StreamView::kNewImage))).table.latest_stream_arn;
    std::vector<std::string> items;
    for (int n = 1; n <= 5; ++n) {
        items.push_back(R"({"pk":{"S":"a"},"sk":{"N":")" + std::to_string(n) + R"("}})");
        must(engine.put(kTable, items.back()));
    }
    const auto images = [&](std::string at) {
        std::vector<std::string> all;
        for (const auto& record : read_on(engine, at, 2)) {
            all.push_back(json_of(record.new_image));
        }
        return all;
    };
    const auto records = read_all(engine, arn);
    ASSERT_EQ(records.size(), 5U);
    std::string shard;
    for (const auto& each : describe_stream(engine, arn).shards) {
        auto at = must(iterator(engine, arn, each.id, IteratorType::kTrimHorizon)).iterator;
        if (!read_on(engine, at).empty()) {
            EXPECT_EQ(shard, "") << "one partition is in one shard";
            shard = each.id;
        }
    }
    const auto tail = [&](std::size_t from) {
        return std::vector(items.begin() + static_cast<std::ptrdiff_t>(from), items.end());
    };
    const auto from = [&](IteratorType type, std::optional<std::string> sequence) {
        return must(iterator(engine, arn, shard, type, std::move(sequence))).iterator;
    };
    EXPECT_EQ(images(from(IteratorType::kTrimHorizon, std::nullopt)), items);
    EXPECT_EQ(images(from(IteratorType::kAtSequence, records[2].sequence)), tail(2));
    EXPECT_EQ(images(from(IteratorType::kAfterSequence, records[2].sequence)), tail(3));
    auto latest = from(IteratorType::kLatest, std::nullopt);
    EXPECT_TRUE(read_on(engine, latest).empty());
    must(engine.put(kTable, R"({"pk":{"S":"a"},"sk":{"N":"9"}})"));
    EXPECT_EQ(read_on(engine, latest).size(), 1U);
    EXPECT_TRUE(read_on(engine, latest).empty());

    const auto refused = [&](const std::string& sequence) {
        return error_of(iterator(engine, arn, shard, IteratorType::kAtSequence, sequence)).code;
    };
    EXPECT_EQ(refused(std::string(21, '0')), ErrorCode::kValidation);
    EXPECT_EQ(refused(std::string(40, '9')), ErrorCode::kValidation);
    EXPECT_EQ(refused("00000000000000000000x"), ErrorCode::kValidation);
    EXPECT_EQ(
        error_of(iterator(engine, arn, shard + "0", IteratorType::kLatest)).code,
        ErrorCode::kResourceNotFound
    );
    EXPECT_EQ(
        error_of(iterator(engine, arn + "0", shard, IteratorType::kLatest)).code,
        ErrorCode::kResourceNotFound
    );
    EXPECT_EQ(
        error_of(iterator(engine, "nonsense", shard, IteratorType::kLatest)).code,
        ErrorCode::kValidation
    );
}

TEST(StreamsTest, PagesEndAtOneMegabyte) {
    TestEngine engine;
    const auto arn =
        must(engine.create(table_with_stream(StreamView::kNewImage))).table.latest_stream_arn;
    const std::string filler(300'000, 'x');
    for (int n = 0; n < 5; ++n) {
        must(engine.put(
            kTable,
            R"({"pk":{"S":"a"},"sk":{"N":")" + std::to_string(n) + R"("},"f":{"S":")" + filler +
                R"("}})"
        ));
    }
    std::vector<std::size_t> pages;
    for (const auto& shard : describe_stream(engine, arn).shards) {
        auto at = must(iterator(engine, arn, shard.id, IteratorType::kTrimHorizon)).iterator;
        for (;;) {
            auto page = must(ask(engine, &Streams::get_records, {.iterator = at}));
            if (page.records.empty()) {
                break;
            }
            pages.push_back(page.records.size());
            at = *page.next_iterator;
        }
    }
    EXPECT_EQ(pages, (std::vector<std::size_t>{3, 2}));
}

TEST(StreamsTest, IteratorsExpireAndCannotBeMadeUp) {
    TestEngine engine;
    const auto arn =
        must(engine.create(table_with_stream(StreamView::kKeysOnly))).table.latest_stream_arn;
    const auto shard = describe_stream(engine, arn).shards[0].id;
    auto at = must(iterator(engine, arn, shard, IteratorType::kTrimHorizon)).iterator;
    engine.clock().advance(15 * kMinute);
    EXPECT_TRUE(read_on(engine, at).empty());
    engine.clock().advance(15 * kMinute + 1);
    EXPECT_EQ(
        error_of(ask(engine, &Streams::get_records, {.iterator = at})).code,
        ErrorCode::kExpiredIterator
    );
    at = must(iterator(engine, arn, shard, IteratorType::kTrimHorizon)).iterator;
    for (std::size_t i = 0; i < at.size(); i += 5) {
        auto changed = at;
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        EXPECT_FALSE(ask(engine, &Streams::get_records, {.iterator = changed})) << changed;
    }
    for (const auto* text : {"", "|1|", "x", "arn:aws:dynamodb:|1|AAAA", "|1||1|"}) {
        EXPECT_EQ(
            error_of(ask(engine, &Streams::get_records, {.iterator = text})).message,
            "Invalid ShardIterator"
        );
    }
}

TEST(StreamsTest, RecordsAreTrimmedAfterADay) {
    TestEngine engine;
    const auto arn =
        must(engine.create(table_with_stream(StreamView::kKeysOnly))).table.latest_stream_arn;
    must(engine.put(kTable, kFirst));
    const auto first = read_all(engine, arn).at(0).sequence;
    std::string shard;
    for (const auto& each : describe_stream(engine, arn).shards) {
        auto at = must(iterator(engine, arn, each.id, IteratorType::kTrimHorizon)).iterator;
        shard = read_on(engine, at).empty() ? shard : each.id;
    }
    engine.clock().advance(2 * kHour);
    must(engine.put(kTable, kSecond));
    engine.clock().advance(22 * kHour - 5 * kMinute);
    auto old_place = must(iterator(engine, arn, shard, IteratorType::kAtSequence, first)).iterator;
    auto oldest = must(iterator(engine, arn, shard, IteratorType::kTrimHorizon)).iterator;
    engine.clock().advance(6 * kMinute);
    EXPECT_EQ(
        error_of(ask(engine, &Streams::get_records, {.iterator = old_place})).code,
        ErrorCode::kTrimmedDataAccess
    );
    EXPECT_EQ(
        error_of(iterator(engine, arn, shard, IteratorType::kAfterSequence, first)).code,
        ErrorCode::kTrimmedDataAccess
    );
    EXPECT_EQ(texts_of(read_on(engine, oldest)), std::vector{"MODIFY " + kKey + "  -> "});
    EXPECT_TRUE(happens_within(std::chrono::seconds(30), [&] {
        return stored_records(engine) == 1;
    }));
}

TEST(StreamsTest, ShardsAreFollowedByOthers) {
    TestEngine engine;
    const auto arn =
        must(engine.create(table_with_stream(StreamView::kNewImage))).table.latest_stream_arn;
    const auto parents = describe_stream(engine, arn).shards;
    must(engine.put(kTable, kFirst));
    engine.clock().advance(4 * kHour);
    ASSERT_TRUE(happens_within(std::chrono::seconds(30), [&] {
        return describe_stream(engine, arn).shards.size() == 2 * parents.size();
    }));
    must(engine.put(kTable, kSecond));
    const auto shards = describe_stream(engine, arn).shards;
    for (std::size_t i = 0; i < parents.size(); ++i) {
        EXPECT_EQ(shards[i].id, parents[i].id);
        EXPECT_TRUE(shards[i].last_sequence);
        const auto& child = shards[parents.size() + i];
        EXPECT_EQ(child.parent, parents[i].id);
        EXPECT_GT(child.id, shards[i].id);
        EXPECT_GT(child.first_sequence, *shards[i].last_sequence);
        EXPECT_FALSE(child.last_sequence);
        const auto children =
            must(ask(engine, &Streams::describe_stream, {.arn = arn, .children_of = parents[i].id})
            );
        ASSERT_EQ(children.shards.size(), 1U);
        EXPECT_EQ(children.shards[0].id, child.id);
    }
    EXPECT_EQ(
        texts_of(read_all(engine, arn)),
        (std::vector<std::string>{
            "INSERT " + kKey + "  -> " + kFirst, "MODIFY " + kKey + "  -> " + kSecond})
    );
    // Pages of shards.
    std::vector<std::string> ids;
    std::optional<std::string> last;
    do {
        const auto page = must(ask(
            engine, &Streams::describe_stream, {.arn = arn, .exclusive_start = last, .limit = 3}
        ));
        for (const auto& each : page.shards) {
            ids.push_back(each.id);
        }
        last = page.last_evaluated;
    } while (last);
    EXPECT_EQ(ids.size(), shards.size());
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    // Shards that hold nothing any more go, the open ones stay.
    engine.clock().advance(25 * kHour);
    ASSERT_TRUE(happens_within(std::chrono::seconds(30), [&] {
        const auto left = describe_stream(engine, arn).shards;
        return left.front().id > parents.back().id;
    }));
    EXPECT_EQ(stored_records(engine), 0U);
}

TEST(StreamsTest, NumbersGrowOverRestartsWhateverTheClockDoes) {
    TestEngine engine;
    const auto arn =
        must(engine.create(table_with_stream(StreamView::kNewImage))).table.latest_stream_arn;
    must(engine.put(kTable, kFirst));
    engine.reopen();
    engine.clock().advance(-kHour);
    must(engine.put(kTable, kSecond));
    engine.reopen();
    must(engine.remove(kTable, kKey));
    const auto records = read_all(engine, arn);
    ASSERT_EQ(records.size(), 3U);
    EXPECT_EQ(records[0].event, StreamEvent::kInsert);
    EXPECT_EQ(records[1].event, StreamEvent::kModify);
    EXPECT_EQ(records[2].event, StreamEvent::kRemove);
}

// A reader that follows all shards from the start gets each write once, and those of one item in
// order, while others write.
TEST(StreamsTest, ReaderFollowsConcurrentWriters) {
    constexpr int kWriters = 4;
    constexpr int kWrites = 200;
    constexpr int kKeys = 5;
    TestEngine engine;
    const auto arn =
        must(engine.create(table_with_stream(StreamView::kNewImage))).table.latest_stream_arn;
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < kWriters; ++writer) {
        writers.emplace_back([&engine, writer] {
            for (int n = 0; n < kWrites; ++n) {
                must(engine.put(
                    kTable,
                    R"({"pk":{"S":")" + std::to_string(writer) + "-" + std::to_string(n % kKeys) +
                        R"("},"sk":{"N":"0"},"n":{"N":")" + std::to_string(n) + R"("}})"
                ));
            }
        });
    }
    std::map<std::string, std::string> places;
    for (const auto& shard : describe_stream(engine, arn).shards) {
        places[shard.id] =
            must(iterator(engine, arn, shard.id, IteratorType::kTrimHorizon)).iterator;
    }
    std::map<std::string, std::vector<int>> seen;
    int total = 0;
    EXPECT_TRUE(happens_within(std::chrono::seconds(60), [&] {
        for (auto& [shard, at] : places) {
            for (const auto& record : read_on(engine, at, 50)) {
                const auto image = value::decode_item(record.new_image->view());
                const auto n = std::get<value::Number>(image.at("n").data).to_text();
                seen[to_json(record.keys.view())].push_back(std::stoi(n));
                ++total;
            }
        }
        return total >= kWriters * kWrites;
    }));
    EXPECT_EQ(total, kWriters * kWrites);
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(kWriters * kKeys));
    for (const auto& [key, list] : seen) {
        EXPECT_EQ(list.size(), static_cast<std::size_t>(kWrites / kKeys)) << key;
        EXPECT_TRUE(std::is_sorted(list.begin(), list.end())) << key;
    }
}

}  // namespace
}  // namespace gateleg::engine

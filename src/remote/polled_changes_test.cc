#include "remote/polled_changes.h"

#include <atomic>
#include <map>
#include <thread>

#include <gtest/gtest.h>

#include "api/dynamodb/face.h"
#include "engine/engine.h"
#include "http/server.h"
#include "remote/remote_dynamo.h"
#include "remote/test_calls.h"
#include "storage/store.h"
#include "value/attribute_value.h"

// The store is an engine behind the DynamoDB face, asked over HTTP.

namespace gateleg::remote {
namespace {

using namespace std::chrono_literals;
using dynamo::Dynamo;
using dynamo::StreamView;

constexpr std::int64_t kNow = 1'700'000'000'123;
constexpr std::int64_t kHour = 3'600'000;
constexpr const char* kTable = "music";

storage::StoreOptions in_memory() {
    storage::StoreOptions options;
    options.in_memory = true;
    return options;
}

class FarStore {
public:
    FarStore()
        : store_(storage::Store::open(in_memory())),
          engine_((clock.freeze_at(kNow), *store_), clock, {}),
          face_(engine_, real_clock, {.streams = &engine_}),
          server_(1) {
        const auto address = server_.listen("127.0.0.1", 0, face_);
        server_.start();
        RemoteOptions options;
        options.store = *parse_store("http://127.0.0.1:" + std::to_string(address->port));
        options.credentials.access_key_id = "any";
        options.credentials.secret_access_key = "any";
        remote = std::make_unique<RemoteDynamo>(std::move(options), real_clock);
    }
    ~FarStore() {
        remote.reset();
        server_.stop();
    }

    template <class Request>
    void must(Call<Request> call, Request request) {
        const auto reply = call_and_wait(*remote, call, std::move(request));
        ASSERT_TRUE(reply) << reply.error().message;
    }
    void create(std::optional<StreamView> view = StreamView::kNewAndOldImages) {
        dynamo::CreateTableRequest request{
            .table = kTable,
            .attributes = {{"pk", value::Type::kString}},
            .key_schema = {{"pk", dynamo::KeyRole::kHash}},
            .billing_mode = dynamo::BillingMode::kPayPerRequest};
        if (view) {
            request.stream = dynamo::StreamSpecification{true, view};
        }
        must(&Dynamo::create_table, request);
    }
    void put(int key, int n) {
        dynamo::PutItemRequest request;
        request.write.table = kTable;
        request.item = item_of(
            R"({"pk":{"S":"k)" + std::to_string(key) + R"("},"n":{"N":")" + std::to_string(n) +
            R"("}})"
        );
        must(&Dynamo::put_item, std::move(request));
    }
    void set_stream(bool on) {
        dynamo::UpdateTableRequest request{.table = kTable};
        request.stream = dynamo::StreamSpecification{
            on, on ? std::optional(StreamView::kNewAndOldImages) : std::nullopt};
        must(&Dynamo::update_table, request);
    }

    SystemClock real_clock;
    SettableClock clock;
    std::unique_ptr<RemoteDynamo> remote;

private:
    std::unique_ptr<storage::Store> store_;
    engine::Engine engine_;
    api::dynamodb::Face face_;
    http::Server server_;
};

PollOptions quick() {
    return {.interval = 5ms, .look = 50ms, .pause = 20ms};
}

// Reads on from `after` until there are `count` records, or for ten seconds.
std::vector<dynamo::StreamRecord> read_on(
    const PolledChanges& changes, std::string& after, std::size_t count
) {
    std::vector<dynamo::StreamRecord> all;
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (all.size() < count && std::chrono::steady_clock::now() < end) {
        const auto page = changes.read_changes({.table = kTable, .after = after, .limit = 3});
        EXPECT_TRUE(page) << page.error().message;
        for (const auto& record : page->records) {
            EXPECT_GT(record.sequence, after);
            EXPECT_EQ(record.sequence.size(), 21);
            after = record.sequence;
            all.push_back(record);
        }
        after = page->position;
        std::this_thread::sleep_for(page->more ? 0ms : 2ms);
    }
    return all;
}

TEST(PolledChangesTest, TellsWhatIsWrittenFromTheFirstQuestionOn) {
    FarStore store;
    store.create();
    store.put(0, -1);  // before anybody follows
    PolledChanges changes(*store.remote, *store.remote, store.real_clock, quick());
    std::atomic<int> rung = 0;
    changes.on_changes([&] { ++rung; });
    const auto range = changes.changes_range(kTable);
    ASSERT_TRUE(range) << range.error().message;
    EXPECT_TRUE(range->enabled);
    EXPECT_EQ(range->view, StreamView::kNewAndOldImages);
    EXPECT_EQ(range->horizon, range->latest);

    auto after = range->latest;
    for (int n = 0; n < 30; ++n) {
        store.put(n % 7, n);
    }
    auto records = read_on(changes, after, 30);
    // The shards are closed, their iterators have had their time, and others follow them.
    store.clock.advance(5 * kHour);
    for (int n = 30; n < 60; ++n) {
        store.put(n % 7, n);
    }
    for (auto& record : read_on(changes, after, 30)) {
        records.push_back(std::move(record));
    }
    ASSERT_EQ(records.size(), 60);
    std::map<std::string, double> newest;
    for (const auto& record : records) {
        const auto keys = value::decode_item(record.keys.view());
        const auto image = value::decode_item(record.new_image->view());
        const auto n = std::stod(std::get<value::Number>(image.at("n").data).to_text());
        auto& last =
            newest.try_emplace(std::get<std::string>(keys.at("pk").data), -1).first->second;
        EXPECT_GT(n, last) << "records of an item are out of order";
        last = n;
    }
    EXPECT_EQ(newest.size(), 7);
    EXPECT_GT(rung, 0);
    changes.on_changes({});
}

TEST(PolledChangesTest, TellsThatRecordsAreNoLongerKept) {
    FarStore store;
    store.create();
    auto options = quick();
    options.max_records = 5;
    PolledChanges changes(*store.remote, *store.remote, store.real_clock, options);
    const auto start = changes.changes_range(kTable)->latest;
    for (int n = 0; n < 20; ++n) {
        store.put(n, n);
    }
    auto after = start;
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!changes.read_changes({.table = kTable, .after = after})->gap &&
           std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(2ms);
    }
    EXPECT_TRUE(changes.read_changes({.table = kTable, .after = start})->gap);
    // A number of another time is older than all that is kept, or was never given out.
    EXPECT_TRUE(changes.read_changes({.table = kTable, .after = std::string(21, '0')})->gap);
    EXPECT_FALSE(changes.read_changes({.table = kTable, .after = std::string(21, '9')}));
}

TEST(PolledChangesTest, EndsWithTheStream) {
    FarStore store;
    store.create(std::nullopt);
    PolledChanges changes(*store.remote, *store.remote, store.real_clock, quick());
    EXPECT_FALSE(changes.changes_range(kTable)->enabled);
    EXPECT_EQ(changes.changes_range("nothing").error().code, ErrorCode::kResourceNotFound);
    EXPECT_FALSE(changes.read_changes({.table = kTable, .after = "0"})->enabled);

    store.set_stream(true);
    const auto range = changes.changes_range(kTable);
    ASSERT_TRUE(range && range->enabled);
    store.set_stream(false);
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (changes.read_changes({.table = kTable, .after = range->latest})->enabled &&
           std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(2ms);
    }
    EXPECT_FALSE(changes.read_changes({.table = kTable, .after = range->latest})->enabled);
    EXPECT_FALSE(changes.changes_range(kTable)->enabled);
}

}  // namespace
}  // namespace gateleg::remote

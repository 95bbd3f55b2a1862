#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/dynamodb/face.h"
#include "api/dynamodb/write_reply.h"
#include "auth/key_ring.h"
#include "engine/engine.h"
#include "http/server.h"
#include "remote/remote_dynamo.h"
#include "remote/test_calls.h"
#include "storage/store.h"

// Each case runs on an engine, and over HTTP on another engine behind the DynamoDB face: whoever
// calls dynamo::Dynamo must not be able to tell which is which.

namespace gateleg::remote {
namespace {

using namespace dynamo;  // NOLINT(google-build-using-namespace): the types under test

constexpr std::int64_t kNow = 1'700'000'000'123;
constexpr std::string_view kCredentials =
    "[app]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG\n";

class LocalEngine {
public:
    LocalEngine() : store(storage::Store::open(in_memory())), engine(*store, clock, {}) {
        clock.freeze_at(kNow);
    }

    static storage::StoreOptions in_memory() {
        storage::StoreOptions options;
        options.in_memory = true;
        return options;
    }

    SettableClock clock;
    std::unique_ptr<storage::Store> store;
    engine::Engine engine;
};

class RemoteEngine {
public:
    explicit RemoteEngine(std::string_view secret = "wJalrXUtnFEMI/K7MDENG")
        : keys(auth::KeyRing::fixed(*auth::Credentials::parse(kCredentials, "test"))),
          face(
              local.engine,
              real_clock,
              {.keys = keys.get(), .streams = &local.engine, .settings = &local.engine}
          ),
          server(1) {
        const auto address = server.listen("127.0.0.1", 0, face);
        server.start();
        RemoteOptions options;
        options.store = *parse_store("http://127.0.0.1:" + std::to_string(address->port));
        options.credentials.access_key_id = "AKIDEXAMPLE";
        options.credentials.secret_access_key = secret;
        remote = std::make_unique<RemoteDynamo>(std::move(options), real_clock);
    }
    ~RemoteEngine() {
        remote.reset();
        server.stop();
    }

    SystemClock real_clock;
    LocalEngine local;
    std::unique_ptr<auth::KeyRing> keys;
    api::dynamodb::Face face;
    http::Server server;
    std::unique_ptr<RemoteDynamo> remote;
};

// Makes calls and writes down what came of them.
class Session {
public:
    explicit Session(Dynamo& dynamo) : dynamo_(dynamo) {}

    template <class Request>
    auto call(remote::Call<Request> function, Request request) {
        auto result = call_and_wait(dynamo_, function, std::move(request));
        std::string line;
        if (!result) {
            api::dynamodb::write_error(line, result.error());
        } else if constexpr (std::is_same_v<typename Request::Reply, TableReply>) {
            auto table = result->table;
            table.id.clear();  // random
            api::dynamodb::write_table(line, "Table", table);
        } else {
            api::dynamodb::write_reply(line, *result);
        }
        lines.push_back(std::move(line));
        return result;
    }

    // For the lines alone.
    template <class Request>
    void note(remote::Call<Request> function, Request request) {
        static_cast<void>(call(function, std::move(request)).has_value());
    }

    static CreateTableRequest table_named(const std::string& name) {
        CreateTableRequest request{
            .table = name,
            .attributes =
                {{"pk", value::Type::kString},
                 {"sk", value::Type::kNumber},
                 {"kind", value::Type::kString}},
            .key_schema = {{"pk", KeyRole::kHash}, {"sk", KeyRole::kRange}},
            .billing_mode = BillingMode::kPayPerRequest,
        };
        request.global_indexes.emplace().push_back(
            {.name = "byKind",
             .key_schema = {{"kind", KeyRole::kHash}, {"sk", KeyRole::kRange}},
             .projection = {ProjectionType::kInclude, {"note"}}}
        );
        request.local_indexes.emplace().push_back(
            {.name = "local",
             .key_schema = {{"pk", KeyRole::kHash}, {"kind", KeyRole::kRange}},
             .projection = {ProjectionType::kKeysOnly, {}}}
        );
        return request;
    }

    void create_table(const std::string& name = "Orders") {
        ASSERT_TRUE(call(&Dynamo::create_table, table_named(name))) << lines.back();
    }

    auto put(const std::string& item, ItemWrite write = {}, ItemWriteOptions options = {}) {
        write.table = "Orders";
        return call(&Dynamo::put_item, PutItemRequest{std::move(write), options, item_of(item)});
    }

    auto get(const std::string& key) {
        return call(
            &Dynamo::get_item,
            GetItemRequest{
                .table = "Orders",
                .key = item_of(key),
                .consistent_read = true,
                .return_capacity = ReturnCapacity::kIndexes}
        );
    }

    void put_twelve() {
        for (int i = 0; i < 12; ++i) {
            const auto number = std::to_string(i);
            ASSERT_TRUE(
                put(R"({"pk":{"S":"p)" + std::to_string(i % 2) + R"("},"sk":{"N":")" + number +
                    R"("},"kind":{"S":"k"},"note":{"S":"note )" + number + R"("}})")
            ) << lines.back();
        }
    }

    std::vector<std::string> lines;

private:
    Dynamo& dynamo_;
};

constexpr ItemWriteOptions kEverything{
    .return_values = ReturnValues::kAllOld,
    .return_capacity = ReturnCapacity::kIndexes,
    .return_collection_metrics = true};

void put_get_delete(Session& session) {
    session.create_table();
    const std::string key = R"({"pk":{"S":"a"},"sk":{"N":"1"}})";
    ASSERT_FALSE(session.get(key)->item);
    ASSERT_TRUE(session.put(
        R"({"pk":{"S":"a"},"sk":{"N":"1"},"kind":{"S":"k"},"b":{"B":"AAH/"},"f":{"BOOL":false},
            "u":{"NULL":true},"l":{"L":[{"N":"1.50"},{"M":{"x":{"S":"\"\\\u0001é"}}}]},
            "ss":{"SS":["b","a"]},"ns":{"NS":["10","9"]},"bs":{"BS":["AQ==","AA=="]}})",
        {},
        kEverything
    ));
    ASSERT_TRUE(session.get(key)->item);
    ASSERT_TRUE(session.put(R"({"pk":{"S":"a"},"sk":{"N":"1"}})", {}, kEverything)->attributes);
    const auto refused = session.put(
        key,
        {.condition = "attribute_not_exists(#p)",
         .placeholders = placeholders({{"#p", "pk"}}),
         .return_old_on_failure = true}
    );
    ASSERT_EQ(refused.error().code, ErrorCode::kConditionalCheckFailed);
    ASSERT_NE(dynamic_cast<const FailedItem*>(refused.error().detail.get()), nullptr);
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(session.call(
            &Dynamo::delete_item, DeleteItemRequest{{.table = "Orders"}, kEverything, item_of(key)}
        ));
    }
    session.note(
        &Dynamo::get_item, GetItemRequest{.table = "Orders", .key = item_of(R"({"pk":{"S":"a"}})")}
    );
    session.note(&Dynamo::get_item, GetItemRequest{.table = "Missing", .key = item_of(key)});
}

void update(Session& session) {
    session.create_table();
    for (const auto values :
         {ReturnValues::kNone,
          ReturnValues::kAllOld,
          ReturnValues::kUpdatedOld,
          ReturnValues::kAllNew,
          ReturnValues::kUpdatedNew}) {
        ASSERT_TRUE(session.call(
            &Dynamo::update_item,
            UpdateItemRequest{
                {.table = "Orders",
                 .placeholders = placeholders(
                     {{"#n", "count"}}, R"({":one":{"N":"1"},":e":{"L":[]},":s":{"L":[{"S":"x"}]}})"
                 )},
                {.return_values = values, .return_capacity = ReturnCapacity::kTotal},
                item_of(R"({"pk":{"S":"a"},"sk":{"N":"1"}})"),
                "SET history = list_append(if_not_exists(history, :e), :s) ADD #n :one"}
        )) << session.lines.back();
    }
    session.note(
        &Dynamo::update_item,
        UpdateItemRequest{
            {.table = "Orders"}, {}, item_of(R"({"pk":{"S":"a"},"sk":{"N":"1"}})"), "SET bad"}
    );
    ASSERT_EQ(
        session
            .call(
                &Dynamo::update_item,
                UpdateItemRequest{
                    {.table = "Orders",
                     .condition = "history = :v",
                     .placeholders = placeholders({}, R"({":v":{"S":""}})")},
                    {},
                    item_of(R"({"pk":{"S":"a"},"sk":{"N":"1"}})"),
                    "REMOVE history"}
            )
            .error()
            .code,
        ErrorCode::kConditionalCheckFailed
    );
}

void query(Session& session) {
    session.create_table();
    session.put_twelve();
    ReadPage page{
        .table = "Orders",
        .placeholders = placeholders({}, R"({":p":{"S":"p1"}})"),
        .limit = 2,
        .return_capacity = ReturnCapacity::kIndexes};
    std::size_t seen = 0;
    for (int pages = 0; pages < 10; ++pages) {
        const auto reply = session.call(
            &Dynamo::query, QueryRequest{.page = page, .key_condition = "pk = :p", .forward = false}
        );
        ASSERT_TRUE(reply) << session.lines.back();
        seen += reply->items.size();
        page.exclusive_start_key = reply->last_evaluated_key;
        if (!page.exclusive_start_key) {
            break;
        }
    }
    ASSERT_EQ(seen, 6U);
    ASSERT_EQ(
        session
            .call(
                &Dynamo::query,
                QueryRequest{
                    .page =
                        {.table = "Orders",
                         .index = "byKind",
                         .filter = "contains(note, :n)",
                         .placeholders =
                             placeholders({{"#k", "kind"}}, R"({":k":{"S":"k"},":n":{"S":"1"}})")},
                    .key_condition = "#k = :k"}
            )
            ->count,
        3
    );
    ASSERT_TRUE(session
                    .call(
                        &Dynamo::query,
                        QueryRequest{
                            .page =
                                {.table = "Orders",
                                 .placeholders = placeholders({}, R"({":p":{"S":"p0"}})"),
                                 .select = Select::kCount},
                            .key_condition = "pk = :p"}
                    )
                    ->count_only);
    session.note(
        &Dynamo::query,
        QueryRequest{.page = {.table = "Orders", .index = "none"}, .key_condition = "pk = :p"}
    );
}

void scan(Session& session) {
    session.create_table();
    session.put_twelve();
    ASSERT_EQ(session.call(&Dynamo::scan, ScanRequest{.page = {.table = "Orders"}})->count, 12);
    std::int64_t count = 0;
    for (std::uint32_t segment = 0; segment < 3; ++segment) {
        count += session
                     .call(
                         &Dynamo::scan,
                         ScanRequest{
                             .page =
                                 {.table = "Orders",
                                  .projection = "pk, sk",
                                  .return_capacity = ReturnCapacity::kTotal},
                             .segment = segment,
                             .total_segments = 3}
                     )
                     ->count;
    }
    ASSERT_EQ(count, 12);
    session.note(&Dynamo::scan, ScanRequest{.page = {.table = "Orders", .index = "local"}});
}

void batches(Session& session) {
    session.create_table();
    BatchWriteItemRequest write;
    write.return_capacity = ReturnCapacity::kIndexes;
    write.return_collection_metrics = true;
    auto& table = write.tables.emplace_back();
    table.name = "Orders";
    BatchGetItemRequest get;
    get.return_capacity = ReturnCapacity::kTotal;
    auto& keys = get.tables.emplace_back();
    keys.table = "Orders";
    keys.projection = "#s, note";
    keys.placeholders = placeholders({{"#s", "sk"}});
    for (int i = 0; i < 20; ++i) {
        const auto key = R"("pk":{"S":"a"},"sk":{"N":")" + std::to_string(i) + R"("})";
        table.writes.push_back({item_of("{" + key + R"(,"note":{"S":"x"}})"), false});
        keys.keys.push_back(item_of("{" + key + "}"));
    }
    keys.keys.push_back(item_of(R"({"pk":{"S":"none"},"sk":{"N":"0"}})"));
    ASSERT_TRUE(session.call(&Dynamo::batch_write_item, write)) << session.lines.back();
    const auto found = session.call(&Dynamo::batch_get_item, get);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->tables.at(0).items.size(), 20U);
    for (std::size_t i = 0; i < 20; ++i) {
        table.writes[i] = {keys.keys[i], true};
    }
    ASSERT_TRUE(session.call(&Dynamo::batch_write_item, write));
    session.note(&Dynamo::batch_get_item, get);
    write.tables[0].name = "Missing";
    session.note(&Dynamo::batch_write_item, write);
}

TransactWriteItemsRequest transfer(const std::string& amount) {
    TransactWriteItemsRequest request;
    request.return_capacity = ReturnCapacity::kTotal;
    for (const auto* account : {"from", "to"}) {
        auto& action = request.actions.emplace_back();
        action.kind = TransactAction::kUpdate;
        action.item = item_of(R"({"pk":{"S":")" + std::string(account) + R"("},"sk":{"N":"0"}})");
        action.update = account == std::string("to") ? "SET balance = balance + :a"
                                                     : "SET balance = balance - :a";
        action.write.table = "Orders";
        action.write.placeholders = placeholders({}, R"({":a":{"N":")" + amount + R"("}})");
        if (account == std::string("from")) {
            action.write.condition = "balance >= :a";
            action.write.return_old_on_failure = true;
        }
    }
    return request;
}

void transactions(Session& session) {
    session.create_table();
    for (const auto* account : {"from", "to"}) {
        ASSERT_TRUE(session.put(
            R"({"pk":{"S":")" + std::string(account) + R"("},"sk":{"N":"0"},"balance":{"N":"100"}})"
        ));
    }
    ASSERT_TRUE(session.call(&Dynamo::transact_write_items, transfer("60")))
        << session.lines.back();
    const auto refused = session.call(&Dynamo::transact_write_items, transfer("60"));
    ASSERT_EQ(refused.error().code, ErrorCode::kTransactionCanceled);
    const auto* reasons = dynamic_cast<const CancellationReasons*>(refused.error().detail.get());
    ASSERT_NE(reasons, nullptr);
    ASSERT_EQ(reasons->reasons.size(), 2U);
    ASSERT_TRUE(reasons->reasons[0].item);

    auto once = transfer("1");
    once.client_request_token = "once";
    once.content_hash = 1;  // what the DynamoDB face works out for the remote one
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(session.call(&Dynamo::transact_write_items, once));
    }
    auto other = transfer("2");
    other.client_request_token = "once";
    other.content_hash = 2;
    ASSERT_EQ(
        session.call(&Dynamo::transact_write_items, other).error().code,
        ErrorCode::kIdempotentParameterMismatch
    );
    TransactGetItemsRequest get;
    get.return_capacity = ReturnCapacity::kTotal;
    for (const auto* account : {"from", "nobody", "to"}) {
        get.gets.push_back(
            {.table = "Orders",
             .key = item_of(R"({"pk":{"S":")" + std::string(account) + R"("},"sk":{"N":"0"}})"),
             .projection = "balance",
             .placeholders = {}}
        );
    }
    const auto read = session.call(&Dynamo::transact_get_items, get);
    ASSERT_TRUE(read);
    ASSERT_EQ(read->items.size(), 3U);
    ASSERT_FALSE(read->items[1]);
    ASSERT_NE(session.lines.back().find(R"("39")"), std::string::npos) << session.lines.back();
}

void tables(Session& session) {
    session.create_table();
    session.create_table("Other");
    ASSERT_EQ(
        session.call(&Dynamo::create_table, Session::table_named("Orders")).error().code,
        ErrorCode::kResourceInUse
    );
    const auto described =
        session.call(&Dynamo::describe_table, DescribeTableRequest{.table = "Orders"});
    ASSERT_TRUE(described);
    ASSERT_EQ(described->table.global_indexes.size(), 1U);
    ASSERT_EQ(session.call(&Dynamo::list_tables, ListTablesRequest{})->names.size(), 2U);
    session.note(&Dynamo::list_tables, ListTablesRequest{.limit = 1});
    session.note(&Dynamo::list_tables, ListTablesRequest{.exclusive_start = "Orders"});
    ASSERT_TRUE(session.call(
        &Dynamo::update_table, UpdateTableRequest{.table = "Orders", .deletion_protection = true}
    ));
    session.note(&Dynamo::delete_table, DeleteTableRequest{.table = "Orders"});
    ASSERT_TRUE(session.call(&Dynamo::delete_table, DeleteTableRequest{.table = "Other"}));
    session.note(&Dynamo::delete_table, DeleteTableRequest{.table = "Missing"});

    const auto arn = described->table.arn;
    ASSERT_TRUE(session.call(&Dynamo::tag_resource, TagResourceRequest{arn, {{"a", "b"}}}));
    ASSERT_TRUE(session.call(&Dynamo::tag_resource, TagResourceRequest{arn, {{"c", "d"}}}));
    ASSERT_TRUE(session.call(&Dynamo::untag_resource, UntagResourceRequest{arn, {"a"}}));
    ASSERT_EQ(
        session.call(
                   &Dynamo::list_tags_of_resource, ListTagsOfResourceRequest{arn, {}}
        )->tags.size(),
        1U
    );
    session.note(&Dynamo::list_tags_of_resource, ListTagsOfResourceRequest{"arn:bad", {}});
}

void time_to_live(Session& session) {
    session.create_table();
    const DescribeTimeToLiveRequest describe{.table = "Orders"};
    ASSERT_FALSE(session.call(&Dynamo::describe_time_to_live, describe)->attribute);
    const UpdateTimeToLiveRequest enable{
        .table = "Orders", .specification = {.attribute = "expires", .enabled = true}};
    ASSERT_TRUE(session.call(&Dynamo::update_time_to_live, enable));
    session.note(&Dynamo::update_time_to_live, enable);
    ASSERT_EQ(session.call(&Dynamo::describe_time_to_live, describe)->attribute, "expires");
}

struct Case {
    const char* name;
    void (*run)(Session&);
};

class SameResultsTest : public ::testing::TestWithParam<Case> {};

TEST_P(SameResultsTest, OnTheEngineAndOverHttp) {
    LocalEngine local;
    Session direct(local.engine);
    GetParam().run(direct);
    ASSERT_FALSE(HasFatalFailure());

    RemoteEngine engine;
    Session over_http(*engine.remote);
    GetParam().run(over_http);
    ASSERT_FALSE(HasFatalFailure());
    ASSERT_EQ(direct.lines.size(), over_http.lines.size());
    for (std::size_t i = 0; i < direct.lines.size(); ++i) {
        EXPECT_EQ(direct.lines[i], over_http.lines[i]);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Cases,
    SameResultsTest,
    ::testing::Values(
        Case{"PutGetDelete", put_get_delete},
        Case{"Update", update},
        Case{"Query", query},
        Case{"Scan", scan},
        Case{"Batches", batches},
        Case{"Transactions", transactions},
        Case{"Tables", tables},
        Case{"TimeToLive", time_to_live}
    ),
    [](const auto& parameter) { return std::string(parameter.param.name); }
);

TEST(RemoteEngineTest, ProbeFindsNothingMissing) {
    RemoteEngine engine;
    const auto found = engine.remote->probe();
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_TRUE(found->missing.empty());
}

TEST(RemoteEngineTest, ASocketFileIsAsGoodAsAPort) {
    char folder[] = "/tmp/gateleg-socket-XXXXXX";
    ASSERT_NE(::mkdtemp(folder), nullptr);
    const auto path = std::filesystem::path(folder) / "test.sock";
    LocalEngine local;
    SystemClock clock;
    api::dynamodb::Face face(local.engine, clock, {});
    http::Server server(1);
    ASSERT_TRUE(server.listen_unix(path, face));
    EXPECT_EQ(
        std::filesystem::status(path).permissions(),
        std::filesystem::perms::owner_read | std::filesystem::perms::owner_write
    );
    EXPECT_FALSE(server.listen_unix(std::string(200, 'x'), face));
    server.start();
    {
        RemoteOptions options;
        options.store = at_unix_socket(path.string());
        options.credentials.access_key_id = "any";
        options.credentials.secret_access_key = "any";
        RemoteDynamo remote(std::move(options), clock);
        const auto reply = call_and_wait(remote, &Dynamo::list_tables, ListTablesRequest{});
        ASSERT_TRUE(reply) << reply.error().message;
        EXPECT_TRUE(reply->names.empty());
    }
    server.stop();
    std::filesystem::remove_all(folder);
}

TEST(RemoteEngineTest, WrongSecretIsRefused) {
    RemoteEngine engine("wrong");
    const auto reply = call_and_wait(*engine.remote, &Dynamo::list_tables, ListTablesRequest{});
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::kAccessDenied);
    EXPECT_FALSE(engine.remote->probe());
}

}  // namespace
}  // namespace gateleg::remote

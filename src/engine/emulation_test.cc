// What EngineOptions change for tests of code that must also run on AWS, and settings without
// effect.

#include <gtest/gtest.h>

#include "dynamo/table_settings.h"
#include "engine/test_engine.h"

namespace gateleg::engine {
namespace {

class EmulationTest : public testing::Test {
protected:
    EmulationTest() : store_(storage::Store::open({.in_memory = true})) {
        clock_.freeze_at(TestEngine::kStartSeconds * 1000);
    }

    void open(EngineOptions options) {
        engine_ = std::make_unique<Engine>(*store_, clock_, std::move(options));
    }
    void create_table() {
        auto request = new_table("t", {"pk"}, {"pk:S", "g:S"});
        request.global_indexes = {index_on("by-g", {"g"}, {})};
        must(call(*engine_, &dynamo::Dynamo::create_table, std::move(request)));
    }
    void put(std::string_view json) {
        must(call(
            *engine_,
            &dynamo::Dynamo::put_item,
            dynamo::PutItemRequest{.write = {.table = "t"}, .options = {}, .item = item(json)}
        ));
    }
    std::size_t found_in_index() {
        auto request = query_of("t", "by-g", "g = :g", R"({":g":{"S":"x"}})");
        return must(call(*engine_, &dynamo::Dynamo::query, std::move(request))).items.size();
    }
    bool is_there(std::string_view key) {
        const auto reply = must(call(
            *engine_,
            &dynamo::Dynamo::get_item,
            dynamo::GetItemRequest{.table = "t", .key = item(key)}
        ));
        return reply.item.has_value();
    }

    SettableClock clock_;
    std::unique_ptr<storage::Store> store_;
    std::unique_ptr<Engine> engine_;
};

TEST_F(EmulationTest, GlobalIndexesAreBehindAndTablesAreNot) {
    open({.index_lag = std::chrono::hours(1)});
    create_table();
    put(R"({"pk":{"S":"a"},"g":{"S":"x"}})");
    EXPECT_TRUE(is_there(R"({"pk":{"S":"a"}})"));
    EXPECT_EQ(found_in_index(), 0U);
}

TEST_F(EmulationTest, GlobalIndexesCatchUp) {
    open({.index_lag = std::chrono::milliseconds(5)});
    create_table();
    put(R"({"pk":{"S":"a"},"g":{"S":"x"}})");
    EXPECT_TRUE(happens_within(std::chrono::seconds(30), [&] { return found_in_index() == 1; }));
}

TEST_F(EmulationTest, ExpiredItemsStayForTheDelay) {
    open({.expiry_delay_seconds = 3600});
    create_table();
    must(call(
        *engine_,
        &dynamo::Dynamo::update_time_to_live,
        dynamo::UpdateTimeToLiveRequest{
            .table = "t", .specification = {.attribute = "e", .enabled = true}}
    ));
    const auto expired = [](std::string_view key, std::int64_t ago) {
        return R"({"pk":{"S":")" + std::string(key) + R"("},"e":{"N":")" +
               std::to_string(TestEngine::kStartSeconds - ago) + R"("}})";
    };
    put(expired("just", 60));
    put(expired("long", 7200));
    EXPECT_TRUE(happens_within(std::chrono::seconds(30), [&] {
        return !is_there(R"({"pk":{"S":"long"}})");
    }));
    EXPECT_TRUE(is_there(R"({"pk":{"S":"just"}})"));
    clock_.advance(3600 * 1000);
    EXPECT_TRUE(happens_within(std::chrono::seconds(30), [&] {
        return !is_there(R"({"pk":{"S":"just"}})");
    }));
}

TEST_F(EmulationTest, SettingsAreKeptOverARestart) {
    open({});
    create_table();
    const auto change = [&](const std::string& table, std::optional<std::string> value) {
        std::promise<Result<dynamo::TableSettingsReply>> reply;
        engine_->change_table_setting({table, "color", std::move(value)}, [&](auto result) {
            reply.set_value(std::move(result));
        });
        return reply.get_future().get();
    };
    const auto settings = [&](const std::string& table) {
        std::optional<Result<dynamo::TableSettingsReply>> reply;
        engine_->get_table_settings({table}, [&](auto result) { reply = std::move(result); });
        return *std::move(reply);
    };
    using Settings = std::map<std::string, std::string>;
    EXPECT_EQ(must(settings("t")).settings, Settings{});
    EXPECT_EQ(must(change("t", "red")).settings, (Settings{{"color", "red"}}));
    engine_.reset();
    open({});
    EXPECT_EQ(must(settings("t")).settings, (Settings{{"color", "red"}}));
    EXPECT_EQ(must(change("t", std::nullopt)).settings, Settings{});
    EXPECT_EQ(error_of(settings("none")).code, ErrorCode::kResourceNotFound);
    EXPECT_EQ(error_of(change("none", "red")).code, ErrorCode::kResourceNotFound);
}

}  // namespace
}  // namespace gateleg::engine

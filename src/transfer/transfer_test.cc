// Budgets and disguises, and whole transfers on an engine in memory.

#include <atomic>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "engine/engine.h"
#include "model/blocking_call.h"
#include "storage/store.h"
#include "transfer/anonymise.h"
#include "transfer/clone_table.h"
#include "transfer/control.h"
#include "transfer/export_table.h"
#include "transfer/import_items.h"
#include "transfer/item_lines.h"
#include "transfer/table_reader.h"
#include "transfer/table_shape.h"
#include "transfer/table_writer.h"

namespace gateleg::transfer {
namespace {

namespace fs = std::filesystem;

TEST(BudgetTest, PaysForWhatWasTaken) {
    Budget budget(1000);
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < 5; ++i) {
        budget.take(20, {});
        budget.settle(20, 40);
    }
    const auto spent = std::chrono::steady_clock::now() - began;
    EXPECT_EQ(budget.spent(), 200);
    EXPECT_GE(spent, std::chrono::milliseconds(150));
    Control stopped;
    stopped.stopped = [] { return true; };
    budget.take(1e6, {});
    budget.take(1e6, stopped);  // does not wait a quarter of an hour
}

TEST(AnonymiseTest, DisguisesWhatRulesName) {
    std::vector<AnonymiseRule> rules;
    for (const auto* text : {"a=mask", "b=hash", "m.c=redact", "d=fake", "n=hash", "gone=mask"}) {
        rules.push_back(*parse_rule(text));
    }
    const Anonymiser anonymiser(rules, "secret");
    const auto item = *parse_item(
        R"({"a":{"S":"Ab-1é"},"b":{"S":"x"},"d":{"S":"me@home"},"m":{"M":{"c":{"S":"x"}}},"n":{"N":"5"}})"
    );
    const auto once = anonymiser.apply(item.view());
    EXPECT_EQ(render_item(once.view()), render_item(anonymiser.apply(item.view()).view()));
    EXPECT_EQ(once.view().find("a")->text(), "xx-9x");
    EXPECT_EQ(once.view().find("b")->text().size(), 32U);
    EXPECT_TRUE(once.view().find("d")->text().ends_with("@example.com"));
    EXPECT_EQ(once.view().find("m")->count(), 0U);
    EXPECT_NE(once.view().find("n")->text(), "5");
    EXPECT_NE(once.bytes(), Anonymiser(rules, "another").apply(item.view()).bytes());
    for (const auto* text : {"a", "=mask", "a.=mask", "a=blur"}) {
        EXPECT_FALSE(parse_rule(text)) << text;
    }
}

class Transfers : public testing::Test {
protected:
    Transfers() : folder_(fs::path(testing::TempDir()) / ("transfers" + make_export_id(1))) {
        fs::create_directories(folder_);
        make_table("t");
    }
    ~Transfers() override { fs::remove_all(folder_); }

    void make_table(const std::string& name) {
        TableShape shape;
        shape.table.attributes = {{"k", value::Type::kNumber}};
        shape.table.key_schema = {{"k", dynamo::KeyRole::kHash}};
        ASSERT_TRUE(create_table(engine_, shape, name));
    }
    void fill(const std::string& table, int count) {
        std::vector<value::EncodedItem> items;
        for (int i = 0; i < count; ++i) {
            items.push_back(
                *parse_item("{\"k\":{\"N\":\"" + std::to_string(i) + "\"},\"v\":{\"S\":\"x\"}}")
            );
        }
        const WriteTable request{
            .table = table,
            .key_schema = {{"k", dynamo::KeyRole::kHash}},
            .units = free_,
            .items = free_};
        const Control control;
        const auto outcome = TableWriter(engine_, request, control).write(items);
        ASSERT_TRUE(outcome) << outcome.error().message;
        ASSERT_EQ(outcome->written, count);
    }
    std::int64_t count(const std::string& table) {
        return *count_items(
            engine_, {.table = table, .consistent = true, .units = free_, .items = free_}, {}
        );
    }

    SystemClock clock_;
    std::unique_ptr<storage::Store> store_ = storage::Store::open({.in_memory = true});
    engine::Engine engine_{*store_, clock_, engine::EngineOptions{}};
    Budget free_{0};
    fs::path folder_;
};

// Stops after so many pages or groups, as Ctrl-C does.
Control stopping_after(std::atomic<int>& left) {
    Control control;
    control.stopped = [&left] { return left <= 0; };
    control.progress = [&left](const Progress&) { --left; };
    return control;
}

TEST_F(Transfers, ExportsImportsAndClonesInManySittings) {
    constexpr int kItems = 900;
    fill("t", kItems);
    ExportOptions out{.table = "t", .folder = folder_, .segments = 3, .max_items = 4000};
    ExportReport exported;
    int sittings = 0;
    do {
        std::atomic<int> left = 2;
        out.resume = sittings++ > 0;
        auto report = export_table(engine_, clock_, out, stopping_after(left));
        ASSERT_TRUE(report) << report.error().message;
        exported = *report;
    } while (!exported.finished && sittings < 1000);
    EXPECT_EQ(exported.items, kItems);
    EXPECT_EQ(exported.summary.item_count, kItems);

    const auto source = find_source(folder_, {});
    ASSERT_TRUE(source) << source.error().message;
    ASSERT_TRUE(verify_source(*source, {}));
    ASSERT_TRUE(source->shape);
    ASSERT_TRUE(create_table(engine_, *source->shape, "imported"));
    ImportOptions in{.table = "imported", .state = folder_ / "state"};
    ImportReport imported;
    sittings = 0;
    do {
        std::atomic<int> left = 1;
        in.resume = sittings++ > 0;
        auto report = import_items(engine_, *source, in, stopping_after(left));
        ASSERT_TRUE(report) << report.error().message;
        imported = *report;
    } while (!imported.finished && sittings < 1000);
    EXPECT_GT(sittings, 2);
    EXPECT_EQ(imported.records, kItems);
    EXPECT_EQ(imported.written, kItems);
    EXPECT_EQ(count("imported"), kItems);

    CloneOptions clone{
        .table = "t", .new_table = "cloned", .max_items = 4000, .state = folder_ / "clone"};
    CloneReport cloned;
    sittings = 0;
    do {
        std::atomic<int> left = 2;
        clone.resume = sittings++ > 0;
        auto report = clone_table(engine_, engine_, clone, stopping_after(left));
        ASSERT_TRUE(report) << report.error().message;
        cloned = *report;
    } while (!cloned.finished && sittings < 1000);
    EXPECT_EQ(cloned.items, kItems);
    EXPECT_EQ(count("cloned"), kItems);
}

TEST_F(Transfers, AWriterNamesWhatIsRefused) {
    std::vector<value::EncodedItem> items;
    for (const auto* text :
         {R"({"k":{"N":"1"}})",
          R"({"k":{"S":"1"}})",
          R"({"k":{"N":"2"}})",
          R"({"v":{"N":"2"}})",
          R"({"k":{"N":"1"},"v":{"S":"later"}})"}) {
        items.push_back(*parse_item(text));
    }
    WriteTable request{
        .table = "t",
        .key_schema = {{"k", dynamo::KeyRole::kHash}},
        .units = free_,
        .items = free_};
    const Control control;
    auto outcome = TableWriter(engine_, request, control).write(items);
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->written, 3);
    ASSERT_EQ(outcome->refused.size(), 2U);
    EXPECT_EQ(outcome->refused[0].index, 1U);
    EXPECT_EQ(outcome->refused[1].index, 3U);
    EXPECT_EQ(count("t"), 2);
    request.overwrite = false;
    outcome = TableWriter(engine_, request, control).write(items);
    EXPECT_EQ(outcome->existing, 3);
    const auto missing = [&] {
        WriteTable nowhere = request;
        nowhere.table = "nowhere";
        return TableWriter(engine_, nowhere, control).write(items);
    }();
    EXPECT_FALSE(missing);
}

}  // namespace
}  // namespace gateleg::transfer

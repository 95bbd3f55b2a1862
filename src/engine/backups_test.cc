#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "dynamo/named_error.h"
#include "engine/test_engine.h"

namespace gateleg::engine {
namespace {

using storage::internal::TestDirectory;

template <class Request>
Result<typename Request::Reply> ask(
    TestEngine& engine,
    void (dynamo::Backups::*operation)(Request, dynamo::Done<Request>),
    Request request
) {
    auto& backups = dynamic_cast<dynamo::Backups&>(engine.dynamo());
    std::promise<Result<typename Request::Reply>> promise;
    auto reply = promise.get_future();
    (backups.*operation
    )(std::move(request),
      [promise = std::move(promise)](Result<typename Request::Reply> result) mutable {
          promise.set_value(std::move(result));
      });
    return reply.get();
}

std::string begin_backup(TestEngine& engine, const std::string& table, const std::string& name) {
    return must(ask(engine,
                    &dynamo::Backups::create_backup,
                    dynamo::CreateBackupRequest{.table = table, .name = name}))
        .arn;
}

Result<dynamo::BackupDescription> describe_backup(TestEngine& engine, const std::string& arn) {
    return ask(
        engine, &dynamo::Backups::describe_backup, dynamo::DescribeBackupRequest{.arn = arn}
    );
}

std::string make_backup(TestEngine& engine, const std::string& table, const std::string& name) {
    auto arn = begin_backup(engine, table, name);
    EXPECT_TRUE(happens_within(std::chrono::seconds(30), [&] {
        return must(describe_backup(engine, arn)).status == dynamo::BackupStatus::kAvailable;
    }));
    return arn;
}

Result<dynamo::TableReply> restore(
    TestEngine& engine, const std::string& arn, const std::string& table
) {
    return ask(
        engine,
        &dynamo::Backups::restore_table_from_backup,
        dynamo::RestoreTableFromBackupRequest{.table = table, .backup_arn = arn}
    );
}

bool becomes_active(TestEngine& engine, const std::string& table) {
    return happens_within(std::chrono::seconds(30), [&] {
        return engine.describe(table).status == dynamo::Status::kActive;
    });
}

dynamo::CreateTableRequest indexed_table() {
    auto request = new_table("t", {"pk", "sk"}, {"pk:S", "sk:N", "g:S", "l:N"});
    request.global_indexes = {index_on("byG", {"g"}, {"sk"})};
    request.local_indexes = {index_on("byL", {"pk"}, {"l"}, keys_only())};
    return request;
}

void fill(TestEngine& engine, int count) {
    std::vector<std::string> items;
    for (int i = 0; i < count; ++i) {
        const auto number = std::to_string(i);
        items.push_back(
            R"({"pk":{"S":"p)" + std::to_string(i % 7) + R"("},"sk":{"N":")" + number +
            R"("},"g":{"S":"g)" + std::to_string(i % 3) + R"("},"l":{"N":")" + number + R"("}})"
        );
    }
    engine.load("t", items);
}

std::string error_name(const Error& error) {
    return std::string(dynamo::name_of(error));
}

TEST(BackupsTest, ATableComesBackAsItWasWithItsIndexes) {
    TestEngine engine;
    must(engine.create(indexed_table()));
    fill(engine, 700);
    const auto before = encoded(engine.scan_all("t"));
    const auto arn = begin_backup(engine, "t", "first");
    // What is written after the backup began is not in it.
    must(engine.put("t", R"({"pk":{"S":"late"},"sk":{"N":"1"}})"));
    must(engine.remove("t", R"({"pk":{"S":"p0"},"sk":{"N":"0"}})"));
    ASSERT_TRUE(happens_within(std::chrono::seconds(30), [&] {
        return must(describe_backup(engine, arn)).status == dynamo::BackupStatus::kAvailable;
    }));
    EXPECT_EQ(must(describe_backup(engine, arn)).table.item_count, 700);

    const auto reply = must(restore(engine, arn, "copy"));
    EXPECT_EQ(reply.table.status, dynamo::Status::kCreating);
    EXPECT_EQ(error_name(error_of(restore(engine, arn, "copy"))), "TableAlreadyExistsException");
    ASSERT_TRUE(becomes_active(engine, "copy"));
    EXPECT_EQ(encoded(engine.scan_all("copy")), before);
    expect_whole(engine, "copy");
    expect_whole(engine, "t");
}

TEST(BackupsTest, ATableIsThereFromTheFirstMomentOfItsRestore) {
    TestEngine engine;
    must(engine.create(indexed_table()));
    fill(engine, 5);
    const auto arn = make_backup(engine, "t", "small");
    for (int round = 0; round < 40; ++round) {
        const auto name = "copy" + std::to_string(round);
        must(restore(engine, arn, name));
        // Asked without a pause, so that some question meets the moment at which the restore ends.
        while (engine.describe(name).status == dynamo::Status::kCreating) {
        }
        ASSERT_EQ(engine.describe(name).status, dynamo::Status::kActive) << name;
    }
}

TEST(BackupsTest, ABackupOutlivesItsTable) {
    TestEngine engine;
    must(engine.create(indexed_table()));
    fill(engine, 10);
    const auto arn = make_backup(engine, "t", "kept");
    must(call(
        engine.dynamo(), &dynamo::Dynamo::delete_table, dynamo::DeleteTableRequest{.table = "t"}
    ));
    must(restore(engine, arn, "t"));
    ASSERT_TRUE(becomes_active(engine, "t"));
    EXPECT_EQ(engine.scan_all("t").size(), 10);
    expect_whole(engine, "t");
}

TEST(BackupsTest, BackupsAreListedAndDeleted) {
    TestEngine engine;
    must(engine.create(new_table("a", {"pk"}, {"pk:S"})));
    must(engine.create(new_table("b", {"pk"}, {"pk:S"})));
    const auto first = make_backup(engine, "a", "one");
    make_backup(engine, "a", "two");
    make_backup(engine, "b", "three");
    const auto list = [&](dynamo::ListBackupsRequest request) {
        return must(ask(engine, &dynamo::Backups::list_backups, std::move(request)));
    };
    EXPECT_EQ(list({}).backups.size(), 3);
    EXPECT_EQ(list({.table = "b"}).backups.size(), 1);
    const auto page = list({.limit = 2});
    ASSERT_TRUE(page.last_evaluated_arn.has_value());
    EXPECT_EQ(list({.exclusive_start_arn = page.last_evaluated_arn}).backups.size(), 1);

    const auto remove = [&](const std::string& arn) {
        return ask(
            engine, &dynamo::Backups::delete_backup, dynamo::DeleteBackupRequest{.arn = arn}
        );
    };
    EXPECT_EQ(must(remove(first)).status, dynamo::BackupStatus::kDeleted);
    EXPECT_EQ(error_name(error_of(remove(first))), "BackupNotFoundException");
    EXPECT_EQ(error_name(error_of(describe_backup(engine, first))), "BackupNotFoundException");
    EXPECT_EQ(error_name(error_of(restore(engine, first, "x"))), "BackupNotFoundException");
    EXPECT_EQ(list({}).backups.size(), 2);
    const auto missing =
        ask(engine,
            &dynamo::Backups::create_backup,
            dynamo::CreateBackupRequest{.table = "none", .name = "x"});
    EXPECT_EQ(error_name(error_of(missing)), "TableNotFoundException");
}

TEST(BackupsTest, BackupsAndRestoresSurviveARestart) {
    const TestDirectory directory;
    TestEngine engine({.directory = directory / "data"});
    must(engine.create(indexed_table()));
    fill(engine, 600);
    const auto before = encoded(engine.scan_all("t"));
    const auto arn = make_backup(engine, "t", "kept");
    must(restore(engine, arn, "copy"));
    // Perhaps in the middle of it, perhaps not.
    engine.reopen();
    ASSERT_TRUE(becomes_active(engine, "copy"));
    EXPECT_EQ(encoded(engine.scan_all("copy")), before);
    expect_whole(engine, "copy");
    EXPECT_EQ(must(describe_backup(engine, arn)).status, dynamo::BackupStatus::kAvailable);
}

TEST(BackupsTest, ARestoredTableKeepsTheIndexesThatAreAskedFor) {
    TestEngine engine;
    must(engine.create(indexed_table()));
    fill(engine, 5);
    const auto arn = make_backup(engine, "t", "b");
    dynamo::RestoreTableFromBackupRequest request{.table = "few", .backup_arn = arn};
    request.global_indexes = {index_on("byL", {"pk"}, {"l"}, keys_only())};
    EXPECT_FALSE(ask(engine, &dynamo::Backups::restore_table_from_backup, request).has_value());
    request.global_indexes = std::vector<dynamo::IndexDefinition>();
    must(ask(engine, &dynamo::Backups::restore_table_from_backup, request));
    ASSERT_TRUE(becomes_active(engine, "few"));
    const auto description = engine.describe("few");
    EXPECT_TRUE(description.global_indexes.empty());
    EXPECT_EQ(description.local_indexes.size(), 1);
    EXPECT_EQ(description.attributes.size(), 3);
    expect_whole(engine, "few");
}

}  // namespace
}  // namespace gateleg::engine

#include "engine/committer.h"

#include <atomic>
#include <functional>
#include <future>
#include <new>

#include <gtest/gtest.h>

#include "engine/catalog_loader.h"
#include "engine/core.h"
#include "engine/item_writer.h"
#include "engine/keyspace.h"
#include "expr/test_request.h"
#include "storage/internal/hooks.h"
#include "storage/internal/test_directory.h"

namespace gateleg::engine {
namespace {

using storage::internal::happens_within;

constexpr TableId kTable{1};

// An operation made of functions.
struct Call final : WriteOperation {
    using Apply = std::function<void(CommitContext&)>;
    using Finish = std::function<void(const Result<void>&)>;

    explicit Call(Apply on_apply, Finish on_finish = {}, bool needs_own_batch = false)
        : apply_(std::move(on_apply)), finish_(std::move(on_finish)), alone_(needs_own_batch) {}

    void apply(CommitContext& context) override {
        if (apply_) {
            apply_(context);
        }
    }
    void finish(const Result<void>& committed) override {
        if (finish_) {
            finish_(committed);
        }
    }
    bool needs_empty_batch() const override { return alone_; }

private:
    Apply apply_;
    Finish finish_;
    bool alone_;
};

class CommitterTest : public testing::Test {
protected:
    void start() {
        storage::StoreOptions options;
        options.directory = directory_ / "data";
        options.durability = storage::Durability::kProcess;
        auto hooks = std::make_shared<storage::internal::Hooks>();
        hooks->tick = std::chrono::milliseconds(2);
        hooks->disk_space = [this] {
            return storage::internal::DiskSpace{free_bytes_.load(), 1'000'000'000'000};
        };
        options.hooks = std::move(hooks);
        store_ = storage::Store::open(options);
        committer_.emplace(*store_, clock_, *load_catalog(*store_));
    }

    void set_disk_low(bool low) {
        free_bytes_ = low ? 0 : 500'000'000'000;
        const auto wanted = low ? storage::Health::kDiskLow : storage::Health::kOk;
        ASSERT_TRUE(happens_within(std::chrono::seconds(10), [&] {
            return store_->health() == wanted;
        }));
    }

    bool submit(Call::Apply apply, Call::Finish finish = {}, bool alone = false) {
        std::unique_ptr<WriteOperation> operation =
            std::make_unique<Call>(std::move(apply), std::move(finish), alone);
        return committer_->submit(operation);
    }

    // Runs one operation and gives how its batch ended.
    Result<void> run(Call::Apply apply) {
        std::promise<Result<void>> promise;
        auto done = promise.get_future();
        EXPECT_TRUE(submit(std::move(apply), [&](const Result<void>& committed) {
            promise.set_value(committed);
        }));
        return done.get();
    }

    // Holds the commit thread until release(): what is submitted meanwhile becomes one batch.
    void hold() {
        release_ = {};
        std::promise<void> entered;
        ASSERT_TRUE(submit([&entered, held = release_.get_future().share()](CommitContext&) {
            entered.set_value();
            held.wait();
        }));
        entered.get_future().wait();
    }
    void release() { release_.set_value(); }

    bool stored(std::string_view key) const {
        std::string value;
        return *store_->get(key, value);
    }

    storage::internal::TestDirectory directory_;
    std::atomic<std::uint64_t> free_bytes_{500'000'000'000};
    SystemClock clock_;
    std::unique_ptr<storage::Store> store_;
    std::promise<void> release_;
    std::optional<Committer> committer_;
};

std::shared_ptr<const Table> table_named(std::string name) {
    Table table;
    table.id = kTable;
    table.description.name = std::move(name);
    table.description.attributes = {{"pk", value::Type::kString}};
    table.description.key_schema = {{"pk", dynamo::KeyRole::kHash}};
    compile_table(table);
    return std::make_shared<const Table>(std::move(table));
}

TEST_F(CommitterTest, OperationsOfABatchSeeEachOthersChanges) {
    start();
    hold();
    std::vector<std::string> seen;
    const auto look = [&](CommitContext& context) {
        std::string value;
        seen.push_back(*context.get("k", value) ? value : "none");
    };
    ASSERT_TRUE(submit([&](CommitContext& context) {
        look(context);
        context.put("k", "1");
        look(context);
    }));
    ASSERT_TRUE(submit([&](CommitContext& context) {
        look(context);
        context.put("k", "2");
    }));
    ASSERT_TRUE(submit([&](CommitContext& context) {
        look(context);
        context.erase("k");
    }));
    ASSERT_TRUE(submit([&](CommitContext& context) {
        look(context);
        context.put("k", "3");
        EXPECT_FALSE(stored("k"));  // all of this is one batch, which is not written yet
    }));
    release();
    ASSERT_TRUE(run(look));
    EXPECT_EQ(seen, (std::vector<std::string>{"none", "1", "1", "2", "none", "3"}));
}

TEST_F(CommitterTest, AnItemThatWasReadEarlyIsReadAgainWhenItHasChanged) {
    start();
    const auto table = table_named("orders");
    ASSERT_TRUE(run([&](CommitContext& context) { context.store_table(table); }));
    expr::Cache expressions;
    const auto put = [](CommitContext& context, const std::string& key, const std::string& version
                     ) {
        const auto json = R"({"pk":{"S":"a"},"version":{"N":")" + version + "\"}}";
        context.put(key, expr::item(json).view().bytes());
    };
    // What a deletion finds: it was read early, and then these changes came, in batches of their
    // own or in the batch of the deletion itself.
    const auto found = [&](const Call::Apply& before, const Call::Apply& beside) {
        dynamo::ItemWrite write{.table = "orders"};
        ItemWriter writer(
            WriteKind::kDelete, std::move(write), expr::item(R"({"pk":{"S":"a"}})"), std::nullopt
        );
        EXPECT_TRUE(writer.compile(expressions));
        EXPECT_TRUE(writer.bind(table));
        auto room = kEarlyBytes;
        writer.read_early(*store_, room);
        EXPECT_EQ(room == kEarlyBytes, !stored(writer.key()));
        if (before) {
            EXPECT_TRUE(run(before));
        }
        std::string version;
        EXPECT_TRUE(run([&](CommitContext& context) {
            if (beside) {
                beside(context);
            }
            EXPECT_TRUE(writer.evaluate(context));
            const auto old = writer.old_item();
            version = old ? std::string(old->find("version")->text()) : "none";
        }));
        return version;
    };
    const auto key = item_key(*table, expr::item(R"({"pk":{"S":"a"}})").view());
    const auto put_version = [&](const std::string& version) {
        return [&, version](CommitContext& context) { put(context, key, version); };
    };
    const Call::Apply erase = [&](CommitContext& context) { context.erase(key); };
    EXPECT_EQ(found({}, {}), "none");
    EXPECT_EQ(found(put_version("1"), {}), "1");
    EXPECT_EQ(found({}, {}), "1");
    EXPECT_EQ(found(put_version("2"), {}), "2");
    EXPECT_EQ(found({}, put_version("3")), "3");
    EXPECT_EQ(found(put_version("4"), put_version("5")), "5");
    EXPECT_EQ(found({}, erase), "none");
    EXPECT_EQ(found(put_version("6"), {}), "6");
    EXPECT_EQ(found(erase, {}), "none");
}

TEST_F(CommitterTest, NothingIsAnsweredBeforeTheBatchIsWritten) {
    start();
    hold();
    std::atomic<int> answered = 0;
    for (int i = 0; i < 10; ++i) {
        const auto key = "k" + std::to_string(i);
        ASSERT_TRUE(submit(
            [&, key](CommitContext& context) {
                EXPECT_EQ(answered, 0);
                context.put(key, "v");
            },
            [&](const Result<void>& committed) {
                EXPECT_TRUE(committed);
                for (int j = 0; j < 10; ++j) {
                    EXPECT_TRUE(stored("k" + std::to_string(j)));
                }
                ++answered;
            }
        ));
    }
    release();
    ASSERT_TRUE(run({}));
    EXPECT_EQ(answered, 10);
}

TEST_F(CommitterTest, CatalogAndCountsAppearWhenTheyAreDurable) {
    start();
    ASSERT_TRUE(run([&](CommitContext& context) {
        context.store_table(table_named("t"));
        context.counts(kTable, kPrimary) = {.items = 2, .bytes = 20};
        EXPECT_NE(context.catalog().find("t"), nullptr);
        EXPECT_EQ(committer_->catalog()->find("t"), nullptr);
        EXPECT_TRUE(committer_->counts(kTable).empty());
    }));
    EXPECT_NE(committer_->catalog()->find("t"), nullptr);
    EXPECT_EQ(committer_->counts(kTable).at(kPrimary).items, 2);
    std::string bytes;
    ASSERT_TRUE(*store_->get(counts_key(kTable), bytes));
    EXPECT_EQ(decode_counts(bytes).at(kPrimary).bytes, 20);
    EXPECT_TRUE(stored(table_definition_key("t")));

    ASSERT_TRUE(run([](CommitContext& context) { context.remove_table(*table_named("t")); }));
    EXPECT_EQ(committer_->catalog()->find("t"), nullptr);
    EXPECT_TRUE(committer_->counts(kTable).empty());
    EXPECT_FALSE(stored(counts_key(kTable)));
}

TEST_F(CommitterTest, FailedWriteAnswersEverybodyAndLeavesNoTrace) {
    start();
    ASSERT_TRUE(run([](CommitContext& context) {
        context.store_table(table_named("old"));
        context.counts(kTable, kPrimary) = {.items = 1, .bytes = 10};
    }));
    set_disk_low(true);
    hold();
    std::vector<ErrorCode> answers;
    const auto note = [&](const Result<void>& committed) {
        ASSERT_FALSE(committed);
        answers.push_back(committed.error().code);
    };
    ASSERT_TRUE(submit(
        [](CommitContext& context) {
            context.put("k", "v");
            context.store_table(table_named("t"));
            context.counts(kTable, kPrimary).items = 99;
            context.counts(kTable, IndexId{4}).items = 98;
            context.counts(TableId{2}, kPrimary).items = 97;
        },
        note
    ));
    ASSERT_TRUE(submit([](CommitContext& context) { context.put("other", "v"); }, note));
    // Even one that only looked: what it saw did not happen.
    std::promise<void> all_answered;
    ASSERT_TRUE(submit({}, [&](const Result<void>& committed) {
        note(committed);
        all_answered.set_value();
    }));
    release();
    all_answered.get_future().wait();
    ASSERT_TRUE(run([](CommitContext& context) {
        EXPECT_EQ(context.catalog().find("t"), nullptr);
        EXPECT_NE(context.catalog().find("old"), nullptr);
        std::string value;
        EXPECT_FALSE(*context.get("k", value));
        EXPECT_EQ(context.counts(kTable, kPrimary).items, 1);
        EXPECT_EQ(context.counts(kTable, IndexId{4}).items, 0);
        EXPECT_EQ(context.counts(TableId{2}, kPrimary).items, 0);
    }));
    EXPECT_EQ(answers, std::vector<ErrorCode>(3, ErrorCode::kServiceUnavailable));
    EXPECT_EQ(committer_->catalog()->find("t"), nullptr);
    EXPECT_EQ(committer_->counts(kTable).at(kPrimary).items, 1);
    EXPECT_FALSE(stored("k"));

    set_disk_low(false);
    EXPECT_TRUE(happens_within(std::chrono::seconds(10), [&] {
        return run([](CommitContext& context) { context.put("k", "v"); }).has_value();
    }));
    EXPECT_TRUE(stored("k"));
}

TEST_F(CommitterTest, FailedWriteMakesBuildsStartAgain) {
    start();
    const std::pair<TableId, IndexId> build{kTable, IndexId{1}};
    ASSERT_TRUE(run([&](CommitContext& context) {
        context.put("k", "v");
        context.backfill_positions()[build] = "a";
    }));
    set_disk_low(true);
    EXPECT_FALSE(run([&](CommitContext& context) {
        context.put("entry", "v");
        context.backfill_positions()[build] = "m";
        context.backfill_positions()[{kTable, IndexId{2}}] = "m";
    }));
    ASSERT_TRUE(run([](CommitContext& context) {
        EXPECT_TRUE(context.backfill_positions().empty());
    }));
}

TEST_F(CommitterTest, OperationThatThrowsFailsItsBatchAndNoOther) {
    start();
    hold();
    std::atomic<int> failed = 0;
    std::promise<void> all_answered;
    const auto note = [&](const Result<void>& committed) { failed += committed ? 0 : 1; };
    ASSERT_TRUE(submit(
        [](CommitContext& context) {
            context.put("k", "v");
            context.store_table(table_named("t"));
        },
        note
    ));
    ASSERT_TRUE(submit([](CommitContext&) { throw std::bad_alloc(); }, note));
    ASSERT_TRUE(submit({}, [&](const Result<void>& committed) {
        note(committed);
        all_answered.set_value();
    }));
    release();
    all_answered.get_future().wait();
    EXPECT_EQ(failed, 3);
    EXPECT_FALSE(stored("k"));
    EXPECT_EQ(committer_->catalog()->find("t"), nullptr);
    ASSERT_TRUE(run([](CommitContext& context) {
        EXPECT_EQ(context.catalog().find("t"), nullptr);
        context.put("k", "v");
    }));
    EXPECT_TRUE(stored("k"));
}

TEST_F(CommitterTest, DeletesPassWhileTheDiskIsLow) {
    start();
    ASSERT_TRUE(run([](CommitContext& context) { context.put("k", "v"); }));
    set_disk_low(true);
    EXPECT_TRUE(run([](CommitContext& context) { context.erase("k"); }));
    EXPECT_FALSE(stored("k"));
    EXPECT_FALSE(run([](CommitContext& context) { context.put("k", "v"); }));
}

TEST_F(CommitterTest, FullQueueIsRefusedAndTheOperationStaysWithItsCaller) {
    start();
    hold();
    constexpr int kMoreThanAnyQueue = 100'000;
    int accepted = 0;
    std::atomic<int> answered = 0;
    std::unique_ptr<WriteOperation> refused;
    for (; accepted < kMoreThanAnyQueue; ++accepted) {
        refused = std::make_unique<Call>(Call::Apply{}, [&](const Result<void>&) { ++answered; });
        if (!committer_->submit(refused)) {
            break;
        }
    }
    EXPECT_NE(refused, nullptr);
    EXPECT_GE(accepted, 1000);
    EXPECT_LT(accepted, kMoreThanAnyQueue);
    release();
    EXPECT_TRUE(happens_within(std::chrono::seconds(10), [&] { return answered == accepted; }));
    EXPECT_TRUE(committer_->submit(refused));
    ASSERT_TRUE(run({}));
    EXPECT_EQ(answered, accepted + 1);
}

TEST_F(CommitterTest, OperationThatReadsRangesHasABatchOfItsOwn) {
    start();
    hold();
    std::vector<std::string> order;
    ASSERT_TRUE(submit(
        [&](CommitContext& context) {
            context.put("before", "v");
            order.emplace_back("apply before");
        },
        [&](const Result<void>&) { order.emplace_back("finish before"); }
    ));
    ASSERT_TRUE(submit(
        [&](CommitContext& context) {
            EXPECT_FALSE(context.has_writes());
            EXPECT_TRUE(stored("before"));
            context.put("alone", "v");
            order.emplace_back("apply alone");
        },
        [&](const Result<void>&) { order.emplace_back("finish alone"); },
        true
    ));
    ASSERT_TRUE(submit(
        [&](CommitContext& context) {
            EXPECT_FALSE(context.has_writes());
            EXPECT_TRUE(stored("alone"));
            order.emplace_back("apply behind");
        },
        [&](const Result<void>&) { order.emplace_back("finish behind"); }
    ));
    release();
    ASSERT_TRUE(run({}));
    EXPECT_EQ(
        order,
        (std::vector<std::string>{
            "apply before",
            "finish before",
            "apply alone",
            "finish alone",
            "apply behind",
            "finish behind"})
    );
}

TEST_F(CommitterTest, LargeBatchIsWrittenInParts) {
    start();
    hold();
    const std::string megabyte(1 << 20, 'x');
    int last_seen_in_store = 0;
    for (int i = 0; i < 12; ++i) {
        ASSERT_TRUE(submit([&, i](CommitContext& context) {
            for (int j = 0; j < i; ++j) {
                last_seen_in_store += stored("k" + std::to_string(j)) ? 1 : 0;
            }
            context.put("k" + std::to_string(i), megabyte);
        }));
    }
    release();
    ASSERT_TRUE(run({}));
    // The last ones ran in a later batch than the first, and saw them in the store.
    EXPECT_GT(last_seen_in_store, 0);
    EXPECT_TRUE(stored("k11"));
}

TEST_F(CommitterTest, DestructionRunsWhatIsQueued) {
    start();
    hold();
    std::atomic<int> answered = 0;
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(submit(
            [i](CommitContext& context) { context.put("k" + std::to_string(i), "v"); },
            [&](const Result<void>& committed) { answered += committed ? 1 : 0; }
        ));
    }
    const std::jthread releaser([this] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        release();
    });
    committer_.reset();
    EXPECT_EQ(answered, 100);
    EXPECT_TRUE(stored("k99"));
}

}  // namespace
}  // namespace gateleg::engine

// Transactions of several threads have one order: money moves between accounts, and whoever looks
// at all of them at once sees all of it.

#include <atomic>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "engine/test_engine.h"

namespace gateleg::engine {
namespace {

constexpr int kTransfersPerThread = 15;

std::string account(int number) {
    return R"({"pk":{"S":"account)" + std::to_string(number) + "\"}}";
}

std::string amount(int number) {
    return R"({":m":{"N":")" + std::to_string(number) + "\"}}";
}

class Bank {
public:
    Bank(TestEngine& engine, std::string table, int accounts, int start_balance)
        : engine_(engine), table_(std::move(table)), accounts_(accounts) {
        must(engine_.create(new_table(table_, {"pk"}, {"pk:S"})));
        for (int i = 0; i < accounts_; ++i) {
            must(engine_.update(
                table_, account(i), "SET balance = :m", {.values = amount(start_balance)}
            ));
        }
    }
    ~Bank() {
        must(call(
            engine_.dynamo(), &dynamo::Dynamo::delete_table, dynamo::DeleteTableRequest{table_}
        ));
    }
    Bank(const Bank&) = delete;
    Bank& operator=(const Bank&) = delete;

    // False if the balance does not allow it.
    bool transfer(int from, int to, int money) {
        const auto done = engine_.transact({
            update_action(
                table_,
                account(from),
                "SET balance = balance - :m",
                {.condition = "balance >= :m", .values = amount(money)}
            ),
            update_action(table_, account(to), "ADD balance :m", {.values = amount(money)}),
        });
        if (!done) {
            EXPECT_EQ(
                reasons_of(done.error()),
                (std::vector<std::string>{"ConditionalCheckFailed", "None"})
            ) << done.error().message;
        }
        return done.has_value();
    }

    // All balances as of one moment.
    std::vector<int> balances() {
        dynamo::TransactGetItemsRequest request;
        for (int i = 0; i < accounts_; ++i) {
            request.gets.push_back({.table = table_, .key = item(account(i))});
        }
        const auto reply =
            must(call(engine_.dynamo(), &dynamo::Dynamo::transact_get_items, request));
        std::vector<int> all;
        for (const auto& each : reply.items) {
            all.push_back(std::stoi(std::string(each->view().find("balance")->text())));
        }
        return all;
    }

private:
    TestEngine& engine_;
    std::string table_;
    int accounts_;
};

int sum(const std::vector<int>& numbers) {
    int total = 0;
    for (const auto number : numbers) {
        total += number;
    }
    return total;
}

TEST(SerialPropertyTest, MoneyIsNeitherMadeNorLost) {
    TestEngine engine;
    int round = 0;
    EXPECT_TRUE(rc::check([&] {
        const int accounts = *rc::gen::inRange(2, 6);
        const int threads = *rc::gen::inRange(2, 5);
        const int start = *rc::gen::inRange(0, 30);
        const auto seed = *rc::gen::arbitrary<unsigned>();
        Bank bank(engine, "bank" + std::to_string(round++), accounts, start);
        std::atomic<int> running = threads;
        std::atomic<int> bad_views = 0;
        {
            std::vector<std::jthread> tellers;
            for (int thread = 0; thread < threads; ++thread) {
                tellers.emplace_back([&, thread] {
                    std::mt19937 random(seed + static_cast<unsigned>(thread));
                    const auto below = [&](int bound) {
                        return static_cast<int>(random() % static_cast<unsigned>(bound));
                    };
                    for (int i = 0; i < kTransfersPerThread; ++i) {
                        const int from = below(accounts);
                        const int to = (from + 1 + below(accounts - 1)) % accounts;
                        bank.transfer(from, to, 1 + below(20));
                    }
                    --running;
                });
            }
            while (running > 0) {
                const auto seen = bank.balances();
                const bool negative =
                    std::any_of(seen.begin(), seen.end(), [](int each) { return each < 0; });
                bad_views += sum(seen) != accounts * start || negative ? 1 : 0;
            }
        }
        RC_ASSERT(bad_views == 0);
        RC_ASSERT(sum(bank.balances()) == accounts * start);
    }));
}

// Counters go up by exactly the number of increments that were said to succeed, and a condition on
// the value read makes each number be seen once.
TEST(SerialPropertyTest, ConditionsOnWhatWasReadLoseNoUpdate) {
    TestEngine engine;
    must(engine.create(new_table("t", {"pk"}, {"pk:S"})));
    must(engine.put("t", R"({"pk":{"S":"c"},"n":{"N":"0"}})"));
    std::atomic<int> won = 0;
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 4; ++thread) {
            threads.emplace_back([&] {
                for (int i = 0; i < 100; ++i) {
                    const auto seen = item(engine.get("t", R"({"pk":{"S":"c"}})"));
                    const auto n = std::stoi(std::string(seen.view().find("n")->text()));
                    const auto done = engine.update(
                        "t",
                        R"({"pk":{"S":"c"}})",
                        "SET n = :new",
                        {.condition = "n = :old",
                         .values = R"({":old":{"N":")" + std::to_string(n) + R"("},":new":{"N":")" +
                                   std::to_string(n + 1) + "\"}}"}
                    );
                    won += done ? 1 : 0;
                }
            });
        }
    }
    EXPECT_GE(won, 100);
    EXPECT_EQ(
        engine.get("t", R"({"pk":{"S":"c"}})"),
        normalized(R"({"pk":{"S":"c"},"n":{"N":")" + std::to_string(won) + "\"}}")
    );
}

}  // namespace
}  // namespace gateleg::engine

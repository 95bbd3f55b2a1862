#include "systems/accounts/password.h"

#include <atomic>
#include <ctime>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace gateleg::systems {
namespace {

TEST(PasswordTest, OnlyTheSamePasswordFits) {
    PasswordHasher hasher(kCheapestPassword, 2, 2);
    const auto place = hasher.enter();
    ASSERT_TRUE(place);
    const auto hash = hasher.hash(*place, "correct horse");
    EXPECT_EQ(hash.text.rfind("$argon2id$v=19$m=8,t=1,p=1$", 0), 0U) << hash.text;
    EXPECT_NE(hash.text.find(hash.salt), std::string::npos);
    EXPECT_TRUE(hasher.verify(*place, "correct horse", hash.text));
    EXPECT_FALSE(hasher.verify(*place, "correct horse ", hash.text));
    EXPECT_FALSE(hasher.verify(*place, "", hash.text));
    EXPECT_FALSE(hasher.verify(*place, "correct horse", "correct horse"));
    EXPECT_FALSE(hasher.verify_nobody(*place, "correct horse"));
    EXPECT_NE(hasher.hash(*place, "correct horse").text, hash.text);
}

TEST(PasswordTest, NobodysPasswordTakesAsLongAsAnothers) {
    PasswordHasher hasher({.memory_kib = 4096, .passes = 2}, 1, 0);
    const auto place = hasher.enter();
    const auto processor_time = [](auto work) {
        const auto before = std::clock();
        work();
        return std::clock() - before;
    };
    const auto hash = hasher.hash(*place, "x");
    const auto known = processor_time([&] { hasher.verify(*place, "y", hash.text); });
    const auto nobody = processor_time([&] { hasher.verify_nobody(*place, "y"); });
    EXPECT_GT(nobody, known / 4);
}

TEST(PasswordTest, NoMoreAtOnceThanThereArePlaces) {
    PasswordHasher hasher(kCheapestPassword, 2, 100);
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    std::vector<std::thread> threads;
    threads.reserve(8);
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] {
            for (int round = 0; round < 20; ++round) {
                const auto place = hasher.enter();
                const int now = ++inside;
                int seen = most;
                while (now > seen && !most.compare_exchange_weak(seen, now)) {
                }
                static_cast<void>(hasher.hash(*place, "x"));
                --inside;
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_LE(most, 2);
}

TEST(PasswordTest, WhoFindsTooManyWaitingIsTurnedAway) {
    PasswordHasher hasher(kCheapestPassword, 1, 0);
    {
        const auto place = hasher.enter();
        ASSERT_TRUE(place);
        EXPECT_FALSE(hasher.enter());
    }
    EXPECT_TRUE(hasher.enter());
}

}  // namespace
}  // namespace gateleg::systems

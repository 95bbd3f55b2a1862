#include "http/internal/folding.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

namespace gateleg::http {
namespace {

using namespace std::chrono_literals;

// What so many threads make of a load: requests a second, and how many of them run and wait.
struct Answer {
    double rate = 0;
    double ran = 0;
    double waited = 0;
};
using Load = std::function<Answer(std::size_t open)>;

// Reads of single rows on two processors that the clients share.
Answer short_requests(std::size_t open) {
    return open == 1 ? Answer{100'000, 0.94, 0.03} : Answer{93'000, 0.97, 0.85};
}
// Pages, for which the clients do little.
Answer long_requests(std::size_t open) {
    return open == 1 ? Answer{33'000, 0.95, 0.02} : Answer{45'000, 1.22, 0.6};
}

// Runs for so long, in windows of 20 ms; how much of that each number of threads had.
double part_with(
    Folding& folding, std::size_t open, std::chrono::milliseconds time, const Load& load
) {
    int with = 0;
    const auto windows = static_cast<int>(time / 20ms);
    for (int i = 0; i < windows; ++i) {
        with += folding.open() == open ? 1 : 0;
        const auto answer = load(folding.open());
        // Runs differ.
        const double luck = 1 + 0.02 * (i % 3 - 1);
        const auto part = [](double cores) {
            return std::chrono::nanoseconds(static_cast<std::int64_t>(cores * 20e6));
        };
        folding.note({
            20ms,
            {part(answer.ran), part(answer.waited)},
            static_cast<std::uint64_t>(answer.rate * luck / 50),
        });
    }
    return with / static_cast<double>(windows);
}

TEST(FoldingTest, ThreadsThatDoNotWaitAreLeftAlone) {
    Folding folding(2);
    EXPECT_EQ(part_with(folding, 2, 60s, [](std::size_t) { return Answer{9'000, 1.9, 0.1}; }), 1.0);
}

TEST(FoldingTest, FewerThreadsAreKeptIfTheyAnswerAsMuch) {
    Folding folding(2);
    part_with(folding, 1, 200ms, short_requests);
    EXPECT_EQ(folding.open(), 1u);
    EXPECT_GT(part_with(folding, 1, 60s, short_requests), 0.95);
}

TEST(FoldingTest, FewerThreadsAreGivenUpIfTheyAnswerLessAndTriedLessAndLessOften) {
    Folding folding(2);
    EXPECT_LT(part_with(folding, 1, 10s, long_requests), 0.06);
    EXPECT_LT(part_with(folding, 1, 60s, long_requests), 0.02);
}

TEST(FoldingTest, AnotherLoadIsAnsweredAsItNeedsSoon) {
    Folding folding(2);
    part_with(folding, 1, 60s, short_requests);
    part_with(folding, 2, 2200ms, long_requests);
    EXPECT_GT(part_with(folding, 2, 2s, long_requests), 0.9);
    part_with(folding, 1, 2200ms, short_requests);
    EXPECT_GT(part_with(folding, 1, 2s, short_requests), 0.9);
}

TEST(FoldingTest, ALoadThatGrowsByItselfIsNotTakenForMoreThreadsForLong) {
    Folding folding(2);
    part_with(folding, 1, 60s, short_requests);
    folding.interrupt(1s);
    int window = 0;
    const auto grows = [&](std::size_t open) {
        auto answer = short_requests(open);
        answer.rate *= std::min(1.0, 0.2 + 0.05 * window++);
        return answer;
    };
    part_with(folding, 1, 800ms, grows);
    EXPECT_GT(part_with(folding, 1, 2s, grows), 0.9);
}

TEST(FoldingTest, ThreadsThatAreNotBusyStayFew) {
    Folding folding(2);
    part_with(folding, 1, 200ms, short_requests);
    ASSERT_EQ(folding.open(), 1u);
    EXPECT_EQ(
        part_with(
            folding,
            1,
            60s,
            [](std::size_t) {
                return Answer{20'000, 0.3, 0.0};
            }
        ),
        1.0
    );
}

TEST(FoldingTest, ATrialThatIsInterruptedEndsWhereItBegan) {
    Folding folding(2);
    while (folding.open() == 2) {
        part_with(folding, 1, 20ms, short_requests);
    }
    folding.interrupt(200ms);
    EXPECT_EQ(folding.open(), 2u);
    // And it is tried again when there is something to see.
    part_with(folding, 1, 400ms, short_requests);
    EXPECT_EQ(folding.open(), 1u);
    folding.interrupt(200ms);
    EXPECT_EQ(folding.open(), 1u);
}

// Rates that go up and down by themselves say nothing about threads.
TEST(FoldingTest, WhatCannotBeToldChangesNothing) {
    Folding folding(2);
    int window = 0;
    const auto load = [&](std::size_t) {
        return Answer{++window % 2 == 0 ? 20'000.0 : 80'000.0, 0.9, 0.5};
    };
    EXPECT_GT(part_with(folding, 2, 60s, load), 0.8);
}

// Bursts of other requests all the time must not make all of the time a trial.
TEST(FoldingTest, TrialsOfALoadThatNeverStaysTheSameAreFew) {
    Folding folding(2);
    double folded = 0;
    for (int second = 0; second < 60; ++second) {
        folded += part_with(folding, 1, 400ms, [](std::size_t open) {
            auto answer = long_requests(open);
            answer.rate *= 3;
            return answer;
        });
        folded += part_with(folding, 1, 400ms, long_requests);
        folding.interrupt(200ms);
    }
    EXPECT_LT(folded / 120, 0.12);
}

TEST(FoldingTest, OfManyThreadsAsManyAreTriedAsHadWork) {
    Folding folding(16);
    const auto load = [](std::size_t open) {
        return open >= 4 ? Answer{400'000, 3.3, open > 4 ? 5.0 : 0.2} : Answer{300'000, 2.9, 0.1};
    };
    part_with(folding, 4, 200ms, load);
    EXPECT_EQ(folding.open(), 4u);
    EXPECT_GT(part_with(folding, 4, 60s, load), 0.9);
}

TEST(ThreadTimesTest, WhatAThreadRanIsCounted) {
    ThreadTimes times;
    EXPECT_EQ(times.read().ran, 0ns);
    std::thread busy([&] {
        times.open();
        const auto before = times.read().ran;
        const auto end = std::chrono::steady_clock::now() + 10s;
        while (times.read().ran < before + 30ms && std::chrono::steady_clock::now() < end) {
        }
        EXPECT_GE(times.read().ran, before + 30ms);
    });
    busy.join();
}

}  // namespace
}  // namespace gateleg::http

#include "systems/membership/lots.h"

#include <gtest/gtest.h>

#include "systems/membership/reversals.h"

namespace gateleg::systems::membership {
namespace {

std::string shown(const Payment& payment) {
    std::string text;
    for (const auto& part : payment.parts) {
        text += part.lot.id + ":" + std::to_string(part.amount) + " ";
    }
    return text;
}

TEST(LotsTest, SoonestFirstThenGivenBeforeBoughtThenOldest) {
    const std::vector<Lot> lots = {
        {"d", Lot::kNever, 5, "top_up"},
        {"e", Lot::kNever, 5, "admin"},
        {"c", 300, 2, "top_up"},
        {"b", 300, 2, "monthly"},
        {"a", 300, 2, "monthly"},
        {"z", 200, 1, "top_up"}};
    EXPECT_EQ(shown(choose_lots(lots, 9, 100)), "z:1 a:2 b:2 c:2 e:2 ");
    EXPECT_EQ(choose_lots(lots, 9, 100).available, 17);
    EXPECT_EQ(choose_lots(lots, 1, 100).next_expiry, 300);
    EXPECT_EQ(choose_lots(lots, 7, 100).next_expiry, std::nullopt);
}

TEST(LotsTest, ExpiredAndEmptyOnesDoNotPay) {
    const std::vector<Lot> lots = {
        {"gone", 100, 5, "monthly"}, {"empty", 500, 0, "monthly"}, {"left", 101, 3, "monthly"}};
    const auto payment = choose_lots(lots, 4, 100);
    EXPECT_EQ(payment.available, 3);
    EXPECT_EQ(shown(payment), "left:3 ");
}

TEST(LotsTest, RefundsClaimInProportionRoundedUp) {
    EXPECT_EQ(credits_claimed(10, 500, 500), 10);
    EXPECT_EQ(credits_claimed(10, 500, 250), 5);
    EXPECT_EQ(credits_claimed(10, 500, 1), 1);
    EXPECT_EQ(credits_claimed(10, 500, 51), 2);
    EXPECT_EQ(credits_claimed(10, 500, 900), 10);
    EXPECT_EQ(credits_claimed(10, 500, 0), 0);
    EXPECT_EQ(credits_claimed(10, 0, 500), 0);
}

}  // namespace
}  // namespace gateleg::systems::membership

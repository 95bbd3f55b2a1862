#include "systems/membership/subscription.h"

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include <gtest/gtest.h>

namespace gateleg::systems::membership {
namespace {

using Step = std::function<void(Subscription&)>;

ObjectEvent object(std::int64_t created, std::string status, std::string tier = "JOURNEYMAN") {
    ObjectEvent event;
    event.created = created;
    event.id = "evt_" + std::to_string(created) + status;
    event.status = std::move(status);
    event.plan_tier = std::move(tier);
    event.customer = "cus_1";
    event.start = 1000;
    event.end = 2000;
    return event;
}

Step says(ObjectEvent event) {
    return [event = std::move(event)](Subscription& s) { merge_object(s, event); };
}

Step invoice(std::int64_t created, bool paid, std::int64_t start = 1000, std::int64_t end = 2000) {
    return [=](Subscription& s) {
        merge_invoice(s, {created, paid, "JOURNEYMAN", "cus_1", start, end});
    };
}

std::string shown(const Subscription& s) {
    return s.status + " " + s.plan_tier + " " + std::to_string(s.start.value_or(-1)) + "-" +
           std::to_string(s.end.value_or(-1)) + (s.cancel_at_period_end ? " ends" : "");
}

// What every order of the steps ends with; "..." between ends that differ.
std::string end_of(const std::vector<Step>& steps) {
    std::vector<std::size_t> order(steps.size());
    for (std::size_t at = 0; at < order.size(); ++at) {
        order[at] = at;
    }
    std::string end;
    do {
        Subscription s;
        for (const auto at : order) {
            steps[at](s);
        }
        const auto here = shown(s);
        if (end.empty()) {
            end = here;
        } else if (end.find(here) == std::string::npos) {
            end += " ... " + here;
        }
    } while (std::next_permutation(order.begin(), order.end()));
    return end;
}

TEST(SubscriptionTest, EveryOrderOfItsEventsEndsEqual) {
    auto ends = object(30, "active", "SAGE");
    ends.cancel_at_period_end = true;
    EXPECT_EQ(
        end_of({says(object(10, "incomplete")), says(object(20, "active")), says(ends)}),
        "active SAGE 1000-2000 ends"
    );
    EXPECT_EQ(
        end_of(
            {says(object(10, "trialing")), says(object(20, "active")), says(object(30, "canceled"))}
        ),
        "canceled JOURNEYMAN 1000-2000"
    );
    // Two of one second, and a third.
    EXPECT_EQ(
        end_of(
            {says(object(10, "past_due")), says(object(10, "active")), says(object(10, "canceled"))}
        ),
        "canceled JOURNEYMAN 1000-2000"
    );
}

TEST(SubscriptionTest, InvoicesAndEventsMeetInAnyOrder) {
    EXPECT_EQ(
        end_of({says(object(10, "active")), invoice(20, false), invoice(30, true, 2000, 3000)}),
        "active JOURNEYMAN 2000-3000"
    );
    EXPECT_EQ(
        end_of({says(object(10, "active")), invoice(20, true), invoice(30, false)}),
        "past_due JOURNEYMAN 1000-2000"
    );
    // An invoice that is paid late does not bring a canceled one back.
    EXPECT_EQ(
        end_of({says(object(10, "active")), says(object(20, "canceled")), invoice(30, true)}),
        "canceled JOURNEYMAN 1000-2000"
    );
    auto ends = object(20, "active");
    ends.cancel_at_period_end = true;
    EXPECT_EQ(
        end_of({says(object(10, "active")), says(ends), invoice(30, true, 2000, 3000)}),
        "active JOURNEYMAN 2000-3000 ends"
    );
}

TEST(SubscriptionTest, AnEndWithoutDetailsKeepsThem) {
    ObjectEvent deleted;
    deleted.created = 20;
    deleted.id = "evt_d";
    deleted.status = "canceled";
    EXPECT_EQ(end_of({says(object(10, "active")), says(deleted)}), "canceled JOURNEYMAN 1000-2000");
    deleted.ended = 1500;
    Subscription s;
    merge_object(s, object(10, "active"));
    merge_object(s, deleted);
    EXPECT_EQ(shown(s), "canceled JOURNEYMAN 1000-1500");
}

TEST(SubscriptionTest, ATieIsSeen) {
    Subscription s;
    EXPECT_EQ(merge_object(s, object(10, "active")), Merged::kNewer);
    EXPECT_EQ(merge_object(s, object(10, "past_due")), Merged::kTie);
    EXPECT_EQ(s.status, "active");
    EXPECT_EQ(merge_object(s, object(9, "past_due")), Merged::kOlder);
    EXPECT_EQ(merge_object(s, object(11, "past_due")), Merged::kNewer);
    EXPECT_EQ(s.status, "past_due");
}

TEST(SubscriptionTest, IsReadAsItWasWritten) {
    Subscription s;
    s.id = "sub_1";
    merge_object(s, object(10, "active"));
    merge_invoice(s, {20, true, "JOURNEYMAN", "cus_1", 2000, 3000});
    s.quota_period = 2000;
    s.quota = 5;
    auto map = write_subscription(s);
    map["subscriptionId"] = {std::string("sub_1")};
    const auto again = read_subscription(map);
    EXPECT_EQ(shown(again), shown(s));
    EXPECT_EQ(again.quota, 5);
    EXPECT_EQ(again.paid_at, 20);
    EXPECT_EQ(write_subscription(again), write_subscription(s));
}

}  // namespace
}  // namespace gateleg::systems::membership

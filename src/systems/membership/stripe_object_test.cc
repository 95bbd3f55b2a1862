#include "systems/membership/stripe_object.h"

#include <gtest/gtest.h>

#include "value/json_tree.h"

namespace gateleg::systems::membership {
namespace {

value::AttributeValue tree(std::string_view json) {
    auto parsed = value::parse_json(json);
    EXPECT_TRUE(parsed) << json;
    return parsed ? *parsed : value::AttributeValue{value::Map{}};
}

TEST(StripeObjectTest, ReadsSubscriptionsOfBothShapes) {
    Catalog catalog;
    catalog.lookup_keys["plan_a"] = Tier::kSage;
    const auto old = tree(R"({"id":"sub_1","customer":"cus_1","status":"active",
        "current_period_start":100,"current_period_end":200,"cancel_at_period_end":true,
        "metadata":{"userId":"u1","provider":"cognito"},
        "items":{"data":[{"id":"si_1","price":{"lookup_key":"plan_a"}}]}})");
    const auto young = tree(R"({"id":"sub_1","customer":{"id":"cus_1"},"status":"active",
        "cancel_at_period_end":true,"metadata":{"userId":"u1","provider":"cognito"},
        "items":{"data":[{"id":"si_1","current_period_start":100,"current_period_end":200,
            "price":{"metadata":{"planTier":"sage"}}}]}})");
    for (const auto& one : {old, young}) {
        const StripeObject object(one);
        const auto event = object.to_object_event(catalog, false);
        EXPECT_EQ(event.plan_tier, "SAGE");
        EXPECT_EQ(event.start, 100);
        EXPECT_EQ(event.end, 200);
        EXPECT_EQ(event.item, "si_1");
        EXPECT_EQ(event.customer, "cus_1");
        EXPECT_EQ(event.provider, "cognito");
        EXPECT_EQ(event.cancel_at_period_end, true);
        EXPECT_EQ(object.user(), "u1");
    }
}

TEST(StripeObjectTest, ReadsInvoicesOfBothShapes) {
    const Catalog catalog;
    const auto old = tree(R"({"id":"in_1","subscription":"sub_1","customer":"cus_1",
        "billing_reason":"subscription_cycle","subscription_details":{"metadata":{"userId":"u1"}},
        "lines":{"data":[{"amount":1500,"period":{"start":1,"end":2},
            "price":{"lookup_key":"JOURNEYMAN"}}]}})");
    const auto young = tree(R"({"id":"in_1","customer":"cus_1",
        "billing_reason":"subscription_cycle",
        "parent":{"subscription_details":{"subscription":"sub_1",
            "metadata":{"userId":"u1","planTier":"JOURNEYMAN"}}},
        "lines":{"data":[{"amount":1500,"period":{"start":1,"end":2}}]}})");
    for (const auto& one : {old, young}) {
        const StripeObject object(one);
        EXPECT_EQ(object.subscription_of_invoice(), "sub_1");
        EXPECT_EQ(object.user(), "u1");
        const auto event = object.to_invoice_event(catalog, true);
        EXPECT_EQ(event.plan_tier, "JOURNEYMAN");
        EXPECT_EQ(event.start, 1);
        EXPECT_EQ(event.end, 2);
    }
}

TEST(StripeObjectTest, DoubtfulThingsAreNothing) {
    const auto odd = tree(R"({"customer":"a#b","metadata":{"userId":"u#1"},"items":{"data":"x"},
        "status":"brand_new","list":[1,{"a":true}]})");
    const StripeObject object(odd);
    EXPECT_EQ(object.user(), "");
    EXPECT_EQ(object.customer(), "");
    EXPECT_EQ(object.to_object_event({}, false).status, "incomplete");
    EXPECT_EQ(object.plan_of_subscription({}), std::nullopt);
    EXPECT_EQ(object.flag("list.1.a"), true);
    EXPECT_EQ(object.find("list.2"), nullptr);
    EXPECT_EQ(object.find("list.x"), nullptr);
    EXPECT_FALSE(read_event(tree(R"({"id":"evt 1","type":"x"})"), ""));
    EXPECT_FALSE(read_event(tree(R"({"id":"evt_1"})"), ""));
    EXPECT_TRUE(read_event(tree(R"({"id":"evt_1","type":"x"})"), ""));
}

}  // namespace
}  // namespace gateleg::systems::membership

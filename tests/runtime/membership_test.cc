// Membership with its C++, without HTTP: what the store looks like afterwards.

#include <random>

#include "base/time_text.h"
#include "systems/membership/install.h"
#include "systems/services.h"
#include "systems/webhooks.h"
#include "tests/runtime/fixture.h"

namespace gateleg::model {
namespace {

constexpr std::string_view kSecret = "whsec_test";

struct MembershipWorld : World {
    MembershipWorld()
        : World("membership"),
          services{
              .clock = clock,
              .real_clock = clock,
              .secret = "s",
              .setting = [](const std::string&) { return std::optional(std::string(kSecret)); },
              .runtimes = {{"membership", runtime.get()}}} {
        systems::install_membership(*runtime, services);
    }

    // The state an event comes to, or the code of the error.
    std::string deliver(const std::string& body) {
        RequestFacts facts;
        facts.headers = {
            {"Stripe-Signature", systems::sign_webhook(kSecret, body, clock.now_seconds())}};
        OperationCall call;
        call.raw_body = body;
        call.request = &facts;
        const auto reply = runtime->run("stripeWebhook", call, Caller{});
        return reply ? text_of(std::get<value::Map>(reply->body->data), "state")
                     : reply.error().code;
    }
    std::string deliver(const std::string& id, const std::string& type, const std::string& object) {
        return deliver(
            R"({"id":")" + id + R"(","type":")" + type + R"(","created":)" +
            std::to_string(clock.now_seconds()) + R"(,"data":{"object":)" + object + "}}"
        );
    }
    std::string top_up(const std::string& payment, const std::string& who) {
        return deliver(
            "evt_" + payment,
            "payment_intent.succeeded",
            R"({"id":")" + payment +
                R"(","amount_received":500,"currency":"usd","customer":"cus_)" + who +
                R"(","metadata":{"kind":"topup","userId":")" + who + R"("}})"
        );
    }
    std::string subscription(const std::string& status) const {
        const auto now = clock.now_seconds();
        return R"({"object":"subscription","id":"sub_1","customer":"cus_u1","status":")" + status +
               R"(","cancel_at_period_end":false,"current_period_start":)" +
               std::to_string(now - 100) + R"(,"current_period_end":)" +
               std::to_string(now + 1'000'000) +
               R"(,"metadata":{"userId":"u1"},"items":{"data":[{"price":{"lookup_key":"SAGE"}}]}})";
    }

    std::int64_t sum(
        const std::string& pattern, const std::string& who, const std::string& attribute
    ) {
        std::int64_t total = 0;
        std::optional<std::string> cursor;
        do {
            const auto page =
                query(pattern, R"({"userId":")" + who + R"("})", internal(), 100, cursor);
            EXPECT_TRUE(page) << (page ? "" : page.error().message);
            if (!page) {
                return -1;
            }
            for (const auto& item : page->items) {
                total += integer_of(item, attribute).value_or(0);
            }
            cursor = page->cursor;
        } while (cursor);
        return total;
    }
    // The balance, if ledger and lots say the same; -1 if they do not.
    std::int64_t proven(const std::string& who) {
        const auto credits = get("creditsOf", R"({"userId":")" + who + R"("})", internal());
        const auto balance = credits ? integer_of(credits->item, "balance").value_or(0) : 0;
        const bool agree =
            sum("ledgerOf", who, "amount") == balance && sum("lots", who, "remaining") == balance;
        return agree ? balance : -1;
    }

    systems::Services services;
};

TEST(MembershipTest, OneTransactionAnEvent) {
    MembershipWorld world;
    EXPECT_EQ(
        world.deliver("evt_1", "customer.subscription.created", world.subscription("active")),
        "applied"
    );
    EXPECT_EQ(
        world.deliver("evt_1", "customer.subscription.created", world.subscription("active")),
        "duplicate"
    );
    EXPECT_EQ(world.top_up("pi_1", "u1"), "applied");
    std::atomic<int> applied = 0;
    at_once(20, [&](int) { applied += world.top_up("pi_2", "u1") == "applied" ? 1 : 0; });
    EXPECT_EQ(applied, 1);
    EXPECT_EQ(world.proven("u1"), 20);
    EXPECT_EQ(
        world.deliver(
            "evt_2",
            "customer.subscription.created",
            R"({"id":"sub_9","customer":"cus_9","status":"active","items":{"data":[{"price":{"lookup_key":"SAGE"}}]}})"
        ),
        "parked"
    );
    EXPECT_EQ(
        world.deliver(
            "evt_3",
            "customer.subscription.created",
            R"({"id":"sub_8","customer":"cus_u1","status":"active"})"
        ),
        "review"
    );
    EXPECT_EQ(world.deliver("evt_4", "something.else", "{}"), "ignored");
    EXPECT_EQ(world.fsck(), "");
}

TEST(MembershipTest, AnswersOfDeliveriesAreTaken) {
    MembershipWorld world;
    const auto started = world.run("checkoutTopUp", R"({"amountUsd":5})", user("u1"), "key-1");
    ASSERT_TRUE(started) << started.error().message;
    const auto id = text_of(std::get<value::Map>(started->body->data), "checkoutId");
    const auto with = [&](const std::string& more) {
        return R"({"userId":"u1","checkoutId":")" + id + R"(",)" + more + "}";
    };
    EXPECT_EQ(
        world.outcome(
            "checkoutReady", with(R"("sessionId":"cs_1","url":"https://pay")"), internal()
        ),
        "ok"
    );
    EXPECT_EQ(
        world.outcome("checkoutFailed", with(R"("message":"late")"), internal()), "unchanged"
    );
    const auto shown = world.get("checkout", R"({"checkoutId":")" + id + R"("})", user("u1"));
    ASSERT_TRUE(shown) << shown.error().message;
    EXPECT_EQ(text_of(shown->item, "url"), "https://pay");
    EXPECT_EQ(text_of(shown->item, "status"), "open");

    EXPECT_EQ(
        world.deliver("evt_1", "customer.subscription.created", world.subscription("active")),
        "applied"
    );
    world.clock.advance(5'000);
    const auto answer = R"({"answer":)" + world.subscription("canceled") + "}";
    EXPECT_EQ(world.outcome("stripeCallDelivered", answer, internal()), "ok");
    EXPECT_EQ(
        world.outcome("stripeCallDelivered", R"({"answer":{"object":"refund"}})", internal()),
        "unchanged"
    );
    const auto subscription =
        world.get("subscription", R"({"subscriptionId":"sub_1"})", user("u1"));
    ASSERT_TRUE(subscription) << subscription.error().message;
    EXPECT_EQ(text_of(subscription->item, "status"), "canceled");
    EXPECT_EQ(world.fsck(), "");
}

TEST(MembershipTest, ARepeatedRequestIsKnownWhateverWasComputedForIt) {
    MembershipWorld world;
    EXPECT_EQ(world.top_up("pi_1", "u1"), "applied");
    const auto service = user("service", {"service"});
    const std::string ten = R"({"userId":"u1","amount":10,"reason":"all of it"})";
    const auto first = world.run("consume", ten, service, "key-1");
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_EQ(world.top_up("pi_2", "u1"), "applied");
    // Other lots would pay now; it is the same request.
    const auto again = world.run("consume", ten, service, "key-1");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(again->replayed);
    EXPECT_EQ(to_json(*again->body), to_json(*first->body));
    EXPECT_EQ(
        world.outcome("consume", R"({"userId":"u1","amount":1,"reason":"x"})", service, "key-1"),
        "IdempotencyKeyReused"
    );
    EXPECT_EQ(world.proven("u1"), 10);
}

TEST(MembershipTest, RandomSequencesAddUp) {
    MembershipWorld world;
    std::mt19937 random(2025);  // NOLINT: the same in every run
    const auto below = [&](int most) {
        return std::uniform_int_distribution<int>(0, most - 1)(random);
    };
    const auto service = user("service", {"service"});
    std::vector<std::string> payments;
    std::vector<std::string> held;
    int made = 0;
    for (int step = 0; step < 200; ++step) {
        const auto who = "u" + std::to_string(below(3));
        const auto id = std::to_string(++made);
        const auto amount = std::to_string(1 + below(7));
        const auto spend = R"({"userId":")" + who + R"(","amount":)" + amount + R"(,"reason":"x"})";
        switch (below(8)) {
            case 0:
                payments.push_back("pi_" + id);
                EXPECT_EQ(world.top_up("pi_" + id, who), "applied");
                break;
            case 1:
            case 2:
                (void)world.outcome("consume", spend, service, "k" + id);
                break;
            case 3: {
                const auto reply = world.run("reserve", spend, service, "k" + id);
                if (reply) {
                    held.push_back(
                        R"({"userId":")" + who + R"(","reservationId":")" +
                        text_of(std::get<value::Map>(reply->body->data), "reservationId") + R"("})"
                    );
                }
                break;
            }
            case 4:
                if (!held.empty()) {
                    const auto& one =
                        held[static_cast<std::size_t>(below(static_cast<int>(held.size())))];
                    (void)world.outcome(
                        below(3) == 0 ? "settleReservation" : "releaseReservation", one, service
                    );
                }
                break;
            case 5:
                if (!payments.empty()) {
                    const auto& payment =
                        payments[static_cast<std::size_t>(below(static_cast<int>(payments.size()))
                        )];
                    EXPECT_EQ(
                        world.deliver(
                            "evt_r" + id,
                            "charge.refunded",
                            R"({"payment_intent":")" + payment +
                                R"(","amount":500,"amount_refunded":)" +
                                std::to_string(1 + below(500)) + "}"
                        ),
                        "applied"
                    );
                }
                break;
            case 6:
                (void)world.outcome(
                    "adminGrant",
                    R"({"userId":")" + who + R"(","amount":)" + amount +
                        R"(,"reason":"x","expiresAt":)" +
                        std::to_string(world.clock.now_seconds() + 1 + below(200'000)) + "}",
                    user("root", {"admin"}),
                    "k" + id
                );
                break;
            default:
                world.clock.advance(std::int64_t{1000} * below(20'000));
                EXPECT_NE(
                    world.outcome("refreshMember", R"({"userId":")" + who + R"("})", internal()),
                    "Internal"
                );
        }
    }
    for (const std::string who : {"u0", "u1", "u2"}) {
        EXPECT_GE(world.proven(who), 0) << who;
    }
    EXPECT_EQ(world.fsck(), "");
}

}  // namespace
}  // namespace gateleg::model

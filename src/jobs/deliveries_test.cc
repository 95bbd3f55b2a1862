#include "jobs/deliveries.h"

#include <map>

#include "jobs/hooks.h"
#include "jobs/mail.h"
#include "jobs/providers.h"
#include "jobs/test_world.h"
#include "remote/test_server.h"

namespace gateleg::jobs {
namespace {

using remote::SeenRequest;
using remote::TestServer;

model::OutboxRow row_of(const std::string& kind, const std::string& payload) {
    model::OutboxRow row;
    row.id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    row.kind = kind;
    row.payload = json(payload);
    row.created_millis = kStart;
    return row;
}

// One delivery to a stand-in for all providers.
struct Provided {
    explicit Provided(const std::string& reply)
        : server([reply](const SeenRequest&, int) { return remote::ok(reply); }),
          config(make_config(
              {{"GATELEG_FAL_URL", server.url() + "/fal"},
               {"GATELEG_FAL_KEY", "fal-key"},
               {"GATELEG_RUNPOD_URL", server.url() + "/runpod/"},
               {"GATELEG_RUNPOD_KEY", "runpod-key"},
               {"GATELEG_STRIPE_URL", server.url() + "/stripe"},
               {"GATELEG_STRIPE_KEY", "sk"},
               {"GATELEG_PAYMENT_URL", server.url() + "/pay"},
               {"GATELEG_PUBLIC_URL", "https://gateleg.example/"},
               {"GATELEG_OUTBOUND_ALLOW", "127.0.0.1:" + std::to_string(server.port())}}
          )),
          client(outbound::Options{.allow = config.allow}) {
        add_deliveries(deliveries, {config, client, world.real_clock});
    }

    Result<value::AttributeValue> deliver(const std::string& kind, const std::string& payload) {
        const auto row = row_of(kind, payload);
        const auto delivery = deliveries.find_delivery("parcels", kind);
        EXPECT_TRUE(delivery) << kind;
        return delivery({*world.runtime, row});
    }
    SeenRequest last() const { return server.seen().back(); }

    World world;
    TestServer server;
    Config config;
    outbound::Client client;
    Deliveries deliveries;
};

TEST(DeliveriesTest, FalQueue) {
    Provided provided(R"({"request_id":"r1"})");
    const auto answer = provided.deliver(
        "provider-call",
        R"({"job_id":"j","token":"tok","model":"fal-ai/flux","input":{"prompt":"a cat"}})"
    );
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(to_json(*answer), R"({"request_id":"r1"})");
    EXPECT_TRUE(provided.last().has(
        "POST /fal/fal-ai/flux?fal_webhook=https%3A%2F%2Fgateleg.example%2Fv1%2Fparcels%2F"
        "webhooks%2Fprovider%2Ftok HTTP"
    )) << provided.last().head;
    EXPECT_TRUE(provided.last().has("Authorization: Key fal-key\r\n"));
    EXPECT_EQ(provided.last().body, R"({"prompt":"a cat"})");
    EXPECT_FALSE(provided.deliver("provider-call", R"({"model":"../../admin"})"));
    EXPECT_FALSE(provided.deliver("provider-call", R"({"model":"a?b"})"));
    EXPECT_EQ(provided.server.count(), 1U);
}

TEST(DeliveriesTest, Runpod) {
    Provided provided(R"({"id":"rp-1","status":"IN_QUEUE"})");
    ASSERT_TRUE(provided.deliver("runpod-submit", R"({"token":"tok","input":{"seed":"1"}})"));
    EXPECT_TRUE(provided.last().has("POST /runpod/run HTTP")) << provided.last().head;
    EXPECT_TRUE(provided.last().has("Authorization: Bearer runpod-key\r\n"));
    EXPECT_EQ(
        provided.last().body,
        R"({"input":{"seed":"1"},"webhook":)"
        R"("https://gateleg.example/v1/parcels/webhooks/runpod/tok"})"
    );
    ASSERT_TRUE(provided.deliver("provider-call", R"({"provider":"runpod","input":{}})"));
    EXPECT_TRUE(provided.last().has("POST /runpod/run HTTP"));
    ASSERT_TRUE(provided.deliver("runpod-cancel", R"({"runpodJobId":"rp-1"})"));
    EXPECT_TRUE(provided.last().has("POST /runpod/cancel/rp-1 HTTP"));
}

// A provider that answers by path.
struct ByPath {
    explicit ByPath(std::map<std::string, remote::Answer> answers)
        : server([answers = std::move(answers)](const SeenRequest& request, int) {
              const auto from = request.head.find(' ') + 1;
              const auto path = request.head.substr(from, request.head.find(' ', from) - from);
              const auto found = answers.find(path);
              return found != answers.end() ? found->second
                                            : remote::Answer{remote::http_reply(404, "{}")};
          }),
          config(make_config(
              {{"GATELEG_FAL_URL", server.url() + "/fal"},
               {"GATELEG_RUNPOD_URL", server.url() + "/runpod"},
               {"GATELEG_OUTBOUND_ALLOW", "127.0.0.1:" + std::to_string(server.port())}}
          )),
          client(outbound::Options{.allow = config.allow}) {
        add_deliveries(deliveries, {config, client, world.real_clock});
    }

    std::string deliver(const std::string& kind, const std::string& payload) {
        const auto row = row_of(kind, payload);
        const auto answer = deliveries.find_delivery("parcels", kind)({*world.runtime, row});
        if (answer) {
            return to_json(*answer);
        }
        return is_refusal(answer.error()) ? "refused" : "later";
    }

    World world;
    TestServer server;
    Config config;
    outbound::Client client;
    Deliveries deliveries;
};

TEST(DeliveriesTest, APollAnswersAsACallbackWould) {
    ByPath provider(
        {{"/fal/m/requests/r1/status", remote::ok(R"({"status":"IN_PROGRESS"})")},
         {"/fal/m/requests/r2/status", remote::ok(R"({"status":"COMPLETED"})")},
         {"/fal/m/requests/r2", remote::ok(R"({"images":[]})")},
         {"/fal/m/requests/r3/status", remote::ok(R"({"status":"COMPLETED"})")},
         {"/fal/m/requests/r3", {remote::http_reply(422, R"({"detail":"nudity"})")}},
         {"/runpod/status/p1", remote::ok(R"({"id":"p1","status":"COMPLETED"})")}}
    );
    const auto fal = [&](const std::string& id) {
        return provider.deliver(
            "provider-poll", R"({"provider_model_id":"m","provider_request_id":")" + id + R"("})"
        );
    };
    EXPECT_EQ(fal("r1"), R"({"request_id":"r1","status":"IN_PROGRESS"})");
    EXPECT_EQ(fal("r2"), R"({"payload":{"images":[]},"request_id":"r2","status":"OK"})");
    EXPECT_EQ(fal("r3"), R"({"payload":{"detail":"nudity"},"request_id":"r3","status":"ERROR"})");
    EXPECT_EQ(fal("unknown"), "{}") << "nothing is known, and nobody tries again";
    EXPECT_EQ(fal("../r1"), "{}");
    EXPECT_EQ(
        provider.deliver("provider-poll", R"({"provider":"runpod","provider_request_id":"p1"})"),
        R"({"id":"p1","status":"COMPLETED"})"
    );
    EXPECT_EQ(
        provider.deliver("runpod-poll", R"({"runpodJobId":"p1"})"),
        R"({"id":"p1","status":"COMPLETED"})"
    );
}

TEST(DeliveriesTest, WhatAProviderFindsWrongStaysWrong) {
    const auto answers = [](int status) {
        ByPath provider(
            {{"/runpod/run", {remote::http_reply(status, "{}")}},
             {"/runpod/cancel/p1", {remote::http_reply(status, "{}")}},
             {"/fal/m/requests/r1/cancel", {remote::http_reply(status, "{}")}}}
        );
        return provider.deliver("runpod-submit", "{}") + " " +
               provider.deliver("runpod-cancel", R"({"runpodJobId":"p1"})") + " " +
               provider.deliver("provider-cancel", R"({"model":"m","provider_request_id":"r1"})");
    };
    EXPECT_EQ(answers(200), "{} {} {}");
    ByPath silent({{"/fal/m", remote::ok()}});
    EXPECT_EQ(silent.deliver("provider-call", R"({"model":"m","token":"t"})"), "{}")
        << "without an address of its own it names no callback";
    EXPECT_EQ(answers(422), "refused {} {}");
    EXPECT_EQ(answers(400), "refused {} {}");
    EXPECT_EQ(answers(401), "later {} {}");
    EXPECT_EQ(answers(429), "later {} {}");
    EXPECT_EQ(answers(503), "later later later");
}

TEST(DeliveriesTest, StripeTakesForms) {
    Provided provided(R"({"id":"cs_1","url":"https://stripe.example/c"})");
    const auto answer = provided.deliver(
        "checkout", R"({"checkoutId":"c1","userId":"u1","kind":"topup","amount":500})"
    );
    ASSERT_TRUE(answer);
    EXPECT_TRUE(provided.last().has("POST /stripe/v1/checkout/sessions HTTP"));
    EXPECT_TRUE(provided.last().has("Authorization: Bearer sk\r\n"));
    EXPECT_TRUE(provided.last().has("Idempotency-Key: 01ARZ3NDEKTSV4RRFFQ69G5FAV\r\n"));
    const auto body = provided.last().body;
    for (const auto* part :
         {"mode=payment",
          "client_reference_id=c1",
          "metadata%5BuserId%5D=u1",
          "metadata%5Bkind%5D=topup",
          "payment_intent_data%5Bmetadata%5D%5BuserId%5D=u1",
          "line_items%5B0%5D%5Bprice_data%5D%5Bunit_amount%5D=500"}) {
        EXPECT_NE(body.find(part), std::string::npos) << part << " in " << body;
    }
    ASSERT_TRUE(provided.deliver("checkout", R"({"userId":"u1","price":"price_1"})"));
    EXPECT_NE(provided.last().body.find("mode=subscription"), std::string::npos);
    ASSERT_TRUE(provided.deliver("stripe-call", R"({"path":"/v1/x","params":{"a":{"b":[1]}}})"));
    EXPECT_TRUE(provided.last().has("POST /stripe/v1/x HTTP"));
    EXPECT_EQ(provided.last().body, "a%5Bb%5D%5B0%5D=1");
}

TEST(DeliveriesTest, Payment) {
    Provided provided(R"({"paymentRequestId":"pr1"})");
    ASSERT_TRUE(provided.deliver("payment-request", R"({"orderId":"o1","amount":"9.99"})"));
    EXPECT_TRUE(provided.last().has("POST /pay HTTP"));
    EXPECT_EQ(
        provided.last().body,
        R"({"amount":"9.99","callbackUrl":"https://gateleg.example/v1/parcels/webhooks/payment",)"
        R"("orderId":"o1"})"
    );
    ASSERT_TRUE(provided.deliver("payment-refund", R"({"orderId":"o1"})"));
    EXPECT_TRUE(provided.last().has("POST /pay/refunds HTTP"));
}

TEST(DeliveriesTest, KindsWithoutATargetHaveNoDelivery) {
    Provided provided("{}");
    for (const auto* kind : {"verify-mail", "alert", "copy-object", "group-sync", ""}) {
        EXPECT_FALSE(provided.deliveries.find_delivery("parcels", kind)) << kind;
    }
}

TEST(MailTest, IsPlainText) {
    World world;
    auto config = make_config({{"GATELEG_PUBLIC_URL", "https://x.example"}});
    auto row = row_of("reset-mail", R"({"email":"a@b.example","token":"tok"})");
    const auto mail = write_mail({*world.runtime, row}, config);
    ASSERT_TRUE(mail);
    EXPECT_EQ(mail->to, "a@b.example");
    EXPECT_NE(
        mail->body.find("https://x.example/parcels/reset-password?token=tok"), mail->body.npos
    ) << mail->body;
    const auto text = render_mail(*mail, "me@x.example", row.id, kStart);
    EXPECT_NE(text.find("Date: Sat, 01 Mar 2025 10:20:30 +0000\r\n"), text.npos) << text;
    EXPECT_NE(text.find("Message-ID: <01ARZ3NDEKTSV4RRFFQ69G5FAV@x.example>\r\n"), text.npos);

    row = row_of("mail", R"({"to":"a@b.example","subject":"Grüße\r\nBcc: x@y","text":"Süß"})");
    const auto odd = write_mail({*world.runtime, row}, config);
    ASSERT_TRUE(odd);
    const auto safe = render_mail(*odd, "me@x.example", row.id, kStart);
    EXPECT_EQ(safe.find("Bcc"), safe.npos) << safe;
    EXPECT_NE(safe.find("Subject: =?UTF-8?B?"), safe.npos);

    for (const auto* address :
         {"", "nobody", "a@b\\r\\nBcc: c@d", "<a@b>", "a@b,c@d", "@b", "a@"}) {
        row = row_of("verify-mail", R"({"email":")" + std::string(address) + R"("})");
        EXPECT_FALSE(write_mail({*world.runtime, row}, config)) << address;
    }
}

TEST(HooksTest, NamesOfKinds) {
    EXPECT_EQ(camel_case("parcel-call"), "parcelCall");
    EXPECT_EQ(camel_case("a"), "a");
    EXPECT_EQ(camel_case("a-b_c-d"), "aBCD");
}

TEST(HooksTest, PassesWhatTheOperationTakes) {
    World world;
    const auto row = row_of("x", R"({"id":"p1","colour":"red"})");
    const Parcel parcel{*world.runtime, row};
    EXPECT_TRUE(call_operation("parcelCallDelivered")(parcel, json(R"({"request_id":"r"})")));
    EXPECT_EQ(world.parcel("p1", "tracking"), R"("r")");
    EXPECT_TRUE(call_operation("noSuchOperation")(parcel, json("{}")));
    const auto refused = call_operation("parcelCallDelivered")(parcel, json("{}"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "ValidationFailed");
}

TEST(ConfigTest, RefusesWhatCannotWork) {
    EXPECT_TRUE(Config::parse({}));
    for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
             {"GATELEG_SMTP_URL", "http://x"},
             {"GATELEG_OUTBOUND_ALLOW", "localhost"},
             {"GATELEG_OUTBOX_ATTEMPTS", "0"},
             {"GATELEG_OUTBOX_ATTEMPTS", "many"},
             {"GATELEG_OUTBOX_BACKOFF", "10"},
             {"GATELEG_OUTBOX_POLL", "-PT1S"},
             {"GATELEG_MAIL_FROM", "a@b\nBcc: c"}}) {
        EXPECT_FALSE(Config::parse({{name, value}})) << name << "=" << value;
    }
    EXPECT_EQ(Config::target_name("group-sync"), "GROUP_SYNC");
}

}  // namespace
}  // namespace gateleg::jobs

#include "jobs/background.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>

#include <unistd.h>

#include "jobs/hooks.h"
#include "jobs/providers.h"
#include "jobs/test_world.h"
#include "remote/test_server.h"

namespace gateleg::jobs {
namespace {

using remote::http_reply;
using remote::SeenRequest;
using remote::TestServer;

std::string allow(const TestServer& server) {
    return "127.0.0.1:" + std::to_string(server.port());
}

std::string header_of(const SeenRequest& request, const std::string& name) {
    const auto at = request.head.find("\r\n" + name + ": ");
    if (at == std::string::npos) {
        return {};
    }
    const auto from = at + name.size() + 4;
    return request.head.substr(from, request.head.find("\r\n", from) - from);
}

struct Running {
    Running(
        World& world,
        Config::Variables variables,
        ObjectAccess* objects = nullptr,
        const std::function<void(Deliveries&)>& prepare = {}
    )
        : config(make_config(std::move(variables))),
          client(outbound::Options{.allow = config.allow}),
          background(
              {world.runtime.get()},
              config,
              client,
              world.real_clock,
              {.only_server = true, .schedules = false}
          ) {
        if (objects != nullptr) {
            add_object_deliveries(background.deliveries(), world.runtime->model().name, *objects);
        }
        if (prepare) {
            prepare(background.deliveries());
        }
        background.start();
    }
    Config config;
    outbound::Client client;
    Background background;
};

TEST(OutboxTest, DeliversOnceAndTellsTheSystem) {
    World world;
    const TestServer server([](const SeenRequest&, int) {
        return remote::Answer{http_reply(202, R"({"request_id":"r-77","apiKey":"hush"})")};
    });
    const auto id = world.send(
        "parcel-call", R"({"id":"p1","token":"secret","nested":{"n":1,"apiToken":"x"}})"
    );
    const Running running(
        world,
        {{"GATELEG_PARCEL_CALL_URL", server.url() + "/hook"},
         {"GATELEG_PARCEL_CALL_KEY", "k"},
         {"GATELEG_OUTBOUND_ALLOW", allow(server)}}
    );
    ASSERT_TRUE(eventually([&] { return world.done().size() == 1; }));
    EXPECT_TRUE(world.waiting().empty());
    ASSERT_EQ(server.count(), 1U);
    const auto request = server.seen()[0];
    EXPECT_EQ(header_of(request, "Idempotency-Key"), id);
    EXPECT_TRUE(header_of(request, "Webhook-Signature").starts_with("t="));
    EXPECT_NE(request.body.find(R"("token":"secret")"), std::string::npos) << request.body;
    EXPECT_NE(request.body.find(R"("kind":"parcel-call")"), std::string::npos) << request.body;
    EXPECT_EQ(world.parcel("p1", "tracking"), R"("r-77")");
    const auto done = world.done()[0];
    EXPECT_EQ(done.id, id);
    EXPECT_EQ(to_json(done.payload), R"({"id":"p1","nested":{"n":1}})") << "secrets are erased";
    EXPECT_EQ(to_json(*done.answer), R"({"request_id":"r-77"})");

    // And what is written while it runs.
    world.send("parcel-call", R"({"id":"p1"})");
    EXPECT_TRUE(eventually([&] { return world.done().size() == 2; }));
}

TEST(OutboxTest, TriesAgainThenGivesUp) {
    World world;
    const TestServer server([](const SeenRequest&, int) {
        return remote::Answer{http_reply(500, "busy")};
    });
    const auto id = world.send("parcel-call", R"({"id":"p1","token":"t"})");
    const Running running(
        world,
        {{"GATELEG_PARCEL_CALL_URL", server.url()},
         {"GATELEG_OUTBOUND_ALLOW", allow(server)},
         {"GATELEG_OUTBOX_ATTEMPTS", "3"},
         {"GATELEG_OUTBOX_BACKOFF", "PT10S"}}
    );
    const auto attempts = [&] {
        const auto rows = world.waiting();
        return rows.empty() ? -1 : rows[0].attempts;
    };
    ASSERT_TRUE(eventually([&] { return attempts() == 1; }));
    const auto row = world.waiting()[0];
    EXPECT_EQ(row.next_attempt_millis, kStart + 10'000);
    EXPECT_EQ(row.last_error, "the answer was 500");
    EXPECT_EQ(server.count(), 1U) << "not before its time";
    world.clock.advance(10'000);
    ASSERT_TRUE(eventually([&] { return attempts() == 2; }));
    EXPECT_EQ(world.waiting()[0].next_attempt_millis, kStart + 30'000);
    world.clock.advance(20'000);
    ASSERT_TRUE(eventually([&] { return world.dead().size() == 1; }));
    EXPECT_TRUE(world.waiting().empty());
    EXPECT_EQ(world.dead()[0].id, id);
    EXPECT_EQ(world.dead()[0].attempts, 3);
    EXPECT_EQ(world.parcel("p1", "state"), R"("lost")") << "parcelCallFailed was called";
    ASSERT_EQ(server.count(), 3U);
    for (const auto& request : server.seen()) {
        EXPECT_EQ(header_of(request, "Idempotency-Key"), id);
    }
}

TEST(OutboxTest, WhatHasNoTargetWaitsAndHoldsUpNobody) {
    World world;
    const TestServer server([](const SeenRequest&, int) { return remote::ok(); });
    world.send_many("nowhere", 120);
    const Running running(
        world, {{"GATELEG_ALERT_URL", server.url()}, {"GATELEG_OUTBOUND_ALLOW", allow(server)}}
    );
    world.send_many("alert", 20);
    ASSERT_TRUE(eventually([&] { return world.done().size() == 20; }));
    const auto waiting = world.waiting();
    EXPECT_EQ(waiting.size(), 120U);
    for (const auto& row : waiting) {
        EXPECT_EQ(row.attempts, 0);
        EXPECT_EQ(row.lease_owner, "");
    }
}

TEST(OutboxTest, PrivateTargetsNeedToBeAllowed) {
    World world;
    const TestServer server([](const SeenRequest&, int) { return remote::ok(); });
    world.send("alert", "{}");
    const Running running(world, {{"GATELEG_ALERT_URL", server.url()}});
    ASSERT_TRUE(eventually([&] { return world.waiting().at(0).attempts == 1; }));
    EXPECT_NE(world.waiting()[0].last_error.find("no public address"), std::string::npos);
    EXPECT_EQ(server.count(), 0U);
}

TEST(OutboxTest, AHookThatFailsIsCalledAgainWithoutAnotherDelivery) {
    World world;
    const TestServer server([](const SeenRequest&, int) { return remote::ok(R"({"id":"x"})"); });
    std::atomic<int> calls = 0;
    world.send("alert", "{}");
    const Running running(
        world,
        {{"GATELEG_ALERT_URL", server.url()}, {"GATELEG_OUTBOUND_ALLOW", allow(server)}},
        nullptr,
        [&](Deliveries& deliveries) {
            deliveries.after(
                "parcels",
                "alert",
                [&](const Parcel&,
                    const value::AttributeValue& answer) -> model::CallResult<model::Nothing> {
                    EXPECT_EQ(to_json(answer), R"({"id":"x"})");
                    if (calls++ == 0) {
                        return model::CallError{503, "Unavailable", "busy"};
                    }
                    return model::CallError{409, "Refused", "that is its last word"};
                }
            );
        }
    );
    ASSERT_TRUE(eventually([&] { return calls == 1 && world.waiting().at(0).answer; }));
    world.clock.advance(10'000);
    ASSERT_TRUE(eventually([&] { return world.done().size() == 1; }));
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(server.count(), 1U);
}

TEST(OutboxTest, TwoServersShareTheWork) {
    World world;
    std::mutex mutex;
    std::multiset<std::string> seen;
    const auto prepare = [&](Deliveries& deliveries) {
        deliveries.deliver("", "alert", [&](const Parcel& parcel) {
            const std::lock_guard lock(mutex);
            seen.insert(parcel.row.id);
            return Result<value::AttributeValue>(value::AttributeValue{value::Map{}});
        });
    };
    constexpr int kRows = 60;
    world.send_many("alert", kRows);
    // Two runtimes of one table, as two processes would have them.
    model::Runtime other(
        *world.model, *world.engine, world.clock, model::RuntimeOptions{.secret = "a secret"}
    );
    const auto config = make_config({});
    outbound::Client client{outbound::Options{}};
    Background first({world.runtime.get()}, config, client, world.real_clock, {});
    Background second({&other}, config, client, world.real_clock, {});
    prepare(first.deliveries());
    prepare(second.deliveries());
    first.start();
    second.start();
    ASSERT_TRUE(eventually([&] { return world.done().size() == kRows; }));
    const std::lock_guard lock(mutex);
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(kRows)) << "each of them once";
    EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), seen.size());
}

TEST(OutboxTest, AnEndInTheMiddleLosesNothing) {
    World world;
    const TestServer server([](const SeenRequest&, int number) {
        return number == 0 ? remote::Answer{http_reply(200, "{}"), std::chrono::seconds(60)}
                           : remote::ok();
    });
    const auto id = world.send("alert", "{}");
    const Config::Variables variables = {
        {"GATELEG_ALERT_URL", server.url()}, {"GATELEG_OUTBOUND_ALLOW", allow(server)}};
    {
        const Running running(world, variables);
        ASSERT_TRUE(eventually([&] { return server.count() == 1; }));
    }
    ASSERT_EQ(world.waiting().size(), 1U);
    EXPECT_EQ(world.waiting()[0].attempts, 0) << "it was cut off by us";
    EXPECT_EQ(world.waiting()[0].lease_owner, "");
    // As a process leaves it that was killed.
    auto row = world.waiting()[0];
    const auto now = world.real_clock.now_millis();
    ASSERT_TRUE(world.runtime->outbox().claim(row, "a dead process", now, now + 600'000, false));
    const Running again(world, variables);
    ASSERT_TRUE(eventually([&] { return world.done().size() == 1; }));
    ASSERT_EQ(server.count(), 2U);
    for (const auto& request : server.seen()) {
        EXPECT_EQ(header_of(request, "Idempotency-Key"), id);
    }
}

TEST(OutboxTest, MailsGoIntoTheSpool) {
    World world;
    const auto directory = std::filesystem::temp_directory_path() /
                           ("gateleg-spool-" + std::to_string(world.real_clock.now_millis()) + "-" +
                            std::to_string(::getpid()));
    const auto id = world.send("verify-mail", R"({"email":"ann@example.com","token":"t0k3n"})");
    world.send("verify-mail", R"({"email":"no address"})");
    const Running running(world, {{"GATELEG_SMTP_URL", "spool:" + directory.string()}});
    ASSERT_TRUE(eventually([&] { return world.done().size() == 1; }));
    std::ifstream file(directory / (id + ".eml"));
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_NE(text.str().find("To: ann@example.com\r\n"), std::string::npos) << text.str();
    EXPECT_NE(text.str().find("t0k3n"), std::string::npos) << text.str();
    EXPECT_EQ(to_json(world.done()[0].payload), R"({"email":"ann@example.com"})");
    ASSERT_TRUE(eventually([&] { return world.waiting().at(0).attempts == 1; }));
    EXPECT_EQ(world.waiting()[0].last_error, "the row names no mail address");
    std::filesystem::remove_all(directory);
}

class FakeObjects final : public ObjectAccess {
public:
    Result<StoredObject> copy_in(std::string_view url, std::string_view key) override {
        if (copies++ < failures) {
            return service_unavailable("not yet");
        }
        from = url;
        return StoredObject{std::string(key), 42, "image/png", 3, 4};
    }
    Result<std::optional<StoredObject>> make_thumbnail(
        std::string_view key, std::string_view out_key, std::uint32_t max_edge
    ) override {
        small = std::string(key) + " " + std::string(out_key) + " " + std::to_string(max_edge);
        return std::optional<StoredObject>();
    }
    Result<std::string> make_link(std::string_view key) const override {
        return "https://objects.example/" + std::string(key) + "?signed";
    }
    Result<void> remove(std::string_view key) override {
        removed = key;
        return {};
    }
    std::atomic<int> copies = 0;
    int failures = 0;
    std::string from;
    std::string removed;
    std::string small;
};

TEST(OutboxTest, ObjectsAreCopiedHoweverLongItTakes) {
    World world;
    FakeObjects objects;
    objects.failures = 4;
    world.send("copy-object", R"({"url":"https://example.com/a","key":"k1"})");
    world.send("delete-object", R"({"key":"k2"})");
    world.send("make-thumbnail", R"({"key":"k3","out_key":"k3/small","edge":160})");
    const Running running(world, {{"GATELEG_OUTBOX_ATTEMPTS", "2"}}, &objects);
    for (int round = 1; round <= 4; ++round) {
        ASSERT_TRUE(eventually([&] {
            const auto rows = world.waiting();
            return rows.size() == 1 && rows[0].attempts == round;
        })) << round;
        world.clock.advance(3'600'000);
    }
    ASSERT_TRUE(eventually([&] { return world.waiting().empty(); }));
    EXPECT_EQ(objects.from, "https://example.com/a");
    EXPECT_EQ(objects.removed, "k2");
    EXPECT_EQ(objects.small, "k3 k3/small 160");
    EXPECT_TRUE(world.dead().empty());
}

TEST(OutboxTest, AProviderGetsALinkToTheObject) {
    World world;
    const TestServer server([](const SeenRequest&, int) { return remote::ok(R"({"id":"rp-1"})"); });
    FakeObjects objects;
    world.send("runpod-submit", R"({"objectKey":"k1","input":{"image":"/v1/ours","seed":"1"}})");
    const Running running(
        world,
        {{"GATELEG_RUNPOD_URL", server.url()}, {"GATELEG_OUTBOUND_ALLOW", allow(server)}},
        &objects
    );
    ASSERT_TRUE(eventually([&] { return world.done().size() == 1; }));
    EXPECT_NE(
        server.seen()[0].body.find(R"("image":"https://objects.example/k1?signed")"),
        std::string::npos
    ) << server.seen()[0].body;
}

TEST(OutboxTest, WhatIsRefusedIsGivenUpAtOnce) {
    World world;
    const Running running(world, {}, nullptr, [](Deliveries& deliveries) {
        deliveries.deliver("", "parcel-call", [](const Parcel&) {
            return Result<value::AttributeValue>(refusal("never"));
        });
    });
    world.send("parcel-call", R"({"id":"p1"})");
    ASSERT_TRUE(eventually([&] { return world.dead().size() == 1; }));
    EXPECT_EQ(world.dead()[0].attempts, 1);
    EXPECT_EQ(world.dead()[0].last_error, "never");
    EXPECT_EQ(world.parcel("p1", "state"), R"("lost")") << "and the system hears of it";
}

TEST(OutboxTest, WhatNobodyWantsAnyMoreIsNotSent) {
    World world;
    std::atomic<int> sent = 0;
    std::atomic<int> status = 500;
    const Running running(world, {}, nullptr, [&](Deliveries& deliveries) {
        deliveries.deliver("", "parcel-call", [&](const Parcel&) {
            ++sent;
            return Result<value::AttributeValue>(value::AttributeValue{value::Map{}});
        });
        deliveries.before("parcels", "parcel-call", [&](const Parcel&, const auto&) {
            return model::CallResult<model::Nothing>(model::CallError{status, "Gone", "gone"});
        });
    });
    world.send("parcel-call", R"({"id":"p1"})");
    ASSERT_TRUE(eventually([&] {
        const auto rows = world.waiting();
        return rows.size() == 1 && rows[0].last_error == "gone";
    })) << "a fault of our own is no answer";
    status = 409;
    world.clock.advance(3'600'000);
    ASSERT_TRUE(eventually([&] { return world.done().size() == 1; }));
    EXPECT_EQ(sent, 0);
    EXPECT_EQ(to_json(*world.done()[0].answer), R"({"skipped":"Gone"})");
    EXPECT_EQ(world.parcel("p1", "tracking"), "null");
}

TEST(OutboxTest, ARowMayCallAnotherSystem) {
    World world;
    World other;
    const Running running(world, {}, nullptr, [&](Deliveries& deliveries) {
        add_system_call(deliveries, "parcels", "lose-there", *other.runtime, "parcelCallFailed");
    });
    world.send("lose-there", R"({"id":"p1","more":"is not for it"})");
    ASSERT_TRUE(eventually([&] { return world.done().size() == 1; }));
    EXPECT_EQ(other.parcel("p1", "state"), R"("lost")");
    EXPECT_EQ(world.parcel("p1", "state"), R"("fresh")");
    world.send("lose-there", R"({"id":"nobody"})");
    ASSERT_TRUE(eventually([&] { return world.dead().size() == 1; }));
    EXPECT_EQ(world.dead()[0].attempts, 1) << world.dead()[0].last_error;
}

TEST(OutboxTest, NothingToDoCostsNothing) {
    const SystemClock clock;
    const auto config = make_config({});
    outbound::Client client{outbound::Options{}};
    Background background({}, config, client, clock, {});
    background.start();
    background.stop();
}

}  // namespace
}  // namespace gateleg::jobs

// FigureForge with an object store that only pretends.

#include <map>

#include "model/demo.h"
#include "systems/figureforge/install.h"
#include "systems/registry.h"
#include "tests/runtime/fixture.h"

namespace gateleg::systems {
namespace {

using model::CallResult;
using model::OperationReply;

class PretendedObjects final : public ObjectAccess {
public:
    Result<std::string> presign_put(
        std::string_view key, std::string_view content_type, std::int64_t seconds
    ) const override {
        return "put:" + std::string(key) + ":" + std::string(content_type) + ":" +
               std::to_string(seconds);
    }
    Result<std::string> presign_get(std::string_view key, std::int64_t seconds) const override {
        return "get:" + std::string(key) + ":" + std::to_string(seconds);
    }
    Result<std::optional<StoredObject>> head(std::string_view key) const override {
        const auto found = objects.find(key);
        return found == objects.end() ? std::optional<StoredObject>() : found->second;
    }
    Result<void> remove(std::string_view key) override {
        objects.erase(std::string(key));
        return {};
    }

    std::map<std::string, StoredObject, std::less<>> objects;
};

class FigureforgeTest : public testing::Test {
protected:
    FigureforgeTest() {
        services.runtimes["figureforge"] = world.runtime.get();
        install_figureforge(*world.runtime, services);
        EXPECT_TRUE(world.runtime->missing_natives().empty());
        const auto made = world.run(
            "signUp", R"({"email":"ann@example.com","password":"correct horse"})", model::Caller{}
        );
        EXPECT_TRUE(made) << made.error().message;
        const auto& body = std::get<value::Map>(made->body->data);
        ann = model::text_of(std::get<value::Map>(body.at("user").data), "user_id");
    }

    std::string member(const CallResult<OperationReply>& reply, const std::string& name) {
        EXPECT_TRUE(reply) << reply.error().code << ": " << reply.error().message;
        return reply ? model::text_of(std::get<value::Map>(reply->body->data), name) : "";
    }
    std::string start() {
        return member(
            world.run("startUpload", R"({"content_type":"image/png","size":10})", model::user(ann)),
            "image_id"
        );
    }
    static std::string finish_body(const std::string& id) {
        return R"({"image_id":")" + id + R"(","tags":["pose:standing"]})";
    }
    std::string key_of(const std::string& id) const {
        return "users/" + ann + "/2025/03/01/" + id + ".jpg";
    }

    model::World world{"figureforge"};
    PretendedObjects objects;
    Services services{
        .clock = world.clock,
        .real_clock = world.clock,
        .secret = "a secret of the test",
        .test_mode = true,
        .objects = &objects};
    std::string ann;
};

TEST_F(FigureforgeTest, AnUploadIsLookedAtBeforeItIsAnImage) {
    const auto id = start();
    const auto finish = [&] {
        return world.outcome("finishUpload", finish_body(id), model::user(ann));
    };
    EXPECT_EQ(finish(), "ObjectMissing");
    objects.objects[key_of(id)] = {10, "text/plain"};
    EXPECT_EQ(finish(), "UnsupportedMediaType");
    objects.objects[key_of(id)] = {30'000'000, "image/png"};
    EXPECT_EQ(finish(), "PayloadTooLarge");
    objects.objects[key_of(id)] = {10, "image/png"};
    EXPECT_EQ(
        world.outcome("finishUpload", finish_body(id), model::user("somebody-else")),
        "UploadNotFound"
    );
    // A day later it would have another key, if that were made from the time of its end.
    world.clock.advance(std::int64_t{20} * 60 * 60 * 1000);
    const auto made =
        world.run("finishUpload", finish_body(id), model::user(ann), std::string("key-1"));
    EXPECT_EQ(member(made, "s3_key"), key_of(id));
    const auto again =
        world.run("finishUpload", finish_body(id), model::user(ann), std::string("key-1"));
    ASSERT_TRUE(again) << again.error().code;
    EXPECT_TRUE(again->replayed);
    EXPECT_EQ(finish(), "UploadNotFound");
    EXPECT_NE(world.raw("TAG#pose:standing", "IMG#" + id), "null");
    EXPECT_EQ(world.fsck(), "");
}

TEST_F(FigureforgeTest, LinksAreMadeForEachAnswerAndNeverStored) {
    const auto id = start();
    objects.objects[key_of(id)] = {10, "image/png"};
    ASSERT_EQ(world.outcome("finishUpload", finish_body(id), model::user(ann)), "ok");
    const auto named = R"({"image_id":")" + id + R"("})";
    const auto own = world.run("getImage", named, model::user(ann));
    EXPECT_EQ(member(own, "url"), "get:" + key_of(id) + ":600");
    EXPECT_EQ(member(own, "expiresAt"), "2025-03-01T10:30:30.400Z");
    const auto link =
        world.run("signUrl", R"({"image_id":")" + id + R"(","ttl":60})", model::user(ann));
    EXPECT_EQ(member(link, "url"), "get:" + key_of(id) + ":60");
    EXPECT_EQ(member(link, "expiresAt"), "2025-03-01T10:21:30.400Z");
    EXPECT_EQ(world.outcome("signUrl", named, model::Caller{}), "ImageNotFound");
    EXPECT_EQ(world.raw("IMG#" + id, "META").find("get:"), std::string::npos);
    ASSERT_EQ(
        world.outcome(
            "setVisibility", R"({"image_id":")" + id + R"(","public":true})", model::user(ann)
        ),
        "ok"
    );
    const auto shared = world.run("getImage", named, model::Caller{});
    EXPECT_EQ(member(shared, "url"), "https://cdn.figureforge.example/" + key_of(id));
}

TEST_F(FigureforgeTest, WithoutAStoreThereAreNoUploadsAndNoLinks) {
    const auto id = start();
    objects.objects[key_of(id)] = {10, "image/png"};
    ASSERT_EQ(world.outcome("finishUpload", finish_body(id), model::user(ann)), "ok");
    services.objects = nullptr;
    EXPECT_EQ(
        world.outcome("startUpload", R"({"content_type":"image/png"})", model::user(ann)),
        "ProviderNotConfigured"
    );
    const auto named = R"({"image_id":")" + id + R"("})";
    EXPECT_EQ(world.outcome("signUrl", named, model::user(ann)), "ProviderNotConfigured");
    EXPECT_EQ(member(world.run("getImage", named, model::user(ann)), "url"), "");
}

TEST_F(FigureforgeTest, TheCopyOfAnImageTakesThePlaceOfTheProvidersAddress) {
    ASSERT_EQ(
        world.outcome(
            "grantCredits",
            R"({"user_id":")" + ann + R"(","amount":1,"reason":"test"})",
            model::user("root", {"admin"})
        ),
        "ok"
    );
    const auto job = member(
        world.run(
            "submitJob",
            R"({"prompt_json":{"prompt":"a fox"},"provider_model_id":"fal/x","count":1})",
            model::user(ann),
            std::string("key-1")
        ),
        "job_id"
    );
    const std::string id = "01955ad0-0000-7000-8000-000000000001";
    ASSERT_EQ(
        world.outcome(
            "jobSucceeded",
            R"({"event_id":"e1","user_id":")" + ann + R"(","job_id":")" + job +
                R"(","image_ids":[")" + id + R"("],"images":[{"image_id":")" + id +
                R"(","url":"https://provider.example/1.png"}]})",
            model::internal()
        ),
        "ok"
    );
    const auto named = R"({"image_id":")" + id + R"("})";
    EXPECT_EQ(
        member(world.run("getImage", named, model::user(ann)), "url"),
        "https://provider.example/1.png"
    );
    EXPECT_EQ(world.outcome("imageStored", named, model::internal()), "ok");
    EXPECT_EQ(world.outcome("imageStored", named, model::internal()), "unchanged");
    EXPECT_EQ(
        member(world.run("getImage", named, model::user(ann)), "url"), "get:" + key_of(id) + ":600"
    );
    EXPECT_EQ(world.fsck(), "");
}

TEST_F(FigureforgeTest, ADeletionThatWasInterruptedIsFinishedLater) {
    const auto id = start();
    objects.objects[key_of(id)] = {10, "image/png"};
    ASSERT_EQ(world.outcome("finishUpload", finish_body(id), model::user(ann)), "ok");
    ASSERT_EQ(world.outcome("markDeleted", "{}", model::internal(ann)), "ok");
    EXPECT_NE(world.raw("DELETIONS", ann), "null");
    EXPECT_NE(world.raw("TAG#pose:standing", "IMG#" + id), "null");
    for (int round = 0; round < 2; ++round) {
        ASSERT_EQ(
            world.outcome("finishDeletion", R"({"user_id":")" + ann + R"("})", model::internal()),
            "ok"
        );
        EXPECT_EQ(world.raw("DELETIONS", ann), "null");
        EXPECT_EQ(world.raw("TAG#pose:standing", "IMG#" + id), "null");
    }
    EXPECT_EQ(world.fsck(), "");
}

TEST(FigureforgeDemoTest, TheExampleDataIsLoaded) {
    model::World world("figureforge");
    Services services{
        .clock = world.clock, .real_clock = world.clock, .secret = "x", .test_mode = true};
    install_figureforge(*world.runtime, services);
    const auto* files = find_system("figureforge");
    ASSERT_NE(files, nullptr);
    const auto loaded = model::load_demo(files->demo, *world.runtime);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(world.fsck(), "");
}

}  // namespace
}  // namespace gateleg::systems

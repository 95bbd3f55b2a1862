// Operations in C++, what a stranger sees of an item, example data.

#include "model/demo.h"
#include "tests/runtime/fixture.h"

namespace gateleg::model {
namespace {

TEST(NativeTest, GetsCheckedInputsAndAnswers) {
    World world("shop");
    world.runtime->install("greet", [](const NativeCall& call) -> CallResult<OperationReply> {
        OperationReply reply;
        value::Map body;
        body["hello"] = text(call.text("name"));
        body["times"] = number(call.integer("times").value_or(0));
        body["loud"] = boolean(call.flag("loud"));
        reply.body = value::AttributeValue{std::move(body)};
        return reply;
    });
    EXPECT_TRUE(world.runtime->missing_natives().empty());
    auto reply = world.run("greet", R"({"name":"  Ann ","times":"3"})", user("u1"));
    EXPECT_FALSE(reply) << "3 is text here";
    EXPECT_EQ(world.outcome("greet", "{}", user("u1")), "ValidationFailed");
    EXPECT_EQ(world.outcome("greet", R"({"name":"a","nobody":1})", user("u1")), "UnknownField");
    EXPECT_EQ(world.outcome("greet", R"({"name":"a"})", Caller{}), "Unauthenticated");
    reply = world.run("greet", R"({"name":"  Ann ","times":3})", user("u1"));
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(to_json(*reply->body), R"({"hello":"Ann","loud":true,"times":3})");
}

TEST(NativeTest, IsMissingUntilInstalled) {
    World world("shop");
    EXPECT_EQ(world.runtime->missing_natives(), std::vector<std::string>{"greet"});
    EXPECT_EQ(world.outcome("greet", R"({"name":"a"})", user("u1")), "NotAvailable");
    const auto nothing = [](const NativeCall&) -> CallResult<OperationReply> {
        return OperationReply{};
    };
    EXPECT_THROW(world.runtime->install("signUp", nothing), std::invalid_argument);
    EXPECT_THROW(world.runtime->install("nowhere", nothing), std::invalid_argument);
}

TEST(NativeTest, StrangersSeeThePublicPart) {
    World world("shop");
    ASSERT_EQ(
        world.outcome("openCard", R"({"id":"c1","name":"Ann","note":"mine"})", user("u1")), "ok"
    );
    const auto seen_by = [&](const Caller& caller) {
        const auto found = world.get("card", R"({"id":"c1"})", caller);
        return found ? to_json(world.runtime->to_api(*found->entity, found->item, caller))
                     : found.error().code;
    };
    EXPECT_EQ(seen_by(user("u2")), R"({"id":"c1","name":"Ann"})");
    EXPECT_EQ(seen_by(Caller{}), R"({"id":"c1","name":"Ann"})");
    const std::string whole = R"({"id":"c1","name":"Ann","note":"mine","owner":"u1"})";
    EXPECT_EQ(seen_by(user("u1")), whole);
    EXPECT_EQ(seen_by(user("u2", {"admin"})), whole);
    EXPECT_EQ(seen_by(internal()), whole);
}

TEST(DemoTest, CallsOperationsAndKeepsTheirAnswers) {
    World world("shop");
    EXPECT_FALSE(*world.runtime->has_items());
    const auto loaded = load_demo(
        "- { as: u1, run: openCard, with: { id: c1, name: Ann }, keep: card }\n"
        "- { as: u2, run: openCard, with: { id: c2, name: $card.name } }\n",
        *world.runtime
    );
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(*loaded, 2);
    EXPECT_TRUE(*world.runtime->has_items());
    EXPECT_NE(world.raw("CARD#c2", "META").find("Ann"), std::string::npos);
}

TEST(DemoTest, SaysWhichLineFails) {
    World world("shop");
    const auto failed =
        load_demo("- { as: u1, run: openCard, with: { id: $who.id } }\n", *world.runtime);
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().message.find("line 1"), std::string::npos) << failed.error().message;
    EXPECT_FALSE(load_demo("- { run: nothing }\n", *world.runtime));
    EXPECT_FALSE(load_demo("{", *world.runtime));
}

}  // namespace
}  // namespace gateleg::model

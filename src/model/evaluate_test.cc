#include "model/evaluate.h"

#include <gtest/gtest.h>

#include "model/functions.h"
#include "model/load.h"
#include "model/resolve.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Number;

constexpr std::int64_t kNow = 1'740'824'430'400;  // 2025-03-01T10:20:30.400Z

constexpr std::string_view kModel = R"YAML(
model: { name: test, path: /test }
table: { name: test, key: { PK: S, SK: S }, ttl: ttl, marker: kind }
constants: { quota: { free: { day: 3 }, pro: { day: 1000 } }, most: 5 }
entities:
  Item:
    keys: { PK: "ITEM#{id}", SK: "META" }
    attributes:
      id: { type: string!, stored: false }
      title: string
      status: [open, done]
      plan: [free, pro]
      count: { type: integer, min: 0 }
      price: number
      isPublic: { type: boolean, stored: ["Y", "N"] }
      flag: boolean
      owner: string
      at: timestamp
      sec: { type: timestamp, precision: s }
      ends: epoch_s
      ms: epoch_ms
      ttl: epoch_s
      info: { type: map, fields: { n: integer, tags: { type: list, of: string, max: 5 } } }
      tags: { type: list, of: string, max: 9 }
      live: { is: "status = open and owner <> null", stored: false }
      label: { is: "'{title}-{count:04}-{at:%Y%m%d}'" }
)YAML";

class EvaluateTest : public testing::Test {
protected:
    EvaluateTest() {
        model_ = load_model(kModel, diagnostics_);
        EXPECT_EQ(diagnostics_.to_text(), "");
        environment_.now_millis = kNow;
        environment_.caller = "u1";
        environment_.viewer = "v9";
        environment_.roles = {"admin"};
        environment_.item = &item_;
        for (const auto& constant : model_->constants) {
            environment_.variables[constant.name] = constant.value;
        }
        environment_.variables["x"] = number_value(Number::from_int(7));
        environment_.variables["none"] = null_value();
        environment_.variables["it"] = AttributeValue{item_};
    }

    const Entity& entity() { return *model_->find_entity("Item"); }

    Value run(std::string_view text) {
        std::optional<SyntaxError> error;
        const auto expression = parse_expression(text, {1, 1}, error);
        EXPECT_FALSE(error) << text << ": " << error->message;
        Scope scope;
        scope.item = {&entity()};
        scope.table = &model_->table;
        scope.existence = true;
        for (const auto* name : {"quota", "most", "x", "none"}) {
            scope.variables[name] = {};
        }
        scope.variables["it"] = {ValueKind::kItem, nullptr, {&entity()}};
        Diagnostics found;
        resolve(expression, scope, {}, found);
        EXPECT_EQ(found.to_text(), "") << text;
        const auto result = evaluate(expression, environment_);
        EXPECT_TRUE(result) << text << ": " << (result ? "" : result.error().message);
        return result ? *result : null_value();
    }
    bool truth(std::string_view text) { return is_true(run(text)); }
    std::string shown(std::string_view text) {
        const auto rendered = render_value(run(text), {});
        return rendered && *rendered ? **rendered : "null";
    }

    Diagnostics diagnostics_;
    std::unique_ptr<Model> model_;
    value::Item item_ = {
        {"id", {std::string("i1")}},
        {"title", {std::string("Sea")}},
        {"status", {std::string("open")}},
        {"plan", {std::string("pro")}},
        {"count", {Number::from_int(3)}},
        {"isPublic", {std::string("Y")}},
        {"flag", {false}},
        {"owner", {std::string("u1")}},
        {"at", {std::string("2025-03-01T10:20:30.400Z")}},
        {"sec", {std::string("2025-03-01T10:20:30Z")}},
        {"ends", {Number::from_int(1'740'824'430)}},
        {"ms", {Number::from_int(kNow)}},
        {"info", {value::Map{{"n", {Number::from_int(4)}}}}},
        {"price", {value::Null{}}},
    };
    Environment environment_;
};

TEST_F(EvaluateTest, NullIsAbsentOrNull) {
    EXPECT_TRUE(truth("price = null"));
    EXPECT_TRUE(truth("tags = null"));
    EXPECT_TRUE(truth("title <> null"));
    EXPECT_FALSE(truth("price < 3"));
    EXPECT_FALSE(truth("price >= 3"));
    EXPECT_TRUE(truth("not (price >= 3)"));
    EXPECT_TRUE(truth("price <> 3"));
    EXPECT_EQ(shown("price + 1"), "null");
    EXPECT_EQ(shown("(price ?? 2) + 1"), "3");
    EXPECT_EQ(shown("'a{price}'"), "null");
}

TEST_F(EvaluateTest, NamesEnumsAndConstants) {
    EXPECT_TRUE(truth("status = open"));
    EXPECT_TRUE(truth("open = status"));
    EXPECT_TRUE(truth("status in (open, done)"));
    EXPECT_FALSE(truth("status <> open"));
    EXPECT_TRUE(truth("live"));
    EXPECT_TRUE(truth("count < $quota[plan].day"));
    EXPECT_EQ(shown("$quota.free.day * 2"), "6");
    EXPECT_EQ(shown("$it.info.n"), "4");
    EXPECT_EQ(shown("info.n + $x"), "11");
    EXPECT_TRUE(truth("$it.live"));
}

TEST_F(EvaluateTest, BooleansByTheirSpelling) {
    EXPECT_TRUE(truth("isPublic"));
    EXPECT_TRUE(truth("isPublic = true"));
    EXPECT_TRUE(truth("not flag"));
    const auto* attribute = entity().find_attribute("isPublic");
    EXPECT_EQ(to_stored(boolean_value(false), attribute), (AttributeValue{std::string("N")}));
}

TEST_F(EvaluateTest, NobodyIsEqualToNothing) {
    EXPECT_TRUE(truth("owner = caller"));
    environment_.caller.reset();
    EXPECT_FALSE(truth("owner = caller"));
    EXPECT_TRUE(truth("owner <> caller"));
    item_.erase("owner");
    EXPECT_FALSE(truth("owner = caller"));
    EXPECT_FALSE(truth("caller = owner"));
    EXPECT_TRUE(truth("caller = null"));
}

TEST_F(EvaluateTest, TimesWhateverTheirStoredForm) {
    EXPECT_TRUE(truth("at = now"));
    EXPECT_TRUE(truth("ms = now"));
    EXPECT_TRUE(truth("ends < now"));
    EXPECT_TRUE(truth("sec = ends"));
    EXPECT_TRUE(truth("at > now - 1s"));
    EXPECT_TRUE(truth("now + 24h > at + 23h"));
    EXPECT_TRUE(truth("at = '2025-03-01T10:20:30.400Z'"));
    EXPECT_TRUE(truth("now - at = 0s"));
    EXPECT_EQ(shown("'{now:%Y-%m-%d}'"), "2025-03-01");
    EXPECT_EQ(shown("epoch_s(at)"), "1740824430");
    EXPECT_EQ(
        shown("'{at} {sec} {ends}'"), "2025-03-01T10:20:30.400Z 2025-03-01T10:20:30Z 1740824430"
    );
    EXPECT_EQ(
        to_stored(run("now + 24h"), entity().find_attribute("ends")),
        (AttributeValue{Number::from_int(1'740'910'830)})
    );
    EXPECT_EQ(
        to_stored(run("now"), entity().find_attribute("sec")),
        (AttributeValue{std::string("2025-03-01T10:20:30Z")})
    );
    environment_.attempt = 2;
    EXPECT_EQ(
        to_stored(run("now + attempt"), entity().find_attribute("ms")),
        (AttributeValue{Number::from_int(kNow + 2)})
    );
}

TEST_F(EvaluateTest, TextsAndFunctions) {
    EXPECT_EQ(shown("label"), "Sea-0003-20250301");
    EXPECT_EQ(shown("lower(squeeze('  Sea   View '))"), "sea view");
    EXPECT_TRUE(truth("starts_with(title, 'S')"));
    EXPECT_EQ(shown("max(count, 9, price)"), "9");
    EXPECT_EQ(shown("min(count, 9)"), "3");
    EXPECT_EQ(shown("max(now, at - 1d) = now ? 'y' : 'n'"), "y");
    EXPECT_EQ(shown("match(status, open: 'a', done: 'b')"), "a");
    EXPECT_TRUE(truth("match(plan, free: 'a') = null"));
    EXPECT_TRUE(truth("role(user, admin)"));
    EXPECT_FALSE(truth("role(moderator)"));
    EXPECT_EQ(shown("viewer"), "v9");
    EXPECT_EQ(shown("hash('a', 'b')").size(), 32U);
    EXPECT_NE(shown("hash('a', 'b')"), shown("hash('ab', '')"));
    EXPECT_TRUE(truth("exists"));
    EXPECT_EQ(shown("10 / 4"), "2.5");
    EXPECT_EQ(shown("1 / 3"), "0.33333333333333333333");
    EXPECT_EQ(shown("-(2 - 5) * 1.5"), "4.5");
}

TEST_F(EvaluateTest, DivisionByZeroIsAnError) {
    std::optional<SyntaxError> error;
    const auto expression = parse_expression("1 / 0", {1, 1}, error);
    EXPECT_FALSE(evaluate(expression, environment_));
}

TEST(FunctionsTest, AddMonths) {
    constexpr std::int64_t kDay = 86'400'000;
    EXPECT_EQ(add_months(30 * kDay, 1), 58 * kDay);  // 31 January -> 28 February 1970
    EXPECT_EQ(add_months(0, 12), 365 * kDay);
    EXPECT_EQ(add_months(5 + 31 * kDay, -1), 5);
}

TEST(FunctionsTest, Uuid7SortsAsTheUlidItComesFrom) {
    Environment environment;
    std::string ulid = "01JN8YQ2E0ZZZZZZZZZZZZZZZY";
    environment.make_ulid = [&] { return ulid; };
    const auto made = [&] { return **render_value(*call_function("uuid7", {}, environment), {}); };
    const auto first = made();
    EXPECT_EQ(first.size(), 36U);
    EXPECT_EQ(first[14], '7');
    EXPECT_EQ(first[19], 'b');  // the variant, and bits that are all set
    ulid.back() = 'Z';
    EXPECT_LT(first, made());
    ulid = "01JN8YQ2E10000000000000000";
    EXPECT_LT(first, made());
    ulid = "i1";
    EXPECT_EQ(made(), "i1");
}

TEST(FunctionsTest, WithoutLeavesTheOthersInOrder) {
    const auto text = [](const char* content) { return AttributeValue{std::string(content)}; };
    const Value list = AttributeValue{value::List{text("a"), text("b"), text("a"), text("c")}};
    const auto rest = call_function("without", {list, Value(text("a"))}, {});
    ASSERT_TRUE(rest);
    EXPECT_EQ(to_stored(*rest, nullptr), (AttributeValue{value::List{text("b"), text("c")}}));
    EXPECT_TRUE(is_null(*call_function("without", {null_value(), Value(text("a"))}, {})));
}

TEST(ResolveTest, BadExpressionsAreFound) {
    Diagnostics diagnostics;
    const auto model = load_model(kModel, diagnostics);
    const auto& entity = *model->find_entity("Item");
    struct Case {
        const char* text;
        const char* id;
    };
    const Case cases[] = {
        {"titel = 'x'", "E02"},
        {"$missing", "E02"},
        {"status = opne", "E04"},
        {"status = 'closed'", "E04"},
        {"count = 'x'", "E03"},
        {"title + 1", "E03"},
        {"title and flag", "E03"},
        {"not count", "E03"},
        {"foo(1)", "E02"},
        {"lower(count)", "E03"},
        {"starts_with(title)", "E05"},
        {"info.missing", "E02"},
        {"at > 5", "E03"},
        {"'{title:%Y}'", "E03"},
        {"'{title:04}'", "E03"},
        {"exists", "E02"},
        {"match(status, nope: 1)", "E04"},
    };
    for (const auto& one : cases) {
        std::optional<SyntaxError> error;
        const auto expression = parse_expression(one.text, {1, 1}, error);
        ASSERT_FALSE(error) << one.text;
        Scope scope;
        scope.item = {&entity};
        scope.table = &model->table;
        Diagnostics found;
        resolve(expression, scope, {}, found);
        EXPECT_TRUE(found.contains(one.id)) << one.text << " " << found.to_text();
    }
}

}  // namespace
}  // namespace gateleg::model

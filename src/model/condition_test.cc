#include "model/condition.h"

#include <gtest/gtest.h>

#include "model/load.h"
#include "model/resolve.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Number;

constexpr std::string_view kModel = R"YAML(
model: { name: test, path: /test }
table: { name: test, key: { PK: S, SK: S }, ttl: ttl, marker: kind }
entities:
  Item:
    keys: { PK: "ITEM#{id}", SK: "META" }
    attributes:
      id: { type: string!, stored: false }
      title: string
      status: [open, done]
      count: { type: integer, min: 0 }
      most: { type: integer, min: 0 }
      isPublic: { type: boolean, stored: ["Y", "N"] }
      flag: boolean
      owner: string
      at: timestamp
      ttl: epoch_s
      info: { type: map, fields: { n: integer } }
      live: { is: "status = open and owner <> null", stored: false }
)YAML";

class ConditionTest : public testing::Test {
protected:
    ConditionTest() {
        model_ = load_model(kModel, diagnostics_);
        EXPECT_EQ(diagnostics_.to_text(), "");
        environment_.now_millis = 1'740'824'430'400;
        environment_.caller = "u1";
        environment_.variables["x"] = number_value(Number::from_int(7));
        environment_.variables["none"] = null_value();
        environment_.variables["yes"] = boolean_value(true);
        key_ = {{"id", {std::string("i1")}}};
        environment_.item = &key_;
    }

    Result<BoundCondition> bind(std::string_view text) {
        std::optional<SyntaxError> error;
        const auto expression = parse_expression(text, {1, 1}, error);
        EXPECT_FALSE(error) << text;
        Scope scope;
        scope.item = {model_->find_entity("Item")};
        scope.table = &model_->table;
        scope.existence = true;
        for (const auto* name : {"x", "none", "yes"}) {
            scope.variables[name] = {};
        }
        Diagnostics found;
        resolve(expression, scope, boolean_type(), found);
        EXPECT_EQ(found.to_text(), "");
        return to_condition(expression, *model_->find_entity("Item"), model_->table, environment_);
    }

    // Placeholders filled in again, to read it.
    std::string text(std::string_view source) {
        const auto bound = bind(source);
        if (!bound) {
            return "refused";
        }
        if (bound->constant) {
            return *bound->constant ? "always" : "never";
        }
        auto out = bound->text;
        const auto replace = [&](const std::string& from, const std::string& to) {
            for (auto at = out.find(from); at != std::string::npos;
                 at = out.find(from, at + to.size())) {
                out.replace(at, from.size(), to);
            }
        };
        for (const auto& [placeholder, name] : bound->names) {
            replace(placeholder, name);
        }
        for (const auto& [placeholder, value] : bound->values) {
            replace(placeholder, **render_value(value, {}));
        }
        return out;
    }

    Diagnostics diagnostics_;
    std::unique_ptr<Model> model_;
    value::Item key_;
    Environment environment_;
};

TEST_F(ConditionTest, NamesAndValuesAreAlwaysPlaceholders) {
    const auto bound = *bind("status = open and count >= $x");
    EXPECT_EQ(bound.text, "(#n0 = :v0 AND #n1 >= :v1)");
    EXPECT_EQ(bound.names.at("#n0"), "status");
    EXPECT_EQ(bound.names.at("#n1"), "count");
    EXPECT_EQ(bound.values.at(":v1"), (AttributeValue{Number::from_int(7)}));
}

TEST_F(ConditionTest, WhatIsKnownLeavesNoNamesBehind) {
    const auto bound = *bind("count >= 1 and (owner = caller or live or $yes)");
    EXPECT_EQ(bound.text, "#n0 >= :v0");
    EXPECT_EQ(bound.names.size(), 1U);
    EXPECT_EQ(bound.values.size(), 1U);
    EXPECT_EQ(bound.next, 1);
}

TEST_F(ConditionTest, NumbersOfPlaceholdersCanBeShifted) {
    std::optional<SyntaxError> error;
    const auto expression = parse_expression("count = 1", {1, 1}, error);
    Scope scope;
    scope.item = {model_->find_entity("Item")};
    resolve(expression, scope, boolean_type(), diagnostics_);
    const auto condition = *Condition::compile(expression, *scope.item[0], model_->table);
    EXPECT_EQ(condition.bind(environment_, 5)->text, "#n5 = :v5");
    EXPECT_EQ(condition.value_expressions().size(), 1U);
}

TEST_F(ConditionTest, WhatFallsAwayLeavesNoPlaceholders) {
    const auto bound =
        *bind("count = 1 and $none or title = 'x' and (status = open and not $yes or count = 2)");
    EXPECT_EQ(bound.text, "(#n0 = :v0 AND #n1 = :v1)");
    EXPECT_EQ(bound.names.size(), 2U);
    EXPECT_EQ(bound.values.size(), 2U);
}

TEST_F(ConditionTest, Comparisons) {
    EXPECT_EQ(text("$x < count"), "count > 7");
    EXPECT_EQ(text("count <= most"), "count <= most");
    EXPECT_EQ(text("info.n = 3"), "info.n = 3");
    EXPECT_EQ(text("at > now - 1d"), "at > 2025-02-28T10:20:30.400Z");
    EXPECT_EQ(text("ttl > now"), "ttl > 1740824430");
    EXPECT_EQ(text("status in (open, done)"), "status IN (open, done)");
    EXPECT_EQ(text("starts_with(title, 'S')"), "begins_with(title, S)");
    EXPECT_EQ(text("isPublic"), "isPublic = Y");
    EXPECT_EQ(text("not flag"), "NOT (flag = true)");
    EXPECT_EQ(text("kind = 'Item'"), "kind = Item");
}

TEST_F(ConditionTest, Null) {
    EXPECT_EQ(text("owner = null"), "(attribute_not_exists(owner) OR attribute_type(owner, NULL))");
    EXPECT_EQ(
        text("owner <> null"), "NOT (attribute_not_exists(owner) OR attribute_type(owner, NULL))"
    );
    EXPECT_EQ(
        text("owner = $none"), "(attribute_not_exists(owner) OR attribute_type(owner, NULL))"
    );
    EXPECT_EQ(text("count < $none"), "never");
}

TEST_F(ConditionTest, NobodyOwnsNothing) {
    EXPECT_EQ(text("owner = caller"), "owner = u1");
    environment_.caller.reset();
    EXPECT_EQ(text("owner = caller"), "never");
    EXPECT_EQ(text("isPublic or owner = caller"), "isPublic = Y");
    EXPECT_EQ(text("owner <> caller"), "always");
}

TEST_F(ConditionTest, ExpiredItemsAreAbsent) {
    EXPECT_EQ(text("absent"), "(attribute_not_exists(PK) OR ttl <= 1740824430)");
    EXPECT_EQ(
        text("exists"), "(attribute_exists(PK) AND (attribute_not_exists(ttl) OR ttl > 1740824430))"
    );
    EXPECT_EQ(
        text("absent or count < 3"),
        "((attribute_not_exists(PK) OR ttl <= 1740824430) OR count < 3)"
    );
}

TEST_F(ConditionTest, WhatIsKnownIsComputed) {
    EXPECT_EQ(text("absent or $yes"), "always");
    EXPECT_EQ(text("flag and not $yes"), "never");
    EXPECT_EQ(text("flag and $x = 7"), "flag = true");
    EXPECT_EQ(text("role(admin) or flag"), "flag = true");
    EXPECT_EQ(text("id = 'i1'"), "always");  // from the key
    EXPECT_EQ(text("count >= $x * 2 + 1"), "count >= 15");
    EXPECT_EQ(text("$yes ? flag : count = 1"), "flag = true");
    EXPECT_EQ(text("match($x, 6: flag, 7: count = 1)"), "count = 1");
    EXPECT_EQ(text("match($x, 6: flag)"), "never");
}

TEST_F(ConditionTest, DerivedAttributesAreWrittenOut) {
    EXPECT_EQ(
        text("live"),
        "(status = open AND NOT (attribute_not_exists(owner) OR attribute_type(owner, NULL)))"
    );
    EXPECT_EQ(text("live = false").substr(0, 5), "NOT (");
}

TEST_F(ConditionTest, AttributesAreNotCalculatedWith) {
    for (const auto* bad :
         {"count + 1 > 3",
          "(count ?? 0) > 3",
          "flag ? status = open : true",
          "max(count, 3) > 2",
          "count > most + 1",
          "lower(title) = 'a'"}) {
        EXPECT_EQ(text(bad), "refused") << bad;
    }
}

}  // namespace
}  // namespace gateleg::model

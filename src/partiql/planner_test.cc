#include "partiql/planner.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "partiql/parser.h"

namespace gateleg::partiql {
namespace {

using dynamo::KeyRole;

dynamo::TableDescription table() {
    dynamo::TableDescription description;
    description.name = "t";
    description.key_schema = {{"pk", KeyRole::kHash}, {"sk", KeyRole::kRange}};
    auto& global = description.global_indexes.emplace_back();
    global.definition.name = "some";
    global.definition.key_schema = {
        {"a", KeyRole::kHash}, {"b", KeyRole::kHash}, {"c", KeyRole::kRange}};
    global.definition.projection = {
        .type = dynamo::ProjectionType::kInclude, .non_key_attributes = {"x"}};
    auto& local = description.local_indexes.emplace_back();
    local.definition.name = "near";
    local.definition.key_schema = {{"pk", KeyRole::kHash}, {"l", KeyRole::kRange}};
    local.definition.projection = {.type = dynamo::ProjectionType::kKeysOnly};
    return description;
}

// "scan", or each partition with the number of sort conditions: "pk=a/1 pk=b/0".
std::string plan_of(const std::string& text, const Parameters& parameters = {}) {
    const auto statement = parse(text);
    if (!statement) {
        return statement.error().message;
    }
    const auto plan = plan_select(*statement, parameters, table(), false);
    if (!plan) {
        return plan.error().message;
    }
    if (plan->is_scan) {
        return "scan";
    }
    std::string shown;
    for (const auto& range : plan->ranges) {
        shown += shown.empty() ? "" : " ";
        for (const auto& [name, value] : range.hash) {
            shown += name + "=" + std::get<std::string>(value.data) + ",";
        }
        shown.back() = '/';
        shown += std::to_string(range.sort.size());
    }
    return shown + (plan->forward ? "" : " backwards");
}

std::string where(const std::string& condition) {
    return plan_of("SELECT * FROM t WHERE " + condition);
}

TEST(PlannerTest, APartitionThatIsNamedIsQueried) {
    EXPECT_EQ(where("pk = 'a'"), "pk=a/0");
    EXPECT_EQ(where("'a' = pk AND x > 5"), "pk=a/0");
    EXPECT_EQ(where("pk = 'a' AND sk BETWEEN '1' AND '2'"), "pk=a/1");
    EXPECT_EQ(where("(pk = 'a' AND begins_with(sk, 'x')) AND x = 1"), "pk=a/1");
    EXPECT_EQ(where("pk IN ['a', 'b'] AND sk < '5'"), "pk=a/1 pk=b/1");
    EXPECT_EQ(where("pk = 'a' OR pk = 'b'"), "pk=a/0 pk=b/0");
    EXPECT_EQ(where("(pk = 'a' OR pk = 'b') AND x = 1"), "pk=a/0 pk=b/0");
    EXPECT_EQ(where("pk = 'a' AND sk = '1' OR pk = 'b' AND sk > '2'"), "pk=a/1 pk=b/1");
    EXPECT_EQ(plan_of("SELECT * FROM t WHERE pk = ?", {{std::string("a")}}), "pk=a/0");
}

TEST(PlannerTest, APartitionNamedTwiceIsReadOnceAndWhole) {
    EXPECT_EQ(where("pk = 'a' AND sk = '1' OR pk = 'a' AND sk = '2'"), "pk=a/0");
    EXPECT_EQ(where("pk IN ['a', 'a']"), "pk=a/0");
}

TEST(PlannerTest, EverythingElseIsAScan) {
    EXPECT_EQ(plan_of("SELECT * FROM t"), "scan");
    EXPECT_EQ(where("pk > 'a'"), "scan");
    EXPECT_EQ(where("x = 1"), "scan");
    EXPECT_EQ(where("pk = 'a' OR x = 1"), "scan");
    EXPECT_EQ(where("NOT pk = 'a'"), "scan");
    EXPECT_EQ(where("pk = sk"), "scan");
    EXPECT_EQ(where("pk.a = 'a'"), "scan");
}

TEST(PlannerTest, NegatedSortKeysDoNotBound) {
    EXPECT_EQ(where("pk = 'a' AND sk <> '1'"), "pk=a/0");
    EXPECT_EQ(where("pk = 'a' AND NOT begins_with(sk, 'x')"), "pk=a/0");
}

TEST(PlannerTest, AnIndexWithSeveralHashKeysNeedsThemAll) {
    const std::string from = "SELECT x FROM t.some WHERE ";
    EXPECT_EQ(plan_of(from + "a = '1' AND b IN ['2', '3'] AND c > '4'"), "a=1,b=2/1 a=1,b=3/1");
    EXPECT_EQ(plan_of(from + "a = '1' AND c > '4'"), "scan");
}

TEST(PlannerTest, OrderIsThatOfTheKey) {
    EXPECT_EQ(where("pk = 'a' ORDER BY sk DESC"), "pk=a/0 backwards");
    EXPECT_EQ(where("pk = 'a' ORDER BY sk"), "pk=a/0");
    EXPECT_EQ(where("pk IN ['a', 'b'] ORDER BY pk DESC, sk"), "pk=b/0 pk=a/0");
    EXPECT_EQ(
        where("pk IN ['a', 'b'] ORDER BY sk"),
        "Must have hash key in ORDER BY clause when more than one hash key condition "
        "specified in WHERE clause."
    );
    EXPECT_EQ(
        where("pk > 'a' ORDER BY sk"),
        "Must have at least one non-optional hash key condition in WHERE clause when using "
        "ORDER BY clause."
    );
    EXPECT_EQ(
        where("pk = 'a' ORDER BY sk, sk"),
        "Attribute sk in ORDER BY clause must follow the sort key attributes before it, in their "
        "direction"
    );
    EXPECT_EQ(
        where("pk = 'a' ORDER BY x"),
        "Attribute x in ORDER BY clause must be part of the primary key"
    );
    EXPECT_EQ(
        plan_of("SELECT * FROM t ORDER BY sk"),
        "Must have WHERE clause in the statement when using ORDER BY clause."
    );
}

TEST(PlannerTest, AnIndexGivesWhatItProjects) {
    EXPECT_EQ(plan_of("SELECT * FROM t.none"), "The table does not have the specified index");
    EXPECT_EQ(
        plan_of("SELECT y, x, z FROM t.some"),
        "One or more parameter values were invalid: Global secondary index some does not "
        "project [y, z]"
    );
    EXPECT_EQ(
        plan_of("SELECT x FROM t.some WHERE y = 1"),
        "One or more parameter values were invalid: Secondary index some does not project "
        "one or more filter attributes: [y]"
    );
    const auto statement = parse("SELECT y FROM t.near WHERE pk = 'a'");
    ASSERT_TRUE(statement.has_value());
    const auto plan = plan_select(*statement, {}, table(), true);
    ASSERT_TRUE(plan.has_value());
    EXPECT_EQ(plan->select, dynamo::Select::kAllAttributes);
}

// The action of a write, or why there is none.
std::string write_of(const std::string& text) {
    const auto statement = parse(text);
    if (!statement) {
        return statement.error().message;
    }
    const auto plan = plan_write(*statement, {}, table());
    if (!plan) {
        return plan.error().message;
    }
    return plan->action.update.value_or("") + "|" + plan->action.write.condition.value_or("");
}

TEST(PlannerTest, WritesBecomeExpressions) {
    EXPECT_EQ(write_of("INSERT INTO t VALUE {'pk': 'a', 'sk': 'b'}"), "|attribute_not_exists(#0)");
    EXPECT_EQ(write_of("DELETE FROM t WHERE pk = 'a' AND sk = 'b'"), "|");
    EXPECT_EQ(
        write_of("DELETE FROM t WHERE pk = 'a' AND sk = 'b' AND x = 1"),
        "|attribute_not_exists(#1) OR #0 = :0"
    );
    EXPECT_EQ(
        write_of("UPDATE t SET n = n + 1 SET s = set_add(s, <<'x'>>) REMOVE a.b[0] "
                 "WHERE pk = 'a' AND sk = 'b' AND (x IS MISSING OR size(y) > 3)"),
        "SET #2 = #2 + :1 REMOVE #4.#5[0] ADD #3 :2"
        "|attribute_exists(#6) AND (attribute_not_exists(#0) OR size(#1) > :0)"
    );
}

TEST(PlannerTest, WritesNeedTheWholeKey) {
    const std::string missing =
        "Where clause does not contain a mandatory equality on all key attributes";
    EXPECT_EQ(write_of("DELETE FROM t WHERE pk = 'a'"), missing);
    EXPECT_EQ(write_of("DELETE FROM t WHERE pk = 'a' OR sk = 'b'"), missing);
    EXPECT_EQ(write_of("UPDATE t SET x = 1"), missing);
    EXPECT_EQ(
        write_of("EXISTS(SELECT * FROM t WHERE pk = 'a' AND sk = 'b')"),
        "EXISTS() must contain a single item read with additional condition"
    );
}

TEST(PlannerTest, LiteralsThatDynamoDbCannotHoldAreRefused) {
    const std::string insert = "INSERT INTO t VALUE {'pk': 'a', 'sk': 'b', 'v': ";
    EXPECT_EQ(write_of(insert + "<<>>}"), "Empty bags are not supported");
    EXPECT_EQ(
        write_of(insert + "<<1, 'a'>>}"),
        "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in "
        "bags"
    );
    EXPECT_EQ(
        write_of(insert + "<<'x', 'x'>>}"),
        "One or more parameter values were invalid: Input collection [x, x] contains "
        "duplicates."
    );
    const std::string overflow =
        "Number overflow. Attempting to store a number with magnitude larger than supported range";
    EXPECT_EQ(write_of(insert + "1e126}"), overflow + " under root");
    EXPECT_EQ(write_of(insert + "{'x': 1e126}}"), overflow + " under root.x");
    EXPECT_EQ(write_of(insert + "[1, 1e126]}"), overflow + " under root[1]");
    std::string deep = "1";
    for (int i = 0; i < 33; ++i) {
        deep = "[" + deep + "]";
    }
    EXPECT_TRUE(write_of(insert + deep + "}").starts_with("Nesting Levels have exceeded"));
}

TEST(PlannerTest, SetFunctionsChangeTheirOwnAttribute) {
    const auto update = [](const std::string& set) {
        return write_of("UPDATE t SET " + set + " WHERE pk = 'a' AND sk = 'b'");
    };
    EXPECT_EQ(
        update("x = set_add(y, <<'x'>>)"),
        "The first argument to SET_ADD must equal the assignment value at 1:18:7"
    );
    EXPECT_EQ(
        update("s = set_add(s, 'x')"),
        "The second argument to SET_ADD must be a value with type SET at 1:26:1"
    );
    EXPECT_EQ(update("s = set_delete(s)"), "SET_DELETE must have exactly two arguments at 1:18:10");
    EXPECT_EQ(update("s = shout(s)"), "Unrecognized function: shout at 1:18:5");
}

}  // namespace
}  // namespace gateleg::partiql

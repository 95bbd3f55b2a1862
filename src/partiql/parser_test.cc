#include "partiql/parser.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "partiql/lexer.h"

namespace gateleg::partiql {
namespace {

struct Refused {
    std::string text;
    std::string message;
};

const std::string kMalformed = "Statement wasn't well formed, can't be processed: ";

void expect_refused(const std::vector<Refused>& cases) {
    for (const auto& each : cases) {
        const auto parsed = parse(each.text);
        if (parsed) {
            ADD_FAILURE() << each.text << " should be refused";
            continue;
        }
        EXPECT_EQ(parsed.error().message, each.message) << each.text;
    }
}

Statement parsed(const std::string& text) {
    auto result = parse(text);
    EXPECT_TRUE(result.has_value()) << text << ": " << result.error().message;
    return result ? *std::move(result) : Statement();
}

TEST(LexerTest, CountsPlacesInCharacters) {
    const auto tokens = tokenize("a\n 'é' \"x\" -- note\n 1.5e3 ? <>");
    ASSERT_TRUE(tokens.has_value());
    ASSERT_EQ(tokens->size(), 7);
    const auto& name = (*tokens)[2];
    EXPECT_EQ(name.kind, TokenKind::kQuotedName);
    EXPECT_EQ(name.at.line, 2);
    EXPECT_EQ(name.at.column, 6);
    EXPECT_EQ(name.at.length, 3);
    EXPECT_EQ((*tokens)[3].text, "1.5e3");
    EXPECT_EQ((*tokens)[5].text, "<>");
}

TEST(LexerTest, DoubledQuotesStandForOne) {
    const auto tokens = tokenize(R"('it''s' "a""b")");
    ASSERT_TRUE(tokens.has_value());
    EXPECT_EQ((*tokens)[0].text, "it's");
    EXPECT_EQ((*tokens)[1].text, "a\"b");
}

TEST(ParserTest, SelectHasItsParts) {
    const auto statement = parsed(
        R"(SELECT a, b.c[1]."d e" FROM "T"."by-x" WHERE x = ? AND y IN [1, ?] ORDER BY x DESC, z;)"
    );
    EXPECT_EQ(statement.kind, StatementKind::kSelect);
    EXPECT_EQ(statement.source.table, "T");
    EXPECT_EQ(statement.source.index, "by-x");
    ASSERT_EQ(statement.columns.size(), 2);
    EXPECT_EQ(column_name(statement.columns[1]), "d e");
    EXPECT_EQ(statement.parameters, 2);
    ASSERT_EQ(statement.order.size(), 2);
    EXPECT_TRUE(statement.order[0].descending);
    EXPECT_FALSE(statement.order[1].descending);
}

TEST(ParserTest, AndBindsCloserThanOrAndNotClosest) {
    const auto statement = parsed("SELECT * FROM t WHERE NOT a = 1 AND b = 2 OR c = 3");
    ASSERT_EQ(statement.where->kind, ExprKind::kOr);
    const auto& left = statement.where->children[0];
    ASSERT_EQ(left.kind, ExprKind::kAnd);
    EXPECT_EQ(left.children[0].kind, ExprKind::kNot);
}

TEST(ParserTest, UpdateTakesManyClausesAndBothOrders) {
    const auto statement = parsed(
        "UPDATE t SET a = a + 1, b = -5 SET c.d = list_append(c.d, [1]) REMOVE e, f[0] "
        "WHERE pk = 'x' RETURNING MODIFIED NEW *"
    );
    ASSERT_EQ(statement.assignments.size(), 5);
    EXPECT_EQ(statement.assignments[0].value->kind, ExprKind::kPlus);
    EXPECT_EQ(statement.assignments[1].value->text, "-5");
    EXPECT_FALSE(statement.assignments[4].value.has_value());
    EXPECT_TRUE(statement.returning->modified);
    EXPECT_TRUE(statement.returning->is_new);

    const auto from_first = parsed("from t where pk = 'x' set a = 1 remove b");
    EXPECT_EQ(from_first.kind, StatementKind::kUpdate);
    EXPECT_EQ(from_first.assignments.size(), 2);
    EXPECT_TRUE(from_first.where.has_value());
}

TEST(ParserTest, CommentsAreBlank) {
    const auto statement = parsed("-- note\nSELECT * /* x */ FROM t -- note\nWHERE a = .5");
    EXPECT_TRUE(statement.where.has_value());
}

TEST(ParserTest, RefusesWhatIsNoStatement) {
    expect_refused({
        {"", kMalformed + "Expected data manipulation"},
        {"SLECT * FROM t", kMalformed + "Expected data manipulation"},
        {"SELECT * FROM", kMalformed + "Unexpected term"},
        {"SELECT * FROM t WHERE", kMalformed + "Unexpected term"},
        {"SELECT * FROM t WHERE NOT", kMalformed + "Unexpected term"},
        {"SELECT * FROM t WHERE (", kMalformed + "Unexpected term"},
        {"SELECT * FROM t WHERE ORDER BY a", kMalformed + "Unexpected keyword"},
        {"SELECT * FROM t WHERE IS NULL", kMalformed + "Unexpected operator"},
        {"SELECT * FROM t WHERE a = LIKE", kMalformed + "Unexpected operator"},
        {"SELECT * FROM t WHERE a IS FOO", kMalformed + "Expected type name"},
        {"SELECT * FROM t WHERE a = 1 AND",
         kMalformed + "Missing right-hand side expression of infix operator"},
        {"SELECT * FROM t WHERE a = 1 foo", kMalformed + "Unexpected token after expression"},
        {"SELECT * FROM t WHERE a = 1)", kMalformed + "Unexpected token after expression"},
        {"SELECT * FROM t ORDER BY a WHERE a = 1",
         kMalformed + "Unexpected token after expression"},
        {"DELETE FROM t WHERE a = 1 ORDER BY a", kMalformed + "Unexpected token after expression"},
        {"INSERT INTO t VALUE {'a': 1} foo", kMalformed + "Unexpected token after expression"},
        {"INSERT INTO t x VALUE {'a': 1}", kMalformed + "Unexpected token after expression"},
        {"FROM t SET a = 1 WHERE b = 2", kMalformed + "Unexpected token after expression"},
        {"DELETE FROM", kMalformed + "Expected identifier for simple path"},
        {"DELETE FROM WHERE a = 1", kMalformed + "Expected identifier for simple path"},
        {"SELECT * FROM t WHERE a.inner = 1", kMalformed + "Invalid path dot component"},
        {"SELECT * FROM t WHERE a = 1 # note", kMalformed},
        {"SELECT * FROM t WHERE a = 1 /* note", kMalformed},
        {"SELECT * FROM \"t", kMalformed},
        {"SELECT * FROM t WHERE a = 1e2147483648", kMalformed},
        {"SELECT * FROM t WHERE a = 1.5e-2147483647", kMalformed},
    });
}

TEST(ParserTest, RefusesWhatDynamoDbDoesNotHave) {
    expect_refused({
        {"SELECT * FROM t x WHERE a = 1", "Aliasing is not supported"},
        {"SELECT * FROM t AS x WHERE a = 1", "Aliasing is not supported"},
        {"UPDATE t x SET a = 3 WHERE b = 1", "Aliasing is not supported"},
        {"DELETE FROM t x WHERE a = 1", "Aliasing is not supported"},
        {"SELECT * FROM a.b.c", "A path may contain at most 2 components in the FROM clause"},
        {"SELECT * FROM \"\" WHERE a = 1", "Path component cannot be an empty string"},
        {"SELECT * FROM t.\"\" WHERE a = 1", "Path component cannot be an empty string"},
        {"SELECT size(a) FROM t", "Unexpected path component at 1:8:4"},
        {"SELECT a, b.a FROM t", "Duplicate identifiers in select clause: a"},
        {"SELECT l[-1] FROM t",
         "List index is not within the allowable range; index: [-1] at 1:11:1"},
        {"DELETE FROM t WHERE a = 1 RETURNING MODIFIED OLD *",
         "Invalid returning clause: RETURNING MODIFIED OLD *. Only RETURNING ALL OLD * is allowed "
         "in DELETE statements."},
        {"SELECT * FROM t LIMIT 5", "Unsupported clause: LIMIT at 1:17:5"},
    });
}

TEST(ParserTest, NestingIsBounded) {
    for (const auto* opening : {"(", "NOT ", "[", "{'a':", "<<", "size("}) {
        std::string text = "SELECT * FROM t WHERE ";
        for (int i = 0; i < 2000; ++i) {
            text += opening;
        }
        EXPECT_FALSE(parse(text).has_value()) << opening;
    }
    std::string sum = "UPDATE t SET a = 1";
    for (int i = 0; i < 2000; ++i) {
        sum += "+1";
    }
    EXPECT_FALSE(parse(sum).has_value());
}

}  // namespace
}  // namespace gateleg::partiql

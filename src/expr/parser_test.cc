#include "expr/parser.h"

#include <string>

#include <gtest/gtest.h>

#include "expr/lexer.h"
#include "expr/reserved_words.h"
#include "expr/test_request.h"

namespace gateleg::expr {
namespace {

std::string repeated(std::string_view text, std::size_t times, std::string_view between = "") {
    std::string result;
    for (std::size_t i = 0; i < times; ++i) {
        result += i == 0 ? "" : between;
        result += text;
    }
    return result;
}

struct Refusal {
    Kind kind;
    std::string_view text;
    std::string_view message;  // After "Invalid <parameter>: ".
};

class RefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(RefusalTest, IsWordedAsDynamoDbWordsIt) {
    const auto& [kind, text, message] = GetParam();
    EXPECT_EQ(
        message_of(parse(kind, text)),
        "Invalid " + std::string(kind_name(kind)) + ": " + std::string(message)
    ) << text;
}

constexpr auto kCondition = Kind::kCondition;
constexpr auto kProjection = Kind::kProjection;
constexpr auto kUpdate = Kind::kUpdate;

struct SyntaxError {
    Kind kind;
    std::string_view text;
    std::string_view token;
    std::string_view near;
};

class SyntaxErrorTest : public testing::TestWithParam<SyntaxError> {};

TEST_P(SyntaxErrorTest, QuotesTheTokenAndItsNeighbours) {
    const auto& [kind, text, token, near] = GetParam();
    const auto expected = "Invalid " + std::string(kind_name(kind)) + ": Syntax error; token: \"" +
                          std::string(token) + "\", near: \"" + std::string(near) + "\"";
    EXPECT_EQ(message_of(parse(kind, text)), expected) << text;
}

INSTANTIATE_TEST_SUITE_P(
    All,
    SyntaxErrorTest,
    testing::Values(
        SyntaxError{kCondition, "  ", "<EOF>", ""},
        SyntaxError{kCondition, "pk", "<EOF>", "pk"},
        SyntaxError{kCondition, "a x b", "x", "a x b"},
        SyntaxError{kCondition, "a = = :v", "=", "= = :v"},
        SyntaxError{kCondition, "a > 4", "4", "> 4"},
        SyntaxError{kCondition, "(a = b", "<EOF>", "b"},
        SyntaxError{kCondition, "a = b)", ")", "b)"},
        SyntaxError{kCondition, "(a) AND b = c", "AND", ") AND b"},
        SyntaxError{kCondition, "NOT a", "<EOF>", "a"},
        SyntaxError{kCondition, "a = b AND c", "<EOF>", "c"},
        SyntaxError{kCondition, "a IN b", "b", "IN b"},
        SyntaxError{kCondition, "a IN (b,)", ")", ",)"},
        SyntaxError{kCondition, "a BETWEEN b", "<EOF>", "b"},
        SyntaxError{kCondition, "size()", ")", "()"},
        SyntaxError{kCondition, "attribute_exists(", "<EOF>", "("},
        SyntaxError{kCondition, "a..b = c", ".", "..b"},
        SyntaxError{kCondition, "a[b] = c", "b", "[b]"},
        SyntaxError{kCondition, "a[01] = c", "1", "01]"},
        SyntaxError{kCondition, ":v.b = c", ".", ":v.b"},
        SyntaxError{kCondition, "(size(a)).b = c", ".", ").b"},
        SyntaxError{kCondition, "# = c", "#", "# ="},
        SyntaxError{kCondition, "\xc3\xbc = c", "\xc3\xbc", "\xc3\xbc ="},
        SyntaxError{kCondition, "_a = c", "_", "_a"},
        SyntaxError{kCondition, "set = c", "set", "set ="},
        SyntaxError{kProjection, "!!x", "!", "!!"},
        SyntaxError{kProjection, "a,", "<EOF>", ","},
        SyntaxError{kProjection, "(a)", "(", "(a"},
        SyntaxError{kProjection, ":a", ":a", ":a"},
        SyntaxError{kProjection, "f(a)", "(", "f(a"},
        SyntaxError{kUpdate, "INVALID SYNTAX HERE", "INVALID", "INVALID SYNTAX"},
        SyntaxError{kUpdate, "SET a", "<EOF>", "a"},
        SyntaxError{kUpdate, "SET a = :b,", "<EOF>", ","},
        SyntaxError{kUpdate, "ADD hits : incr", ":", "hits : incr"},
        SyntaxError{kUpdate, "ADD a b", "b", "a b"},
        SyntaxError{kUpdate, "REMOVE a = b", "=", "a = b"},
        SyntaxError{kUpdate, "SET a = b * c", "*", "b * c"},
        SyntaxError{kUpdate, "SET a = b + c + d", "+", "c + d"},
        SyntaxError{kUpdate, "SET a = (b + c) + d", "+", ") + d"},
        SyntaxError{kUpdate, "SET a = (b.c).d", ".", ").d"},
        SyntaxError{kUpdate, "SET :a = b", ":a", "SET :a ="}
    )
);

INSTANTIATE_TEST_SUITE_P(
    Parentheses,
    RefusalTest,
    testing::Values(
        Refusal{kCondition, "((a = b))", "The expression has redundant parentheses;"},
        Refusal{kCondition, "a = ((b))", "The expression has redundant parentheses;"},
        Refusal{kCondition, "((a)) = b", "The expression has redundant parentheses;"},
        Refusal{kCondition, "size(((a))) = b", "The expression has redundant parentheses;"},
        Refusal{kCondition, "((a.b)).c = d", "The expression has redundant parentheses;"},
        // Before reserved words and before a syntax error behind it.
        Refusal{kCondition, "((abort = b)) AND", "The expression has redundant parentheses;"},
        Refusal{kUpdate, "SET a = ((b + c))", "The expression has redundant parentheses;"}
    )
);

INSTANTIATE_TEST_SUITE_P(
    Words,
    RefusalTest,
    testing::Values(
        Refusal{kCondition, "", "The expression can not be empty;"},
        Refusal{kUpdate, "", "The expression can not be empty;"},
        Refusal{
            kCondition,
            "a = #b AND Status = :v",
            "Attribute name is a reserved keyword; reserved keyword: Status"},
        Refusal{
            kCondition,
            "a.data = :v",
            "Attribute name is a reserved keyword; reserved keyword: data"},
        Refusal{
            kProjection, "a, name", "Attribute name is a reserved keyword; reserved keyword: name"},
        Refusal{
            kUpdate,
            "SET a = abort SET b = :c",
            "Attribute name is a reserved keyword; reserved keyword: abort"},
        Refusal{kCondition, "Size(a) = :v", "Invalid function name; function: Size"},
        Refusal{kCondition, "nope(abort)", "Invalid function name; function: nope"},
        Refusal{kUpdate, "SET a = nope(:c) SET b = c", "Invalid function name; function: nope"},
        Refusal{
            kUpdate,
            "SET a = size(b)",
            "The function is not allowed in an update expression; function: size"},
        Refusal{
            kCondition,
            "if_not_exists(a, b)",
            "The function is not allowed in a condition expression; function: if_not_exists"},
        Refusal{
            kCondition,
            "size(a)",
            "The function is not allowed to be used this way in an expression; function: size"},
        Refusal{
            kCondition,
            "a = b OR NOT size(a)",
            "The function is not allowed to be used this way in an expression; function: size"},
        Refusal{
            kCondition,
            "contains(a, b) = c",
            "The function is not allowed to be used this way in an expression; function: contains"},
        Refusal{
            kCondition,
            "a IN (attribute_exists(b))",
            "The function is not allowed to be used this way in an expression; function: "
            "attribute_exists"},
        Refusal{
            kUpdate,
            "SET a = :b REMOVE c SET d = :e",
            "The \"SET\" section can only be used once in an update expression;"},
        Refusal{
            kUpdate,
            "ADD a :b ADD d :e",
            "The \"ADD\" section can only be used once in an update expression;"},
        Refusal{
            kProjection,
            "a[2147483648]",
            "List index is not within the allowable range; index: [2147483648]"},
        Refusal{
            kProjection,
            "a[99999999999999999999]",
            "List index is not within the allowable range; index: [99999999999999999999]"}
    )
);

TEST(ParserTest, EveryReservedWordIsRefusedInAnyCase) {
    for (const std::string_view word : {"ABORT", "zone", "Timestamp", "YEAR", "asYmmEtric"}) {
        EXPECT_TRUE(is_reserved_word(word)) << word;
    }
    for (const std::string_view word : {"", "pk", "ABORTS", "remove", "averyveryverylongword"}) {
        EXPECT_FALSE(is_reserved_word(word)) << word;
    }
}

TEST(ParserTest, KeywordsAreRecognizedInAnyCaseAndOnlyAsWholeWords) {
    EXPECT_TRUE(parse(Kind::kCondition, "a bEtWeen :x aNd :y OR android iN (:z)"));
    EXPECT_TRUE(
        parse(Kind::kUpdate, "sEt settled = :v rEmOvE removed aDd adder :n dElEtE deleted :s")
    );
}

TEST(ParserTest, ParenthesesThatAreNotRedundantAreAccepted) {
    for (const std::string_view text : {
             "(a = b) AND (c = d)",
             "(a = b AND c = d)",
             "(a = b AND (c = d))",
             "((a = b) AND c = d)",
             "(NOT (a = b))",
             "(attribute_exists(a))",
             "(a) = (b)",
             "(a)between(b.c)and(:d)",
             "(a) in ((b), (:c))",
         }) {
        EXPECT_TRUE(parse(Kind::kCondition, text)) << text;
    }
    EXPECT_TRUE(parse(Kind::kUpdate, "SET a = (b + :c), d = (e), f = (g) - (if_not_exists(h, :i))")
    );
    EXPECT_TRUE(parse(Kind::kUpdate, "SET a = ((b) + (c))"));
}

TEST(ParserTest, SizeIsCountedInBytes) {
    const auto fits = "a = " + std::string(4092, 'b');
    EXPECT_TRUE(parse(Kind::kCondition, fits));
    EXPECT_EQ(
        message_of(parse(Kind::kFilter, fits + "b")),
        "Invalid FilterExpression: Expression size has exceeded the maximum allowed size; "
        "expression size: 4097"
    );
}

TEST(ParserTest, OperatorsAndFunctionsAreCounted) {
    EXPECT_TRUE(parse(Kind::kCondition, repeated("a=b", 150, " OR ") + ""));
    EXPECT_EQ(
        message_of(parse(Kind::kCondition, "NOT NOT " + repeated("a=b", 150, " OR "))),
        "Invalid ConditionExpression: The expression contains too many operators; "
        "operator count: 301"
    );
    EXPECT_EQ(
        message_of(parse(Kind::kCondition, repeated("NOT ", 1000) + "a=b")),
        "Invalid ConditionExpression: The expression contains too many operators; "
        "operator count: 1001"
    );
}

TEST(ParserTest, InTakesAHundredOperands) {
    EXPECT_TRUE(parse(Kind::kCondition, "a IN (" + repeated(":v", 100, ",") + ")"));
    EXPECT_EQ(
        message_of(parse(Kind::kCondition, "a IN (" + repeated(":v", 101, ",") + ")")),
        "Invalid ConditionExpression: The IN operator is provided with too many operands; "
        "number of operands: 101"
    );
}

TEST(ParserTest, PathsHaveThirtyTwoSteps) {
    EXPECT_TRUE(parse(Kind::kProjection, repeated("a", 32, ".")));
    EXPECT_EQ(
        message_of(parse(Kind::kProjection, repeated("a", 33, "."))),
        "Invalid ProjectionExpression: The document path has too many nesting levels; "
        "nesting levels: 33"
    );
}

TEST(ParserTest, DeepNestingIsRefusedBeforeTheStackEnds) {
    for (const std::string_view opening : {"(", "NOT(", "size(", "(NOT ", "a=b AND (", "f(("}) {
        const auto text = repeated(opening, kMaxExpressionBytes / opening.size());
        EXPECT_FALSE(parse(Kind::kCondition, text)) << opening;
    }
    EXPECT_FALSE(parse(Kind::kUpdate, "SET a = " + repeated("(", 4000)));
    EXPECT_FALSE(parse(Kind::kUpdate, "SET a = " + repeated("list_append(", 300)));
}

TEST(ParserTest, NestingUpToTheOperatorLimitIsAccepted) {
    const auto text = repeated("NOT(", 299) + "a=b" + repeated(")", 299);
    const auto tree = parse(Kind::kCondition, text);
    ASSERT_TRUE(tree) << tree.error().message;
    EXPECT_EQ((*tree)->operators, 300U);
}

TEST(LexerTest, TokensCoverTheTextInOrder) {
    const auto tokens = tokenize("#a.b[10]<>:v1 AND(c)");
    std::string joined;
    for (const auto& token : tokens) {
        joined += std::string(token.text) + "|";
    }
    EXPECT_EQ(joined, "#a|.|b|[|10|]|<>|:v1|AND|(|c|)||");
    EXPECT_EQ(tokens.back().kind, TokenKind::kEnd);
}

}  // namespace
}  // namespace gateleg::expr

#include "model/expression.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace gateleg::model {
namespace {

// The tree as text with every bracket, to see what binds to what.
std::string shape(const ExprPtr& expr) {
    if (const auto* name = std::get_if<NameNode>(&expr->node)) {
        return name->name;
    }
    if (const auto* variable = std::get_if<VariableNode>(&expr->node)) {
        return "$" + variable->name;
    }
    if (const auto* literal = std::get_if<LiteralNode>(&expr->node)) {
        if (const auto* number = std::get_if<value::Number>(&literal->value.data)) {
            return number->to_text();
        }
        if (const auto* text = std::get_if<std::string>(&literal->value.data)) {
            return "'" + *text + "'";
        }
        return "literal";
    }
    if (const auto* binary = std::get_if<BinaryNode>(&expr->node)) {
        constexpr const char* kSigns[] = {
            "??", "or", "and", "=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/"};
        return "(" + shape(binary->left) + " " + kSigns[static_cast<int>(binary->op)] + " " +
               shape(binary->right) + ")";
    }
    std::string inner;
    for (const auto& child : children(*expr)) {
        inner += (inner.empty() ? "" : " ") + shape(child);
    }
    if (const auto* call = std::get_if<CallNode>(&expr->node)) {
        return call->function + "(" + inner + ")";
    }
    if (const auto* member = std::get_if<MemberNode>(&expr->node)) {
        return inner + "." + member->name;
    }
    if (std::holds_alternative<UnaryNode>(expr->node)) {
        return "un(" + inner + ")";
    }
    if (std::holds_alternative<ConditionalNode>(expr->node)) {
        return "if(" + inner + ")";
    }
    return "[" + inner + "]";
}

std::string parsed(std::string_view text) {
    std::optional<SyntaxError> error;
    const auto expression = parse_expression(text, {1, 1}, error);
    return error ? "error " + std::to_string(error->position.column) + ": " + error->message
                 : shape(expression.root);
}

TEST(ExpressionTest, Precedence) {
    EXPECT_EQ(parsed("a or b and not c = 1"), "(a or (b and un((c = 1))))");
    EXPECT_EQ(parsed("a ?? b + 1"), "(a ?? (b + 1))");
    EXPECT_EQ(parsed("($c.balance ?? 0) + 1"), "(($c.balance ?? 0) + 1)");
    EXPECT_EQ(parsed("1 - 2 - 3 * 4"), "((1 - 2) - (3 * 4))");
    EXPECT_EQ(parsed("a ? b : c ? d : e"), "if(a b if(c d e))");
    EXPECT_EQ(parsed("-$a.b"), "un($a.b)");
    EXPECT_EQ(parsed("$q[$me.plan].day < 3"), "([$q $me.plan].day < 3)");
    EXPECT_EQ(parsed("status in (a, b)"), "[status a b]");
    EXPECT_EQ(parsed("match($x, a: 1, b: c ? d : e)"), "match($x 1 if(c d e))");
}

TEST(ExpressionTest, LiteralsAndTexts) {
    EXPECT_EQ(parsed("'it''s'"), "'it's'");
    EXPECT_EQ(parsed("[1, 'a']"), "[1 'a']");
    EXPECT_EQ(parsed("{}"), "[]");
    EXPECT_EQ(parsed("now + 24h"), "([] + [])");
    EXPECT_EQ(parsed("'x{name}y{$at:%Y}'"), "[name $at]");
}

TEST(ExpressionTest, ErrorsSayWhere) {
    EXPECT_EQ(parsed("a +"), "error 4: the expression ends too early");
    EXPECT_EQ(parsed("f(a, b"), "error 7: ')' is missing at the end");
    EXPECT_EQ(parsed("a b"), "error 3: 'b' is not expected here");
    EXPECT_EQ(parsed("a == b"), "error 4: '=' is not expected here");
    EXPECT_EQ(parsed("'open"), "error 1: a text has no closing quote");
    EXPECT_EQ(parsed("a ! b"), "error 3: '!' has no meaning here; write not, or <>");
    EXPECT_EQ(parsed("'x{a +}'"), "error 7: the expression ends too early");
    EXPECT_EQ(parsed("'{a:zz}'").substr(0, 7), "error 3");
    EXPECT_EQ(parsed("9lives").substr(0, 7), "error 1");
    EXPECT_EQ(parsed("").substr(0, 5), "error");
}

TEST(ExpressionTest, DepthIsLimited) {
    EXPECT_NE(
        parsed(std::string(2000, '(') + "1" + std::string(2000, ')')).find("deeply"),
        std::string::npos
    );
    EXPECT_NE(parsed(std::string(2000, '-') + "1").find("deeply"), std::string::npos);
}

TEST(ExpressionTest, Durations) {
    EXPECT_EQ(parse_duration("30s"), 30'000);
    EXPECT_EQ(parse_duration("15m"), 900'000);
    EXPECT_EQ(parse_duration("24h"), 86'400'000);
    EXPECT_EQ(parse_duration("30d"), 2'592'000'000);
    for (const auto* bad : {"", "s", "1", "1w", "-1s", "99999999999d"}) {
        EXPECT_FALSE(parse_duration(bad)) << bad;
    }
}

RC_GTEST_PROP(ExpressionProperty, AnyTextIsParsedOrRefused, (const std::string& text)) {
    std::optional<SyntaxError> error;
    const auto expression = parse_expression(text, {1, 1}, error);
    RC_ASSERT(expression.root == nullptr || !error);
    RC_ASSERT(expression.root != nullptr || error.has_value());
}

}  // namespace
}  // namespace gateleg::model

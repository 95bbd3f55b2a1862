#include "expr/update.h"

#include <gtest/gtest.h>

#include "expr/test_request.h"

namespace gateleg::expr {
namespace {

constexpr std::string_view kItem = R"({
    "pk": {"S": "p"}, "n": {"N": "10"}, "s": {"S": "text"},
    "l": {"L": [{"N": "0"}, {"N": "1"}, {"M": {"x": {"N": "2"}}}]},
    "m": {"M": {"b": {"S": "b"}, "c": {"N": "7"}}},
    "ss": {"SS": ["a", "b", "c"]}, "ns": {"NS": ["1", "2", "10"]}
})";

constexpr std::string_view kValues = R"({
    ":one": {"N": "1"}, ":s": {"S": "new"}, ":l": {"L": [{"S": "end"}]}, ":empty": {"L": []},
    ":m": {"M": {}}, ":ab": {"SS": ["a", "b"]}, ":all": {"SS": ["a", "b", "c"]},
    ":bd": {"SS": ["b", "d"]}, ":ns": {"NS": ["9", "2", "-1"]}, ":bs": {"BS": ["AQ=="]},
    ":null": {"NULL": true}, ":huge": {"N": "9E125"}, ":bool": {"BOOL": false}
})";

const Scope::Names kNames = {{"#n", "n"}, {"#m", "m"}};

class Applied {
public:
    explicit Applied(std::string_view text, std::string_view old = kItem)
        : request_(kValues, kNames), old_(item(old)) {
        const auto update = compile_update(cache_, text, request_.scope());
        if (!update) {
            message = update.error().message;
            return;
        }
        auto result = apply_update(*update, old_.view(), {true, true});
        if (!result) {
            message = result.error().message;
            return;
        }
        item_json = to_json(result->item.view());
        old_json = to_json(value::ValueView(result->updated_old.data()));
        new_json = to_json(value::ValueView(result->updated_new.data()));
        // The bytes are canonical: what is written is what the codec would have written.
        EXPECT_EQ(result->item.bytes(), item(item_json).bytes()) << text;
    }

    std::string message;
    std::string item_json;
    std::string old_json;
    std::string new_json;

private:
    Cache cache_;
    TestRequest request_;
    value::EncodedItem old_;
};

struct Case {
    std::string_view text;
    std::string_view updated_old;
    std::string_view updated_new;
};

class UpdatedTest : public testing::TestWithParam<Case> {};

TEST_P(UpdatedTest, ShowsWhatTheTargetsHeldAndHold) {
    const Applied applied(GetParam().text);
    ASSERT_EQ(applied.message, "") << GetParam().text;
    EXPECT_EQ(applied.old_json, normalized(GetParam().updated_old)) << GetParam().text;
    EXPECT_EQ(applied.new_json, normalized(GetParam().updated_new)) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Set,
    UpdatedTest,
    testing::Values(
        Case{"SET a = :s", "{}", R"({"a": {"S": "new"}})"},
        Case{
            "SET s = :s, zz = :one",
            R"({"s": {"S": "text"}})",
            R"({"s": {"S": "new"}, "zz": {"N": "1"}})"},
        Case{"SET a = s", "{}", R"({"a": {"S": "text"}})"},
        // Operands are read from the old item.
        Case{
            "SET #n = s, s = #n",
            R"({"n": {"N": "10"}, "s": {"S": "text"}})",
            R"({"n": {"S": "text"}, "s": {"N": "10"}})"},
        Case{"SET #n = #n + :one", R"({"n": {"N": "10"}})", R"({"n": {"N": "11"}})"},
        Case{"SET #n = (#n - :one)", R"({"n": {"N": "10"}})", R"({"n": {"N": "9"}})"},
        Case{"SET a = if_not_exists(a, :one) + :one", "{}", R"({"a": {"N": "2"}})"},
        Case{"SET a = if_not_exists(s, :one)", "{}", R"({"a": {"S": "text"}})"},
        Case{
            "SET a = list_append(if_not_exists(q, :empty), :l)",
            "{}",
            R"({"a": {"L": [{"S": "end"}]}})"},
        Case{
            "SET a = list_append(:l, list_append(:l, :empty))",
            "{}",
            R"({"a": {"L": [{"S": "end"}, {"S": "end"}]}})"},
        Case{
            "SET m.b = :s",
            R"({"m": {"M": {"b": {"S": "b"}}}})",
            R"({"m": {"M": {"b": {"S": "new"}}}})"},
        Case{
            "SET #m.c = #m.c + :one, #m.a = :s",
            R"({"m": {"M": {"c": {"N": "7"}}}})",
            R"({"m": {"M": {"a": {"S": "new"}, "c": {"N": "8"}}}})"},
        Case{"SET l[1] = :s", R"({"l": {"L": [{"N": "1"}]}})", R"({"l": {"L": [{"S": "new"}]}})"},
        Case{
            "SET l[2].x = :s, l[0] = :one",
            R"({"l": {"L": [{"N": "0"}, {"M": {"x": {"N": "2"}}}]}})",
            R"({"l": {"L": [{"N": "1"}, {"M": {"x": {"S": "new"}}}]}})"},
        // Beyond the end: appended, where UPDATED_NEW does not find it.
        Case{"SET l[50] = :s", "{}", "{}"}
    )
);

INSTANTIATE_TEST_SUITE_P(
    RemoveAddDelete,
    UpdatedTest,
    testing::Values(
        Case{"REMOVE s, gone", R"({"s": {"S": "text"}})", "{}"},
        Case{"REMOVE m.b", R"({"m": {"M": {"b": {"S": "b"}}}})", "{}"},
        Case{"REMOVE l[7], m.q", "{}", "{}"},
        Case{"ADD #n :one", R"({"n": {"N": "10"}})", R"({"n": {"N": "11"}})"},
        Case{"ADD a :one, b :ab", "{}", R"({"a": {"N": "1"}, "b": {"SS": ["a", "b"]}})"},
        Case{
            "ADD m.c :one",
            R"({"m": {"M": {"c": {"N": "7"}}}})",
            R"({"m": {"M": {"c": {"N": "8"}}}})"},
        Case{
            "ADD ss :bd",
            R"({"ss": {"SS": ["a", "b", "c"]}})",
            R"({"ss": {"SS": ["a", "b", "c", "d"]}})"},
        Case{
            "ADD ns :ns",
            R"({"ns": {"NS": ["1", "2", "10"]}})",
            R"({"ns": {"NS": ["-1", "1", "2", "9", "10"]}})"},
        Case{
            "DELETE ss :bd", R"({"ss": {"SS": ["a", "b", "c"]}})", R"({"ss": {"SS": ["a", "c"]}})"},
        Case{
            "DELETE ns :ns",
            R"({"ns": {"NS": ["1", "2", "10"]}})",
            R"({"ns": {"NS": ["1", "10"]}})"},
        // A set without members is not stored.
        Case{"DELETE ss :all", R"({"ss": {"SS": ["a", "b", "c"]}})", "{}"},
        Case{"DELETE gone :ab", "{}", "{}"},
        Case{
            "REMOVE s SET a = s ADD #n :one DELETE ss :ab",
            R"({"n": {"N": "10"}, "s": {"S": "text"}, "ss": {"SS": ["a", "b", "c"]}})",
            R"({"a": {"S": "text"}, "n": {"N": "11"}, "ss": {"SS": ["c"]}})"}
    )
);

TEST(UpdateTest, TheRestOfTheItemStaysAsItIs) {
    const Applied applied("SET m.b = :s, aa = :one REMOVE s", R"({
        "pk": {"S": "p"}, "s": {"S": "x"}, "m": {"M": {"a": {"N": "1"}, "b": {"N": "2"}}},
        "z": {"L": [{"NULL": true}]}
    })");
    EXPECT_EQ(applied.item_json, normalized(R"({
            "pk": {"S": "p"}, "aa": {"N": "1"}, "m": {"M": {"a": {"N": "1"}, "b": {"S": "new"}}},
            "z": {"L": [{"NULL": true}]}
        })"));
}

TEST(UpdateTest, ListIndexesAreThoseOfTheOldList) {
    const auto* const old = R"({"l": {"L": [{"N": "0"}, {"N": "1"}, {"N": "2"}, {"N": "3"}]}})";
    EXPECT_EQ(
        Applied("REMOVE l[2], l[0], l[9]", old).item_json,
        normalized(R"({"l": {"L": [{"N": "1"}, {"N": "3"}]}})")
    );
    EXPECT_EQ(
        Applied("SET l[9] = :s, l[7] = :one, l[3] = :bool REMOVE l[1]", old).item_json,
        normalized(
            R"({"l": {"L": [{"N": "0"}, {"N": "2"}, {"BOOL": false}, {"N": "1"}, {"S": "new"}]}})"
        )
    );
}

TEST(UpdateTest, AnUpdateOfAKeyAloneMakesAnItem) {
    EXPECT_EQ(
        Applied("SET a = :m, b = :empty ADD c :one", R"({"pk": {"S": "p"}})").item_json,
        normalized(R"({"pk": {"S": "p"}, "a": {"M": {}}, "b": {"L": []}, "c": {"N": "1"}})")
    );
}

struct Refused {
    std::string_view text;
    std::string message;
};

class RefusedUpdateTest : public testing::TestWithParam<Refused> {};

TEST_P(RefusedUpdateTest, IsWordedAsDynamoDbWordsIt) {
    EXPECT_EQ(Applied(GetParam().text).message, GetParam().message) << GetParam().text;
}

const std::string kInvalid = "Invalid UpdateExpression: ";
const std::string kType = kInvalid + "Incorrect operand type for operator or function; operator";
const std::string kBadPath =
    "The document path provided in the update expression is invalid for update";
const std::string kMissing =
    "The provided expression refers to an attribute that does not exist in the item";
const std::string kWrongType = "An operand in the update expression has an incorrect data type";

INSTANTIATE_TEST_SUITE_P(
    Compiled,
    RefusedUpdateTest,
    testing::Values(
        Refused{
            "SET a = :nope, #nope = :s",
            kInvalid + "An expression attribute name used in the document path is not defined; "
                       "attribute name: #nope"},
        Refused{
            "SET a = if_not_exists(:nope)",
            kInvalid + "An expression attribute value used in expression is not defined; attribute "
                       "value: :nope"},
        Refused{
            "SET a = :s, a = :one",
            kInvalid + "Two document paths overlap with each other; must remove or rewrite one of "
                       "these paths; path one: [a], path two: [a]"},
        Refused{
            "SET m = :s REMOVE #m.b",
            kInvalid + "Two document paths overlap with each other; must remove or rewrite one of "
                       "these paths; path one: [m], path two: [m, b]"},
        Refused{
            "REMOVE a.c SET a[1] = :s",
            kInvalid + "Two document paths conflict with each other; must remove or rewrite one of "
                       "these paths; path one: [a, c], path two: [a, [1]]"},
        Refused{
            "SET a = if_not_exists(b), a.c = :s",
            kInvalid + "Two document paths overlap with each other; must remove or rewrite one of "
                       "these paths; path one: [a], path two: [a, c]"},
        Refused{
            "SET a = list_append(:s, b) ADD c :s",
            kType + ": ADD, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND"},
        Refused{"ADD c :l", kType + ": ADD, operand type: LIST, typeSet: ALLOWED_FOR_ADD_OPERAND"},
        Refused{
            "DELETE c :one",
            kType + ": DELETE, operand type: NUMBER, typeSet: ALLOWED_FOR_DELETE_OPERAND"},
        Refused{
            "DELETE c :bool",
            kType + ": DELETE, operand type: BOOLEAN, typeSet: ALLOWED_FOR_DELETE_OPERAND"},
        Refused{
            "SET a = list_append(b)",
            kInvalid + "Incorrect number of operands for operator or function; operator or "
                       "function: list_append, number of operands: 1"},
        Refused{
            "SET a = if_not_exists(:s, b)",
            kInvalid + "Operator or function requires a document path; operator or function: "
                       "if_not_exists"},
        Refused{"SET a = list_append(b, :s)", kType + " or function: list_append, operand type: S"},
        Refused{"SET a = b + :s", kType + " or function: +, operand type: S"},
        Refused{"SET a = :l - b", kType + " or function: -, operand type: L"}
    )
);

INSTANTIATE_TEST_SUITE_P(
    Applied,
    RefusedUpdateTest,
    testing::Values(
        Refused{"SET gone.b = :s", kBadPath},
        Refused{"SET s.b = :s", kBadPath},
        Refused{"SET m[0] = :s", kBadPath},
        Refused{"SET l.a = :s", kBadPath},
        Refused{"SET l[5].a = :s", kBadPath},
        Refused{"REMOVE gone.b", kBadPath},
        Refused{"DELETE gone.b :ab", kBadPath},
        Refused{"SET a = gone", kMissing},
        Refused{"SET a = gone + :one", kMissing},
        Refused{"SET a = list_append(m.gone, :l)", kMissing},
        Refused{"SET a = s + :one", kWrongType},
        Refused{"SET a = list_append(s, :l)", kWrongType},
        Refused{"SET a = list_append(:l, :l) + :one", kWrongType},
        Refused{"ADD s :one", kWrongType},
        Refused{"ADD ss :ns", kWrongType},
        Refused{"ADD #n :ab", kWrongType},
        Refused{"DELETE s :ab", kWrongType},
        // A wrong type is reported before a bad path, and that before a missing operand.
        Refused{"SET a = gone, b = s + :one, gone.c = :s", kWrongType},
        Refused{"SET a = gone, gone.c = :s", kBadPath}
    )
);

TEST(UpdateTest, NumbersOutOfRangeAreRefused) {
    EXPECT_NE(Applied("SET a = :huge + :huge").message, "");
    EXPECT_NE(Applied("ADD big :huge", R"({"big": {"N": "9E125"}})").message, "");
}

TEST(UpdateTest, RemovingAloneDoesNotCreateAnItem) {
    Cache cache;
    TestRequest request(kValues);
    EXPECT_FALSE(can_create_item(*compile_update(cache, "REMOVE a DELETE b :ab", request.scope())));
    EXPECT_TRUE(can_create_item(*compile_update(cache, "REMOVE a ADD b :one", request.scope())));
}

TEST(UpdateTest, RootNamesAreThoseItWritesTo) {
    Cache cache;
    TestRequest request(kValues, kNames);
    const auto update =
        compile_update(cache, "SET m.b = pk.x, #m.c = :s REMOVE a", request.scope());
    ASSERT_TRUE(update);
    EXPECT_EQ(root_names(*update), (std::vector<std::string_view>{"a", "m"}));
    EXPECT_EQ(nested_root_names(*update), (std::vector<std::string_view>{"m", "pk"}));
}

}  // namespace
}  // namespace gateleg::expr

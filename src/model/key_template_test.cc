#include "model/key_template.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/time_text.h"
#include "model/key_spelling.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Item;
using value::Number;
using Form = KeyCondition::Form;
using Kind = KeyValueType::Kind;

AttributeValue text(std::string value) {
    return {std::move(value)};
}
AttributeValue number(std::string_view value) {
    return {*Number::parse(value)};
}

KeyTemplate make(
    std::string_view source, const std::vector<std::pair<std::string, KeyValueType>>& types = {}
) {
    auto parsed = *KeyTemplate::parse(source);
    for (const auto& [name, type] : types) {
        parsed.set_type(name, type);
    }
    return parsed;
}

TEST(KeyTemplateTest, RendersLiteralsAndVariablesInOrder) {
    const auto key = make("USER#{userId}#STORY#{id}");
    EXPECT_EQ(**key.render({{"userId", text("u1")}, {"id", text("s1")}}), "USER#u1#STORY#s1");
}

TEST(KeyTemplateTest, BadTemplatesAreRefused) {
    for (const auto* source :
         {"",
          "A#{b",
          "A}b",
          "{a b}",
          "{}",
          "{a:}",
          "{a:5}",
          "{a:0}",
          "{a:03.}",
          "{a:03.2}",
          "{a:%Q}",
          "{a:%}"}) {
        EXPECT_FALSE(KeyTemplate::parse(source)) << source;
    }
}

TEST(KeyTemplateTest, NullMakesTheKeyAbsent) {
    const auto key = make("{cover}#{id}");
    EXPECT_FALSE(key.render({{"id", text("a")}})->has_value());
    EXPECT_FALSE(key.render({{"cover", {value::Null{}}}, {"id", text("a")}})->has_value());
}

TEST(KeyTemplateTest, ValuesThatCouldForgeAKeyAreRefused) {
    const auto key = make("USER#{userId}#STORY#{id}");
    EXPECT_FALSE(key.render({{"userId", text("u1#STORY#s9")}, {"id", text("x")}}));
    EXPECT_FALSE(key.render({{"userId", text("")}, {"id", text("x")}}));
    EXPECT_TRUE(key.render({{"userId", text("u1")}, {"id", text("last may hold #")}}));
    EXPECT_FALSE(make("{a:03}", {{"a", {Kind::kNumber}}}).render({{"a", text("001")}}));
    EXPECT_FALSE(
        make("S#{s}", {{"s", {Kind::kText, "", "", {"a", "b"}}}}).render({{"s", text("c")}})
    );
    EXPECT_FALSE(
        make("{t}", {{"t", {Kind::kTimestampMillis}}}).render({{"t", text("2025-03-01T10:20:30Z")}})
    );
}

TEST(KeyTemplateTest, PaddedNumbers) {
    const auto key = make("{a:023.8}", {{"a", {Kind::kNumber}}});
    EXPECT_EQ(**key.render({{"a", number("12.5")}}), "00000000000012.50000000");
    EXPECT_EQ(**key.render({{"a", number("0")}}), "00000000000000.00000000");
    EXPECT_EQ(**key.render({{"a", number("99999999999999")}}), "99999999999999.00000000");
    EXPECT_FALSE(key.render({{"a", number("100000000000000")}}));
    EXPECT_FALSE(key.render({{"a", number("0.000000001")}}));
    EXPECT_FALSE(key.render({{"a", number("-1")}}));
    EXPECT_EQ(
        **make("{n:06}#x", {{"n", {Kind::kNumber}}}).render({{"n", number("10")}}), "000010#x"
    );
}

TEST(KeyTemplateTest, DatesBooleansAndShards) {
    const auto day = make("{at:%Y%m%d}{shard}", {{"at", {Kind::kEpochMillis}}});
    EXPECT_EQ(**day.render({{"at", number("1740824430400")}, {"shard", text("")}}), "20250301");
    EXPECT_EQ(**day.render({{"at", number("1740824430400")}, {"shard", text("#3")}}), "20250301#3");
    const auto month = make("FEED#{at:%Y/%m %H:%M:%S}", {{"at", {Kind::kEpochSeconds}}});
    EXPECT_EQ(**month.render({{"at", number("1740824430")}}), "FEED#2025/03 10:20:30");
    EXPECT_EQ(render_date(-1, "%Y-%m-%d %H:%M:%S"), "1969-12-31 23:59:59");
    const auto flag = make("P#{on}", {{"on", {Kind::kBoolean}}});
    EXPECT_EQ(**flag.render({{"on", {true}}}), "P#true");
    const auto spelled = make("P#{on}", {{"on", {Kind::kBoolean, "Y", "N"}}});
    EXPECT_EQ(**spelled.render({{"on", {false}}}), "P#N");
    EXPECT_EQ(**spelled.render({{"on", text("Y")}}), "P#Y");
    EXPECT_FALSE(spelled.render({{"on", text("yes")}}));
}

TEST(KeyTemplateTest, ParsesBackWhatItRendered) {
    const auto key = make(
        "{status}#{at:015}#{on}#{name}",
        {{"status", {Kind::kText, "", "", {"open", "done"}}},
         {"at", {Kind::kEpochMillis}},
         {"on", {Kind::kBoolean}}}
    );
    const Item values = {
        {"status", text("done")}, {"at", number("77")}, {"on", {true}}, {"name", text("a#b")}};
    const auto rendered = **key.render(values);
    EXPECT_EQ(rendered, "done#000000000000077#true#a#b");
    EXPECT_EQ(key.parse_key(rendered), values);
    for (const auto* other :
         {"done#77#true#x",
          "other#000000000000077#true#x",
          "done#000000000000077#yes#x",
          "",
          "done"}) {
        EXPECT_FALSE(key.parse_key(other)) << other;
    }
}

TEST(KeyTemplateTest, RepeatedVariablesMustAgree) {
    const auto key = make("PROFILE#{id}#{id}");
    EXPECT_TRUE(key.parse_key("PROFILE#a#a"));
    EXPECT_FALSE(key.parse_key("PROFILE#a#b"));
}

TEST(KeyTemplateTest, LossyVariablesAreLeftOutWhenParsed) {
    const auto key = make("SUBEND#{end:%Y%m%d}", {{"end", {Kind::kTimestampSeconds}}});
    EXPECT_EQ(key.parse_key("SUBEND#20250401"), Item());
    EXPECT_FALSE(key.parse_key("SUBEND#2025-4-1"));
}

TEST(KeyTemplateTest, PrefixIncludesTheLiteral) {
    const auto key = make("USER#{userId}#STORY#{id}");
    const auto some = *key.condition({{"userId", text("1")}});
    EXPECT_EQ(some.form, Form::kBeginsWith);
    EXPECT_EQ(some.low, "USER#1#STORY#");
    const auto all = *key.condition({{"userId", text("1")}, {"id", text("2")}});
    EXPECT_EQ(all.form, Form::kEqual);
    EXPECT_EQ(all.low, "USER#1#STORY#2");
    EXPECT_EQ(make("{a}#b").condition({})->form, Form::kAny);
    const auto start = *make("TAG#{tag}#{id}").condition_prefix({}, "se");
    EXPECT_EQ(start.form, Form::kBeginsWith);
    EXPECT_EQ(start.low, "TAG#se");
    EXPECT_FALSE(make("TAG#{tag}#{id}").condition_prefix({}, "se#"));
}

TEST(KeyTemplateTest, RangesEndBehindTheSeparator) {
    const auto key = make("JOB#{at}#{id}", {{"at", {Kind::kTimestampMillis}}});
    const auto a = text("2025-01-01T00:00:00.000Z");
    const auto b = text("2025-02-01T00:00:00.000Z");
    const auto both = *key.condition({}, {"at", a, b});
    EXPECT_EQ(both.form, Form::kBetween);
    EXPECT_EQ(both.low, "JOB#2025-01-01T00:00:00.000Z");
    EXPECT_EQ(both.high, "JOB#2025-02-01T00:00:00.000Z$");
    EXPECT_FALSE(both.needs_filter);
    const auto from = *key.condition({}, {"at", a, {}});
    EXPECT_EQ(from.form, Form::kBetween);
    EXPECT_EQ(from.high, "JOB$");
    const auto to = *key.condition({}, {"at", {}, b});
    EXPECT_EQ(to.low, "JOB#");
    EXPECT_EQ(key.condition({}, {"at", b, a})->form, Form::kNone);
    const auto last =
        *make("JOB#{at}", {{"at", {Kind::kTimestampMillis}}}).condition({}, {"at", a, b});
    EXPECT_EQ(last.high, "JOB#2025-02-01T00:00:00.000Z");
    const auto bare = make("{at}#{id}", {{"at", {Kind::kTimestampMillis}}});
    EXPECT_EQ(bare.condition({}, {"at", a, {}})->form, Form::kAtLeast);
    EXPECT_EQ(bare.condition({}, {"at", {}, b})->form, Form::kAtMost);
    EXPECT_EQ(bare.condition({}, {"at", {}, {}})->form, Form::kAny);
    EXPECT_FALSE(key.condition({}, {"id", a, b}));
}

TEST(KeyTemplateTest, SeparatorsAreWholeCharacters) {
    const auto key = make("JOB#{n:03}→{id}", {{"n", {Kind::kNumber}}});
    const auto upto = *key.condition({}, {"n", {}, number("7")});
    EXPECT_EQ(upto.high, "JOB#007→\xF4\x8F\xBF\xBF");
    const auto named = make("TAG#{tag}→{id}");
    const auto refused = named.render({{"tag", text("a→b")}, {"id", text("1")}});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("may not hold '→'"), std::string::npos)
        << refused.error().message;
    // Shares the first two bytes with the separator.
    const Item other = {{"tag", text("a←b")}, {"id", text("1")}};
    EXPECT_EQ(**named.render(other), "TAG#a←b→1");
    EXPECT_EQ(named.parse_key("TAG#a←b→1"), other);
    EXPECT_FALSE(named.condition_prefix({}, "a→"));
    EXPECT_EQ(named.condition_prefix({}, "a←")->low, "TAG#a←");
}

TEST(KeyTemplateTest, LossyRangesAskForAFilter) {
    const auto key = make("{due:%Y-%m-%d}#{id}", {{"due", {Kind::kEpochMillis}}});
    const auto found =
        *key.condition({}, {"due", number("1740824430400"), number("1740910830400")});
    EXPECT_TRUE(found.needs_filter);
    EXPECT_EQ(found.low, "2025-03-01");
    EXPECT_EQ(found.high, "2025-03-02$");
}

TEST(KeyTemplateTest, BoundsOutsideTheFormatAreBroughtIn) {
    const auto key = make("{n:06.2}#{id}", {{"n", {Kind::kNumber}}});
    const auto wide = *key.condition({}, {"n", number("-5"), number("12345")});
    EXPECT_EQ(wide.low, "000.00");
    EXPECT_EQ(wide.high, "999.99$");
    const auto between = *key.condition({}, {"n", number("1.001"), number("2.009")});
    EXPECT_EQ(between.low, "001.01");
    EXPECT_EQ(between.high, "002.00$");
    EXPECT_EQ(key.condition({}, {"n", number("1000"), {}})->form, Form::kNone);
    EXPECT_EQ(key.condition({}, {"n", {}, number("-1")})->form, Form::kNone);
}

TEST(KeyOverlapTest, KnowsWhichTemplatesShareAKey) {
    const KeyValueType kinds{Kind::kText, "", "", {"like", "bookmark"}};
    const auto kind = make("INTERACTION#{kind}", {{"kind", kinds}});
    EXPECT_FALSE(can_meet(make("INTERACTION#comment"), kind));
    EXPECT_TRUE(can_meet(make("INTERACTION#like"), kind));
    EXPECT_TRUE(can_meet(make("ALBUM#{id}"), make("ALBUM#{albumId}")));
    EXPECT_FALSE(can_meet(make("ALBUM#{id}"), make("MEDIA#{id}")));
    EXPECT_TRUE(can_meet(make("USER#{id}"), make("USER#{id}#STORY#{story}")));
    KeyValueType ulid;
    ulid.may_hold_hash = false;
    EXPECT_FALSE(can_meet(make("USER#{id}", {{"id", ulid}}), make("USER#{id}#STORY#{story}")));
    EXPECT_FALSE(can_meet(make("{n:03}", {{"n", {Kind::kNumber}}}), make("META")));
    EXPECT_TRUE(
        can_meet(make("{day:%Y%m%d}{shard}", {{"day", {Kind::kEpochMillis}}}), make("20250301#3"))
    );
}

// Values that can stand in a key, by the type of the variable.
rc::Gen<std::string> key_text() {
    return rc::gen::nonEmpty(rc::gen::container<std::string>(
        rc::gen::suchThat(rc::gen::inRange<char>(' ', '\x7f'), [](char c) { return c != '#'; })
    ));
}

RC_GTEST_PROP(KeyTemplateProperty, ParseUndoesRender, ()) {
    const auto key = make(
        "A#{name}#{at}#{n:012}#{d:015.3}#{flag}#{last}",
        {{"at", {Kind::kTimestampMillis}},
         {"n", {Kind::kNumber}},
         {"d", {Kind::kNumber}},
         {"flag", {Kind::kBoolean}}}
    );
    const auto thousandths = *rc::gen::inRange<std::int64_t>(0, 100'000'000'000);
    const Item values = {
        {"name", text(*key_text())},
        {"at", text(render_rfc3339(*rc::gen::inRange<std::int64_t>(0, 4'000'000'000'000)))},
        {"n",
         AttributeValue{Number::from_int(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000))}},
        {"d", number(std::to_string(thousandths) + "E-3")},
        {"flag", {*rc::gen::arbitrary<bool>()}},
        {"last", text(*key_text() + "#" + *key_text())},
    };
    const auto rendered = key.render(values);
    RC_ASSERT(rendered.has_value());
    RC_ASSERT(key.parse_key(**rendered) == std::optional(values));
}

RC_GTEST_PROP(KeyTemplateProperty, OrderOfKeysIsOrderOfNumbers, ()) {
    const auto key = make("R#{n:020.4}#{id}", {{"n", {Kind::kNumber}}});
    const auto draw = [] {
        return *Number::parse(
            std::to_string(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000'000)) + "E-4"
        );
    };
    const auto a = draw();
    const auto b = draw();
    const auto render = [&](const Number& n) {
        return **key.render({{"n", {n}}, {"id", text("x")}});
    };
    RC_ASSERT((a <=> b) == (render(a).compare(render(b)) <=> 0));
}

RC_GTEST_PROP(KeyTemplateProperty, OrderOfKeysIsOrderOfTimes, ()) {
    const auto key = make("R#{at}#{id}", {{"at", {Kind::kTimestampMillis}}});
    const auto a = *rc::gen::inRange<std::int64_t>(0, 4'000'000'000'000);
    const auto b = *rc::gen::inRange<std::int64_t>(0, 4'000'000'000'000);
    const auto render = [&](std::int64_t at) {
        return **key.render({{"at", text(render_rfc3339(at))}, {"id", text("x")}});
    };
    RC_ASSERT((a <=> b) == (render(a).compare(render(b)) <=> 0));
}

// A range finds exactly the values between its ends.
RC_GTEST_PROP(KeyTemplateProperty, RangesHoldExactlyTheirValues, ()) {
    const auto key = make("R#{n:06.2}#{id}", {{"n", {Kind::kNumber}}});
    const auto draw = [](int most) {
        return *Number::parse(std::to_string(*rc::gen::inRange(-500, most)) + "E-3");
    };
    const auto from = draw(1'200'000);
    const auto to = draw(1'200'000);
    const auto value = *Number::parse(std::to_string(*rc::gen::inRange(0, 99'999)) + "E-2");
    const auto found = *key.condition({}, {"n", AttributeValue{from}, AttributeValue{to}});
    const auto rendered = **key.render({{"n", {value}}, {"id", text(*key_text())}});
    const bool inside =
        found.form == Form::kBetween && rendered >= found.low && rendered <= found.high;
    RC_ASSERT(inside == (value >= from && value <= to));
}

RC_GTEST_PROP(KeyTemplateProperty, AnyTextIsParsedOrRefused, (const std::string& source)) {
    if (const auto parsed = KeyTemplate::parse(source)) {
        RC_ASSERT(parsed->text() == source);
        parsed->parse_key(source);
    }
}

// It compares eight characters at once.
TEST(KeySpellingTest, TheShapeOfATimeIsThatOfEachCharacter) {
    const std::string_view shape = "0000-00-00T00:00:00";
    const auto fits = [&](std::string_view text) {
        for (std::size_t at = 0; at < shape.size(); ++at) {
            const bool is_digit = text[at] >= '0' && text[at] <= '9';
            if (shape[at] == '0' ? !is_digit : text[at] != shape[at]) {
                return false;
            }
        }
        return true;
    };
    for (std::size_t at = 0; at < shape.size(); ++at) {
        for (int byte = 0; byte < 256; ++byte) {
            std::string text = "2025-03-09T17:48:59";
            text[at] = static_cast<char>(byte);
            EXPECT_EQ(has_time_shape(text, shape), fits(text)) << text;
        }
    }
    EXPECT_TRUE(has_time_shape(".059", ".000"));
    EXPECT_FALSE(has_time_shape(".05:", ".000"));
    EXPECT_FALSE(has_time_shape(",059", ".000"));
}

}  // namespace
}  // namespace gateleg::model

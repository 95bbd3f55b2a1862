// The five models of this repository: they pass the checker, and items made from them are, byte for
// byte, those the design documents show.

#include <fstream>
#include <iterator>
#include <map>

#include <gtest/gtest.h>
#include <simdjson.h>

#include "model/build_item.h"
#include "model/check.h"
#include "model/load.h"
#include "model/markdown.h"

namespace gateleg::model {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;
using value::AttributeValue;
using value::Number;

constexpr const char* kSystems[] = {
    "figureforge", "gallery", "membership", "moderation", "stories"};

std::string path_of(const std::string& system) {
    return std::string(GATELEG_SOURCE_DIR) + "/systems/" + system + "/model.yaml";
}

std::string number_text(element json) {
    switch (json.type()) {
        case element_type::INT64:
            return std::to_string(json.get_int64().value_unsafe());
        case element_type::UINT64:
            return std::to_string(json.get_uint64().value_unsafe());
        default: {
            std::string text = std::to_string(json.get_double().value_unsafe());
            return text;
        }
    }
}

AttributeValue from_json(element json) {
    switch (json.type()) {
        case element_type::STRING:
            return {std::string(json.get_string().value_unsafe())};
        case element_type::BOOL:
            return {json.get_bool().value_unsafe()};
        case element_type::NULL_VALUE:
            return {value::Null{}};
        case element_type::ARRAY: {
            value::List list;
            for (const auto one : json.get_array()) {
                list.push_back(from_json(one));
            }
            return {list};
        }
        case element_type::OBJECT: {
            value::Map map;
            for (const auto& [key, one] : json.get_object()) {
                map[std::string(key)] = from_json(one);
            }
            return {map};
        }
        default:
            return {*Number::parse(number_text(json))};
    }
}

Environment environment() {
    Environment result;
    result.now_millis = 1'740'824'430'400;
    result.caller = "u1";
    result.make_ulid = [] { return std::string("ulid"); };
    result.make_uuid = [] { return std::string("uuid"); };
    return result;
}

// Indexes the documents do not have.
bool is_added(std::string_view key) {
    return key == "publicFeed_pk" || key == "queueKey" || key == "byPeriodEnd_pk" ||
           key == "byPeriodEnd_sk" || key.starts_with("tagsByName");
}

class SystemsTest : public testing::Test {
protected:
    SystemsTest() {
        for (const auto* system : kSystems) {
            Diagnostics diagnostics(system);
            models_[system] = load_model_file(path_of(system), diagnostics);
            EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.to_text();
        }
    }

    Attributes given(element json) {
        const auto value = from_json(json);
        return std::get<value::Map>(value.data);
    }

    value::Item build(const std::string& system, const std::string& entity, Attributes attributes) {
        const auto& model = *models_.at(system);
        const auto* found = model.find_entity(entity);
        for (auto& [name, value] : attributes) {
            if (const auto* attribute = found->find_attribute(name)) {
                value = to_stored(value, attribute);
            }
        }
        auto item = build_item(model, *found, std::move(attributes), environment());
        EXPECT_TRUE(item) << (item ? "" : item.error().message);
        return item ? *item : value::Item();
    }

    std::map<std::string, std::unique_ptr<Model>> models_;
};

TEST_F(SystemsTest, PassTheChecker) {
    for (const auto* system : kSystems) {
        Diagnostics diagnostics(system);
        check_model(*models_.at(system), diagnostics);
        EXPECT_EQ(diagnostics.count(Severity::kError), 0U) << diagnostics.to_text();
        EXPECT_GT(to_markdown(*models_.at(system)).size(), 1000U);
    }
}

TEST_F(SystemsTest, GoldenItems) {
    simdjson::dom::parser parser;
    const auto path = std::string(GATELEG_SOURCE_DIR) + "/src/model/testdata/golden_items.json";
    element document;
    ASSERT_EQ(parser.load(path).get(document), simdjson::SUCCESS);
    int count = 0;
    for (const auto one : document.get_array()) {
        const std::string id(one["id"].get_string().value());
        const std::string system(one["system"].get_string().value());
        const std::string name(one["entity"].get_string().value());
        SCOPED_TRACE(id);
        const auto& model = *models_.at(system);
        const auto& entity = *model.find_entity(name);
        const auto attributes = given(one["given"].value());
        const auto item = build(system, name, attributes);
        const auto want = given(one["item"].value());
        for (const auto& [key, value] : want) {
            const auto found = item.find(key);
            ASSERT_NE(found, item.end()) << key;
            EXPECT_TRUE(found->second == value) << key;
        }
        for (const auto& rule : entity.keys) {
            if (!rule.plain && !want.contains(rule.attribute) && !is_added(rule.attribute)) {
                EXPECT_FALSE(item.contains(rule.attribute)) << rule.attribute;
            }
        }
        // And back: what was given is found again in the item and its keys.
        const auto apart = take_apart(model, entity, item);
        ASSERT_TRUE(apart);
        for (const auto& [key, value] : attributes) {
            const auto* attribute = entity.find_attribute(key);
            ASSERT_NE(attribute, nullptr) << key;
            EXPECT_TRUE(apart->contains(key)) << key;
            EXPECT_TRUE(apart->at(key) == to_stored(value, attribute)) << key;
        }
        ++count;
    }
    EXPECT_EQ(count, 34);
}

AttributeValue text(std::string value) {
    return {std::move(value)};
}
AttributeValue number(std::int64_t value) {
    return {Number::from_int(value)};
}

std::string shown(const value::Item& item, const std::string& key) {
    const auto found = item.find(key);
    const auto* value =
        found != item.end() ? std::get_if<std::string>(&found->second.data) : nullptr;
    return value != nullptr ? *value : "absent";
}

// The pieces of YAML on the page are one model, which passes.
TEST(DocumentationTest, TheExampleIsAModel) {
    std::ifstream file(std::string(GATELEG_SOURCE_DIR) + "/docs/model-language.md");
    std::string line;
    std::string yaml;
    bool inside = false;
    while (std::getline(file, line)) {
        if (line.starts_with("```")) {
            inside = line == "```yaml";
        } else if (inside) {
            yaml += line + "\n";
        }
    }
    Diagnostics diagnostics("page");
    const auto model = load_model(yaml, diagnostics);
    ASSERT_TRUE(model);
    check_model(*model, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.to_text();
    EXPECT_EQ(model->operations.size(), 3U);
    EXPECT_EQ(model->jobs.size(), 1U);
}

TEST_F(SystemsTest, KeysOfAnIndexAreAllOrNone) {
    Attributes album = {{"id", text("a1")}, {"title", text("T")}, {"createdBy", text("u1")}};
    auto item = build("gallery", "Album", album);
    EXPECT_FALSE(item.contains("GSI2PK"));
    EXPECT_FALSE(item.contains("GSI2SK"));
    album["score"] = number(77);
    EXPECT_EQ(shown(build("gallery", "Album", album), "GSI6SK"), "000000000077#a1");
    Attributes image = {
        {"image_id", text("i1")},
        {"user_id", {value::Null{}}},
        {"created_at", number(1'740'824'430)}};
    item = build("figureforge", "Image", image);
    EXPECT_FALSE(item.contains("imagesByUser_pk"));
    EXPECT_EQ(shown(item, "s3_key"), "public/teaser/i1.jpg");
    EXPECT_TRUE(std::holds_alternative<value::Null>(item.at("user_id").data));
}

TEST_F(SystemsTest, KeysFollowTheState) {
    Attributes moderated = {
        {"moderationId", text("m")},
        {"userId", text("u1")},
        {"contentId", text("c")},
        {"type", text("image")},
        {"status", text("approved")},
        {"submittedAt", number(1'740'824'430'400)}};
    auto item = build("moderation", "Moderation", moderated);
    EXPECT_EQ(shown(item, "status#submittedAt"), "approved#001740824430400");
    EXPECT_EQ(shown(item, "dayKey"), "20250301");
    EXPECT_FALSE(item.contains("queueKey"));
    moderated["status"] = text("pending");
    moderated["shard"] = text("#3");
    item = build("moderation", "Moderation", moderated);
    EXPECT_EQ(shown(item, "dayKey"), "20250301#3");
    EXPECT_EQ(shown(item, "queueKey"), "pending#normal");
    const auto lot = build(
        "membership",
        "Lot",
        {{"userId", text("u1")},
         {"lotId", text("l1")},
         {"granted", number(1)},
         {"remaining", number(1)},
         {"source", text("admin")}}
    );
    EXPECT_EQ(shown(lot, "SK"), "CREDITS#LOT#9999999999#l1");
    const auto dated = build(
        "membership",
        "Lot",
        {{"userId", text("u1")},
         {"lotId", text("l1")},
         {"expiresAt", number(1'740'824'430)},
         {"granted", number(1)},
         {"remaining", number(1)},
         {"source", text("admin")}}
    );
    EXPECT_EQ(shown(dated, "SK"), "CREDITS#LOT#1740824430#l1");
}

TEST_F(SystemsTest, AmountsSortAsTheyCount) {
    std::string before;
    for (const auto* amount : {"9", "10", "100.5", "100.50000001", "99999999999999"}) {
        Attributes user = {
            {"userId", text("u1")},
            {"email", text("a@b")},
            {"username", text("ann")},
            {"pscTotalEarned", {*Number::parse(amount)}}};
        const auto key = shown(build("gallery", "User", user), "GSI5SK");
        EXPECT_LT(before, key);
        EXPECT_EQ(key.find('#'), 23U);
        before = key;
    }
    const auto& model = *models_.at("gallery");
    for (const auto* amount : {"0.000000001", "-1", "1000000000000000"}) {
        EXPECT_FALSE(build_item(
            model,
            *model.find_entity("User"),
            {{"userId", text("u1")}, {"pscTotalEarned", {*Number::parse(amount)}}},
            environment()
        ));
    }
}

TEST_F(SystemsTest, TheMarkerTellsEqualKeysApart) {
    const auto& model = *models_.at("gallery");
    const auto edge =
        build("gallery", "AlbumMedia", {{"albumId", text("a1")}, {"mediaId", text("m1")}});
    EXPECT_TRUE(take_apart(model, *model.find_entity("AlbumMedia"), edge));
    EXPECT_FALSE(take_apart(model, *model.find_entity("MediaV1"), edge));
    EXPECT_FALSE(take_apart(model, *model.find_entity("Album"), edge));
}

TEST_F(SystemsTest, LargestTransactions) {
    const auto actions = [&](const std::string& system, const std::string& operation) {
        const auto& model = *models_.at(system);
        return worst_case_actions(model, *model.find_operation(operation));
    };
    EXPECT_EQ(actions("figureforge", "jobSucceeded"), 91);
    EXPECT_EQ(actions("figureforge", "setTags"), 61);
    EXPECT_EQ(actions("gallery", "setAlbumVisibility"), 21);
    EXPECT_EQ(actions("stories", "deleteStory"), 5);
}

}  // namespace
}  // namespace gateleg::model

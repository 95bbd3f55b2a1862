#include "model/infer.h"

#include <random>

#include <gtest/gtest.h>

#include "model/check.h"
#include "model/entity_keys.h"
#include "model/load.h"
#include "model/recognise.h"

namespace gateleg::model {
namespace {

using value::Item;
using value::Number;

dynamo::TableDescription a_table(const std::vector<std::string>& index_keys = {}) {
    dynamo::TableDescription table;
    table.name = "Legacy-Shop";
    table.attributes = {{"PK", value::Type::kString}, {"SK", value::Type::kString}};
    table.key_schema = {{"PK", dynamo::KeyRole::kHash}, {"SK", dynamo::KeyRole::kRange}};
    if (index_keys.size() == 2) {
        dynamo::IndexDescription index;
        index.definition.name = "GSI1";
        index.definition.key_schema = {
            {index_keys[0], dynamo::KeyRole::kHash}, {index_keys[1], dynamo::KeyRole::kRange}};
        table.attributes.push_back({index_keys[0], value::Type::kString});
        table.attributes.push_back({index_keys[1], value::Type::kString});
        table.global_indexes.push_back(std::move(index));
    }
    return table;
}

Item an_item(
    std::string pk, std::string sk, std::map<std::string, value::AttributeValue> more = {}
) {
    Item item = {{"PK", {std::move(pk)}}, {"SK", {std::move(sk)}}};
    for (auto& [name, value] : more) {
        item[name] = std::move(value);
    }
    return item;
}

bool says(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

// The draft loads without an error, knows every item, and makes each again byte for byte.
void expect_sound(const InferredModel& draft, const std::vector<Item>& items) {
    Diagnostics found("draft");
    const auto model = load_model(draft.yaml, found);
    ASSERT_TRUE(model) << draft.yaml << found.to_text();
    check_model(*model, found);
    ASSERT_FALSE(found.has_errors()) << draft.yaml << found.to_text();
    for (const auto& item : items) {
        const auto* entity = recognise(*model, item);
        ASSERT_NE(entity, nullptr) << draft.yaml;
        const auto raw = to_raw(*model, *entity, to_attributes(*model, *entity, item), {});
        ASSERT_TRUE(raw) << raw.error().message;
        EXPECT_EQ(value::encode_item(*raw).bytes(), value::encode_item(item).bytes()) << draft.yaml;
    }
}

TEST(InferTest, KindsAreToldApartByTheShapeOfTheirKeys) {
    const std::vector<Item> items = {
        an_item("Cust#MiXeD", "Profile", {{"Name", {std::string("Ada")}}}),
        an_item("Cust#b-2", "Profile", {{"Name", {std::string("Bob")}}}),
        an_item("Cust#MiXeD", "ORDER#o1", {{"orderId", {std::string("o1")}}}),
        an_item("Cust#MiXeD", "ORDER#o2", {{"orderId", {std::string("o2")}}}),
    };
    const auto draft = infer_model(a_table(), std::nullopt, items);
    EXPECT_EQ(draft.entities, 2U);
    EXPECT_TRUE(says(draft.yaml, R"("PK": "Cust#{custId}", "SK": "Profile")")) << draft.yaml;
    EXPECT_TRUE(says(draft.yaml, R"("PK": "Cust#{custId}", "SK": "ORDER#{orderId}")"));
    EXPECT_TRUE(says(draft.yaml, "marker: none"));
    expect_sound(draft, items);
}

TEST(InferTest, AMarkerNamesTheEntities) {
    const std::vector<Item> items = {
        an_item("U#1", "A", {{"type", {std::string("user")}}, {"id", {std::string("1")}}}),
        an_item("U#2", "A", {{"type", {std::string("user")}}, {"id", {std::string("2")}}}),
        an_item("U#1", "P#7", {{"type", {std::string("post")}}, {"n", {Number::from_int(7)}}}),
    };
    const auto draft = infer_model(a_table(), std::nullopt, items);
    EXPECT_TRUE(says(draft.yaml, "marker: \"type\"")) << draft.yaml;
    EXPECT_TRUE(says(draft.yaml, "  User:")) << draft.yaml;
    EXPECT_TRUE(says(draft.yaml, "marker: \"user\"")) << draft.yaml;
    EXPECT_TRUE(says(draft.yaml, R"("PK": "U#{id}", "SK": "A")")) << draft.yaml;
    expect_sound(draft, items);
}

TEST(InferTest, PaddedNumbersAndDatesAreFound) {
    std::vector<Item> items;
    for (int n = 1; n <= 4; ++n) {
        const auto day = "2025-03-0" + std::to_string(n);
        items.push_back(an_item(
            "DAY#" + day,
            "SALE#00000" + std::to_string(n * 3) + "#x" + std::to_string(n),
            {{"amount", {Number::from_int(n * 3)}},
             {"at", {day + "T10:20:30.400Z"}},
             {"saleId", {"x" + std::to_string(n)}}}
        ));
    }
    items[3]["SK"] = {std::string("SALE#000012#x4")};
    const auto draft = infer_model(a_table(), std::nullopt, items);
    EXPECT_TRUE(says(draft.yaml, R"("PK": "DAY#{at:%Y-%m-%d}", "SK": "SALE#{amount:06}#{saleId}")"))
        << draft.yaml;
    expect_sound(draft, items);
}

TEST(InferTest, IndexKeysAreTemplatesOnlyWhereEveryItemAgrees) {
    std::vector<Item> items;
    for (const auto* id : {"1", "2", "3"}) {
        items.push_back(an_item(
            std::string("USER#") + id,
            "META",
            {{"team", {std::string("t") + id}},
             {"GSI1PK", {std::string("TEAM#t") + id}},
             {"GSI1SK", {std::string("USER#") + id}}}
        ));
    }
    auto draft = infer_model(a_table({"GSI1PK", "GSI1SK"}), std::nullopt, items);
    EXPECT_TRUE(says(draft.yaml, R"("GSI1PK": "TEAM#{team}", "GSI1SK": "USER#{userId}")"))
        << draft.yaml;
    expect_sound(draft, items);
    // One that is not in the index although it could be: the template alone would put it there.
    items[1].erase("GSI1PK");
    items[1].erase("GSI1SK");
    draft = infer_model(a_table({"GSI1PK", "GSI1SK"}), std::nullopt, items);
    EXPECT_FALSE(says(draft.yaml, R"("GSI1PK": "TEAM#{team}")")) << draft.yaml;
    ASSERT_FALSE(draft.notes.empty());
    EXPECT_TRUE(says(draft.notes.front(), "find out `when`"));
    expect_sound(draft, items);
}

TEST(InferTest, OddNamesMixedTypesAndAnEmptyTableAreNoHarm) {
    const std::vector<Item> items = {
        an_item(
            "a",
            "b",
            {{"odd name", {true}}, {"x", {std::string("1")}}, {"ttl", {Number::from_int(9)}}}
        ),
        an_item("c", "9", {{"x", {Number::from_int(1)}}, {"m", {value::Map{}}}}),
        an_item("{weird}", "b#"),
    };
    const auto draft = infer_model(a_table(), "ttl", items);
    EXPECT_TRUE(says(draft.yaml, "ttl: \"ttl\"")) << draft.yaml;
    Diagnostics found("draft");
    EXPECT_TRUE(load_model(draft.yaml, found)) << draft.yaml << found.to_text();
    const auto empty = infer_model(a_table(), std::nullopt, {});
    EXPECT_EQ(empty.entities, 0U);
    EXPECT_FALSE(empty.notes.empty());
}

// Whatever is in a table: the draft can be read, and if the checker finds no error in it, it makes
// every item again as it was.
TEST(InferTest, ADraftThatChecksFitsItsItems) {
    std::mt19937 random(7);
    const auto pick = [&](const std::vector<std::string>& words) {
        return words[random() % words.size()];
    };
    const std::vector<std::string> parts = {
        "USER", "ORDER", "Item", "u1", "u2", "7", "007", "2025-03-01", "a b", "META", "x:y", ""};
    const std::vector<std::string> names = {
        "id", "kind", "n", "at", "odd name", "GSI1PK", "GSI1SK"};
    int checked = 0;
    for (int round = 0; round < 150; ++round) {
        // A few shapes, so that kinds have several items.
        std::vector<std::vector<std::string>> shapes;
        for (std::size_t i = 0; i < 1 + random() % 3; ++i) {
            shapes.push_back(
                {pick({"USER#", "ORDER#", "", "a#b#"}), pick({"META", "ITEM#", "", "X#Y#"})}
            );
        }
        std::map<std::string, Item> items;
        for (std::size_t i = 0; i < 1 + random() % 8; ++i) {
            const auto& shape = shapes[random() % shapes.size()];
            const auto tail = pick(parts);
            auto item = an_item(shape[0] + pick(parts) + "k", shape[1] + tail + "k");
            for (const auto& name : names) {
                switch (random() % 6) {
                    case 0:
                        item[name] = {pick(parts) + "v"};
                        break;
                    case 1:
                        item[name] = {tail + "k"};
                        break;
                    case 2:
                        if (!name.starts_with("GSI")) {
                            item[name] = {Number::from_int(static_cast<int>(random() % 20))};
                        }
                        break;
                    default:
                        break;
                }
            }
            const auto key = std::get<std::string>(item["PK"].data) + "\n" +
                             std::get<std::string>(item["SK"].data);
            items[key] = std::move(item);
        }
        std::vector<Item> all;
        for (auto& [key, item] : items) {
            all.push_back(std::move(item));
        }
        const auto draft = infer_model(a_table({"GSI1PK", "GSI1SK"}), std::nullopt, all);
        Diagnostics found("draft");
        const auto model = load_model(draft.yaml, found);
        ASSERT_TRUE(model) << draft.yaml << found.to_text();
        ASSERT_FALSE(found.contains("Y02") || found.contains("Y03") || found.contains("Y04"))
            << draft.yaml << found.to_text();
        if (!found.has_errors()) {
            check_model(*model, found);
        }
        if (!found.has_errors()) {
            ++checked;
            expect_sound(draft, all);
        }
        if (HasFatalFailure() || HasNonfatalFailure()) {
            return;
        }
    }
    EXPECT_GT(checked, 10);
}

}  // namespace
}  // namespace gateleg::model

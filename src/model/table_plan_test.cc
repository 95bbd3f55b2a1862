#include "model/table_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/load.h"
#include "model/table_request.h"

namespace gateleg::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::unique_ptr<Model> model_with(const std::string& table) {
    Diagnostics diagnostics("test.yaml");
    auto model = load_model(
        "model: { name: shop, path: /shop }\ntable:\n  name: shop\n  key: { PK: S, SK: S }\n  "
        "marker: kind\n" +
            table +
            "entities:\n"
            "  Order:\n"
            "    keys: { PK: \"ORDER#{id}\", SK: META }\n"
            "    attributes: { id: ulid!, state: string, total: integer, end: epoch_s }\n",
        diagnostics
    );
    EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.to_text();
    return model;
}

// What a store describes after the model's own CreateTable.
TableState made_from(const Model& model) {
    const auto request = create_table_request(model.table);
    TableState state;
    auto& table = state.table.emplace();
    table.name = request.table;
    table.attributes = request.attributes;
    table.key_schema = request.key_schema;
    if (request.global_indexes) {
        for (const auto& index : *request.global_indexes) {
            table.global_indexes.push_back({.definition = index});
        }
    }
    if (!model.table.ttl.empty()) {
        state.ttl = model.table.ttl;
    }
    return state;
}

std::vector<std::string> names(const TablePlan& plan) {
    std::vector<std::string> names;
    for (const auto& change : plan.changes) {
        names.push_back(std::string(change_name(change.kind)) + " " + change.name);
    }
    return names;
}

constexpr const char* kIndexes =
    "  ttl: end\n"
    "  indexes:\n"
    "    byState: { key: { state: S, SK: S } }\n"
    "    byTotal: { key: { state: S, total: N }, project: keys }\n";

TEST(TablePlanTest, AMissingTableIsCreatedWithItsExpiry) {
    const auto model = model_with(kIndexes);
    const auto plan = plan_table(*model, {});
    EXPECT_THAT(names(plan), ElementsAre("create-table shop", "enable-ttl end"));
    EXPECT_THAT(plan.changes[0].text, HasSubstr("byState, byTotal"));
    EXPECT_FALSE(plan.fits());
}

TEST(TablePlanTest, WhatTheModelMadeFits) {
    const auto model = model_with(kIndexes);
    const auto plan = plan_table(*model, made_from(*model), {.allow_drop = true});
    EXPECT_TRUE(plan.fits());
    EXPECT_THAT(plan.notes, IsEmpty());
}

TEST(TablePlanTest, IndexesAreAddedOneByOne) {
    const auto old = model_with("");
    const auto model = model_with(kIndexes);
    const auto plan = plan_table(*model, made_from(*old));
    EXPECT_THAT(
        names(plan), ElementsAre("add-index byState", "add-index byTotal", "enable-ttl end")
    );
    EXPECT_THAT(plan.changes[1].text, HasSubstr("state S, total N; keys only"));
}

TEST(TablePlanTest, AnOptionalIndexIsAddedWhenAskedFor) {
    const auto old = model_with("");
    const auto model =
        model_with("  indexes: { byState: { key: { state: S }, optional: true } }\n");
    const auto plan = plan_table(*model, made_from(*old));
    EXPECT_TRUE(plan.fits());
    EXPECT_THAT(plan.notes, ElementsAre("optional index byState is off"));
    EXPECT_THAT(
        names(plan_table(*model, made_from(*old), {.add_optional = true})),
        ElementsAre("add-index byState")
    );
}

TEST(TablePlanTest, AnotherPrimaryKeyIsInTheWayOfEverything) {
    const auto model = model_with(kIndexes);
    auto state = made_from(*model);
    state.table->key_schema[1].attribute = "other";
    const auto plan = plan_table(*model, state, {.allow_drop = true});
    EXPECT_THAT(plan.changes, IsEmpty());
    EXPECT_THAT(
        plan.obstacles,
        ElementsAre(HasSubstr("table shop exists with the key PK S, other ?, but the model says "
                              "PK S, SK S"))
    );
}

TEST(TablePlanTest, AChangedIndexIsBuiltAnewOnlyWithLeave) {
    const auto old = model_with("  indexes: { byState: { key: { state: S }, project: keys } }\n");
    const auto model = model_with("  indexes: { byState: { key: { state: S, SK: S } } }\n");
    const auto refused = plan_table(*model, made_from(*old));
    EXPECT_THAT(refused.changes, IsEmpty());
    EXPECT_THAT(refused.obstacles, ElementsAre(HasSubstr("--allow-drop")));
    EXPECT_FALSE(refused.fits());

    const auto plan = plan_table(*model, made_from(*old), {.allow_drop = true});
    EXPECT_THAT(names(plan), ElementsAre("drop-index byState", "add-index byState"));
    EXPECT_TRUE(plan.changes[0].drops);
    EXPECT_FALSE(plan.changes[1].drops);
}

TEST(TablePlanTest, AnIndexThatHoldsMoreIsGoodEnough) {
    const auto wide = model_with("  indexes: { byState: { key: { state: S } } }\n");
    const auto some =
        model_with("  indexes: { byState: { key: { state: S }, project: [total] } }\n");
    const auto keys = model_with("  indexes: { byState: { key: { state: S }, project: keys } }\n");
    for (const auto* old : {wide.get(), some.get()}) {
        const auto plan = plan_table(*keys, made_from(*old));
        EXPECT_TRUE(plan.fits());
        EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("more than the model asks for")));
    }
    EXPECT_THAT(
        plan_table(*some, made_from(*keys)).obstacles, ElementsAre(HasSubstr("holds keys only"))
    );
}

TEST(TablePlanTest, AForeignIndexIsDroppedOnlyWithLeave) {
    const auto old = model_with("  indexes: { byState: { key: { state: S } } }\n");
    const auto model = model_with("");
    const auto kept = plan_table(*model, made_from(*old));
    EXPECT_TRUE(kept.fits());
    EXPECT_THAT(kept.notes, ElementsAre(HasSubstr("index byState is not in the model")));
    EXPECT_THAT(
        names(plan_table(*model, made_from(*old), {.allow_drop = true})),
        ElementsAre("drop-index byState")
    );
}

TEST(TablePlanTest, ExpiryMovesToAnotherAttributeOnlyWithLeave) {
    const auto model = model_with("  ttl: end\n");
    auto state = made_from(*model);
    state.ttl = "other";
    EXPECT_THAT(plan_table(*model, state).obstacles, ElementsAre(HasSubstr("expire by")));
    EXPECT_THAT(
        names(plan_table(*model, state, {.allow_drop = true})),
        ElementsAre("disable-ttl other", "enable-ttl end")
    );
    const auto without = model_with("");
    EXPECT_TRUE(plan_table(*without, state).fits());
    EXPECT_THAT(
        names(plan_table(*without, state, {.allow_drop = true})), ElementsAre("disable-ttl other")
    );
}

}  // namespace
}  // namespace gateleg::model

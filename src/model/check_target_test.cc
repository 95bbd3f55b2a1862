// X01 and D01: rules about a model and something beside it.

#include "model/check_target.h"

#include <gtest/gtest.h>

#include "model/design_document.h"
#include "model/load.h"

namespace gateleg::model {
namespace {

constexpr const char* kText = R"YAML(
model: { name: t, path: /t }
table: { name: t, key: { PK: S, SK: S }, marker: kind, indexes: { G1: { key: { g1: S, g2: S }, project: keys } } }
entities:
  Note:
    keys: { PK: "USER#{user}", SK: "NOTE#{id}", g1: "DAY#{day}", g2: "{id}" }
    attributes: { user: string!, id: string!, day: string! }
    visible: "true"
patterns:
  mine:  { query: Note, by: [user], allow: anyone, doc: "AP-01: mine" }
  byDay: { query: Note, index: G1, by: [day], load: Note, allow: anyone, doc: AP-2 }
operations:
  one:  { route: "PUT /{id}", allow: anyone, input: { user: Note.user, id: Note.id, day: Note.day }, write: [{ upsert: "Note($user, $id)", copy: [day] }] }
  post: { route: "POST /", allow: anyone, input: { user: Note.user, id: Note.id, day: Note.day }, write: [{ put: Note, copy: [user, id, day] }] }
  sure: { route: "PUT /{id}/sure", allow: anyone, idempotency: required, input: { user: Note.user, id: Note.id }, write: [{ delete: "Note($user, $id)" }] }
  two:  { route: "PUT /{id}/two", allow: anyone, input: { user: Note.user, id: Note.id }, write: [{ delete: "Note($user, $id)" }, { check: "Note($user, 'x')" }] }
)YAML";

std::unique_ptr<Model> loaded() {
    Diagnostics diagnostics("t");
    auto model = load_model(kText, diagnostics);
    EXPECT_EQ(diagnostics.to_text(), "");
    return model;
}

TEST(CheckTargetTest, OneItemRunsEverywhereAndTransactionsDoNot) {
    const auto model = loaded();
    Diagnostics found("t");
    check_target(*model, Target::kAlternator, found);
    const auto text = found.to_text();
    EXPECT_EQ(text.find("operation one"), std::string::npos) << text;
    EXPECT_NE(text.find("warning X01: operation post cannot take"), std::string::npos) << text;
    EXPECT_NE(text.find("error X01: operation sure keeps"), std::string::npos) << text;
    EXPECT_NE(text.find("error X01: operation two writes up to 2 items"), std::string::npos)
        << text;
    EXPECT_NE(text.find("info X01: index G1"), std::string::npos) << text;
}

TEST(CheckTargetTest, NothingIsAmissOnAwsAndOnTheEngine) {
    const auto model = loaded();
    Diagnostics found("t");
    check_target(*model, Target::kAws, found);
    check_target(*model, Target::kEmbedded, found);
    EXPECT_EQ(found.to_text(), "");
    EXPECT_EQ(parse_target("alternator"), Target::kAlternator);
    EXPECT_EQ(parse_target("mongodb"), std::nullopt);
}

std::string against(const char* document) {
    const auto model = loaded();
    Diagnostics about_model("t");
    Diagnostics about_document("doc");
    check_document(*model, read_design_rows(document), about_model, about_document);
    return about_model.to_text() + about_document.to_text();
}

TEST(DesignDocumentTest, ADocumentThatSaysTheSame) {
    EXPECT_EQ(
        against("# Design\n\n| # | Pattern | Index |\n|---|---|---|\n"
                "| AP-01 | mine | table |\n| **AP-2** | by day | `G1` |\n| R-1 | a rule | |\n"),
        ""
    );
    // Without a column for it, nothing is said about indexes.
    EXPECT_EQ(against("| id | text |\n| AP-01 | x |\n| ap-2 | y |\n"), "");
}

TEST(DesignDocumentTest, RowsThatOnlyOneSideHas) {
    const auto text = against("| # | Pattern |\n| AP-01 | mine |\n| AP-07 | new |\n");
    EXPECT_NE(
        text.find("error D01: pattern byDay: the document has no row AP-2"), std::string::npos
    ) << text;
    EXPECT_NE(
        text.find("doc:3:1: error D01: AP-07 is in the document, and no pattern of t serves it"),
        std::string::npos
    ) << text;
}

TEST(DesignDocumentTest, AnotherIndex) {
    const auto text = against("| # | Index |\n| AP-01 | G1 |\n| AP-2 | table |\n");
    EXPECT_NE(
        text.find("pattern mine: AP-01 uses G1 in the document, and the table here"),
        std::string::npos
    ) << text;
    EXPECT_NE(
        text.find("pattern byDay: AP-2 uses table in the document, and G1 here"), std::string::npos
    ) << text;
}

TEST(DesignDocumentTest, Ids) {
    EXPECT_EQ(design_ids("ST-A1, ST-A8: newest"), std::vector<std::string>({"ST-A1", "ST-A8"}));
    EXPECT_EQ(design_ids("AP-07"), std::vector<std::string>({"AP-07"}));
    EXPECT_TRUE(design_ids("a-b 7-7 -1 x- UTF-8x well-known").empty());
}

}  // namespace
}  // namespace gateleg::model

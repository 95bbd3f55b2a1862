#include "model/yaml_loader.h"

#include <gtest/gtest.h>

namespace gateleg::model {
namespace {

std::string findings(std::string_view text) {
    Diagnostics diagnostics("f");
    load_yaml(text, diagnostics);
    return diagnostics.to_text();
}

TEST(YamlLoaderTest, ScalarsAreTextWithPositions) {
    Diagnostics diagnostics;
    const auto root = load_yaml("a: 023\nb: [NO, on, 2026-07-01]\nc: \"x\"\nd:\n", diagnostics);
    ASSERT_TRUE(root);
    EXPECT_EQ(root->find("a")->text, "023");
    EXPECT_EQ(root->find("b")->elements[0].text, "NO");
    EXPECT_EQ(root->find("b")->elements[2].text, "2026-07-01");
    EXPECT_TRUE(root->find("c")->quoted);
    EXPECT_EQ(root->find("c")->text_position(), (Position{3, 5}));
    EXPECT_TRUE(root->find("d")->is_null());
    EXPECT_EQ(diagnostics.to_text(), "");
}

struct BadYaml {
    const char* text;
    const char* finding;
};

TEST(YamlLoaderTest, RefusesWhatAModelMustNotHold) {
    const BadYaml cases[] = {
        {"a: &x 1\nb: *x\n", "Y02: anchors"},
        {"a: !!str 1\n", "Y02: tags"},
        {"a: !mine 1\n", "Y02: tags"},
        {"a: 1\n---\nb: 1\n", "Y02: a model file is one YAML document"},
        {"a: 1\na: 2\n", "f:2:1: error Y01: 'a' is there twice"},
        {"a: { null: 1 }\n", "Y01: YAML reads the name 'null' as a value"},
        {"true: 1\n", "Y01"},
        {"~: 1\n", "Y01"},
        {"a: [1, 2\nb: 3\n", "Y02: no YAML"},
        {"? [a]\n: 1\n", "Y02: a property name must be a word"},
        {"a: { update: Node(caller, $id), set: x }\n", "f:1:14: error O07"},
        {"a: [role(x, y)]\n", "O07"},
    };
    for (const auto& one : cases) {
        EXPECT_NE(findings(one.text).find(one.finding), std::string::npos)
            << one.text << findings(one.text);
    }
}

TEST(YamlLoaderTest, ACutCallIsReportedOnce) {
    EXPECT_EQ(
        findings("s: { update: Node(a, b, c), set: { x: 1 } }\n"),
        "f:1:14: error O07: YAML has cut the expression 'Node(a' at a comma (quote it)\n"
    );
}

TEST(YamlLoaderTest, SizeAndNumberOfNodesAreLimited) {
    EXPECT_NE(findings(std::string(kMaxModelBytes + 1, ' ')).find("1 MB"), std::string::npos);
    std::string many = "[";
    for (std::size_t i = 0; i < kMaxModelNodes; ++i) {
        many += "a,";
    }
    EXPECT_NE(findings(many + "]").find("30,000"), std::string::npos);
}

TEST(YamlLoaderTest, DeepNestingIsRefusedNotCrashed) {
    EXPECT_NE(findings(std::string(5000, '[')).find("Y02"), std::string::npos);
}

}  // namespace
}  // namespace gateleg::model

#include "model/packed_node.h"

#include <gtest/gtest.h>

#include "model/load.h"
#include "model/yaml_loader.h"

namespace gateleg::model {
namespace {

// Everything a node holds, so that two texts are equal when the trees are.
std::string dump(const Node& node) {
    std::string text =
        std::string(node_kind_name(node.kind)) + "@" + std::to_string(node.position.line) + ":" +
        std::to_string(node.position.column) + (node.quoted ? "'" : "") + "<" + node.text + ">(";
    for (const auto& element : node.elements) {
        text += dump(element) + ",";
    }
    for (const auto& [key, value] : node.members) {
        text += dump(key) + "=" + dump(value) + ",";
    }
    return text + ")";
}

Node read(std::string_view text) {
    Diagnostics diagnostics;
    auto root = load_yaml(text, diagnostics);
    EXPECT_TRUE(root) << text;
    return root ? *std::move(root) : Node{};
}

TEST(PackedNodeTest, EveryKindOfNodeComesBackAsItWas) {
    const std::string long_text(300, 'x');
    const std::string cases[] = {
        "a: 1\nb: [x, \"y\", [], {}]\nc:\nd: { e: null, f: ~ }\n",
        "a: |\n  two\n  lines\nb: >\n  folded\n  text\nc: 'it''s'\nd: \"\"\n",
        "[]",
        "",
        "word",
        "a: \"\\0\\x80é€\"\n",
        std::string(200, '\n') + "long: " + std::string(200, ' ') + long_text + "\n",
    };
    for (const auto& one : cases) {
        const auto root = read(one);
        EXPECT_EQ(dump(unpack_node(pack_node(root))), dump(root)) << one;
    }
}

TEST(PackedNodeTest, ModelsOfTheSystemsComeBackAsTheyWere) {
    for (const auto* system : {"figureforge", "gallery", "membership", "moderation", "stories"}) {
        for (const auto* file : {"model.yaml", "catalog.yaml"}) {
            const auto text = read_model_text(
                std::string(GATELEG_SOURCE_DIR) + "/systems/" + system + "/" + file
            );
            ASSERT_TRUE(text) << system << file;
            const auto root = read(*text);
            EXPECT_EQ(dump(unpack_node(pack_node(root))), dump(root)) << system << file;
        }
    }
}

TEST(PackedNodeTest, CutBytesAreNoTree) {
    const auto packed = pack_node(read("a: [one, two]\n"));
    for (std::size_t length = 0; length < packed.size(); ++length) {
        EXPECT_DEATH(unpack_node(std::string_view(packed).substr(0, length)), "") << length;
    }
    EXPECT_DEATH(unpack_node(packed + "x"), "");
}

}  // namespace
}  // namespace gateleg::model

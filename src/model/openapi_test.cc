#include "model/openapi.h"

#include <set>

#include <gtest/gtest.h>
#include <simdjson.h>

#include "model/docs_page.h"
#include "model/load.h"
#include "model/surface.h"

namespace gateleg::model {
namespace {

namespace dom = simdjson::dom;

std::unique_ptr<Model> load_system(const std::string& name) {
    const auto file = std::string(GATELEG_SOURCE_DIR) + "/systems/" + name + "/model.yaml";
    Diagnostics diagnostics(file);
    auto model = load_model_file(file, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.to_text();
    return model;
}

void collect_references(dom::element element, std::set<std::string>& found) {
    if (element.is_array()) {
        for (const auto child : dom::array(element)) {
            collect_references(child, found);
        }
    }
    if (element.is_object()) {
        for (const auto [name, child] : dom::object(element)) {
            if (name == "$ref") {
                found.insert(std::string(std::string_view(child)));
            }
            collect_references(child, found);
        }
    }
}

std::set<std::string> path_variables(std::string_view path) {
    std::set<std::string> names;
    for (auto open = path.find('{'); open != std::string_view::npos;
         open = path.find('{', open + 1)) {
        names.emplace(path.substr(open + 1, path.find('}', open) - open - 1));
    }
    return names;
}

std::string text_at(dom::element object, std::string_view name) {
    return std::string(object[name].get_string().value());
}

// Structure that every OpenAPI reader relies on.
void check_document(const std::string& text) {
    dom::parser parser;
    dom::element document;
    ASSERT_EQ(parser.parse(text).get(document), simdjson::SUCCESS) << text.substr(0, 200);
    EXPECT_EQ(std::string_view(document["openapi"]), "3.1.0");

    std::set<std::string> references;
    collect_references(document, references);
    for (const auto& reference : references) {
        EXPECT_EQ(document.at_pointer(reference.substr(1)).error(), simdjson::SUCCESS) << reference;
    }

    std::set<std::string> ids;
    for (const auto [path, methods] : dom::object(document["paths"])) {
        for (const auto [method, operation] : dom::object(methods)) {
            const auto id = text_at(operation, "operationId");
            EXPECT_TRUE(ids.insert(id).second) << id;
            std::set<std::string> declared;
            std::set<std::string> all;
            for (const auto parameter : dom::array(operation["parameters"])) {
                const auto name = text_at(parameter, "name");
                const auto in = text_at(parameter, "in");
                EXPECT_TRUE(all.insert(in + " " + name).second) << id << " " << name;
                EXPECT_EQ(parameter["schema"].error(), simdjson::SUCCESS) << id << " " << name;
                if (in == "path") {
                    declared.insert(name);
                    EXPECT_TRUE(bool(parameter["required"])) << id << " " << name;
                }
            }
            EXPECT_EQ(declared, path_variables(path)) << id;
            bool succeeds = false;
            for (const auto [status, response] : dom::object(operation["responses"])) {
                EXPECT_EQ(response["description"].error(), simdjson::SUCCESS) << id << status;
                succeeds |= status.starts_with('2') || status.starts_with('3');
            }
            EXPECT_TRUE(succeeds) << id;
        }
    }
    EXPECT_FALSE(ids.empty());
}

TEST(OpenApiTest, DocumentsOfTheSystemsAreWhole) {
    std::vector<std::unique_ptr<Model>> models;
    std::vector<const Model*> all;
    for (const auto* name : {"stories", "moderation", "membership", "gallery", "figureforge"}) {
        SCOPED_TRACE(name);
        models.push_back(load_system(name));
        ASSERT_TRUE(models.back());
        all.push_back(models.back().get());
        check_document(render_openapi({all.back()}));
    }
    SCOPED_TRACE("all");
    check_document(render_openapi(all));
}

TEST(OpenApiTest, SeveralEntitiesHaveADiscriminatorAndHiddenAttributesAreLeftOut) {
    const auto model = load_system("stories");
    ASSERT_TRUE(model);
    const auto text = render_openapi({model.get()});
    dom::parser parser;
    const dom::element document = parser.parse(text);
    const auto items =
        document["paths"]["/v1/stories/patterns/storyWithNodes"]["get"]["responses"]["200"]
                ["content"]["application/json"]["schema"]["properties"]["items"]["items"];
    EXPECT_EQ(std::string_view(items["discriminator"]["propertyName"]), "ItemType");
    EXPECT_EQ(dom::array(items["oneOf"]).size(), 2U);
    const auto share = document["components"]["schemas"]["Share"]["properties"];
    EXPECT_EQ(share["storyId"].error(), simdjson::SUCCESS);
    EXPECT_NE(share["userId"].error(), simdjson::SUCCESS) << "hidden";
}

TEST(DocsPageTest, HasNothingInlineAndEscapesText) {
    Diagnostics diagnostics("x.yaml");
    const auto model = load_system("stories");
    ASSERT_TRUE(model);
    model->name = "<b>'\"";
    const auto page = render_docs_page({model.get()});
    EXPECT_EQ(page.find("<script"), std::string::npos);
    EXPECT_EQ(page.find("style="), std::string::npos);
    EXPECT_EQ(page.find("<b>"), std::string::npos);
    EXPECT_EQ(page.find("http"), std::string::npos) << "no outside requests";
    EXPECT_NE(page.find("&lt;b&gt;&#39;&quot;"), std::string::npos);
    EXPECT_NE(page.find("/v1/stories/{id}"), std::string::npos);
}

}  // namespace
}  // namespace gateleg::model

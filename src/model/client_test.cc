// What generated clients say; that they compile and work is tested from outside (tests/generate).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/client_cpp.h"
#include "model/client_surface.h"
#include "model/client_typescript.h"
#include "model/client_writer.h"
#include "model/load.h"

namespace gateleg::model {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kText = R"YAML(
model: { name: my-shop, path: /shop }
table: { name: shop, key: { PK: S, SK: S }, marker: kind }
entities:
  Page:
    keys: { PK: "PAGE#{id}", SK: "META" }
    attributes:
      id:       string!
      class:    { enum: [a, "b c"] }
      price:    { type: number, decimals: 2 }
      secret:   { type: string, hidden: true }
      helper:   { is: "id", stored: false }
      gone:     { type: string, keep_null: true }
      sizes:    { type: list, of: { w: integer!, h: integer } }
      at:       { type: epoch_s, json: number }
      "odd-one": string
    visible: "true"
  Line:
    keys: { PK: "PAGE#{id}", SK: "LINE#{n}" }
    attributes: { id: string!, n: string! }
    open: true
    visible: "true"
patterns:
  constructor: { get: Page, route: "GET /pages/{id}", allow: anyone, doc: "X-1 */ end" }
  short:       { query: Page, by: [id], return: [id, price], allow: anyone }
  all:         { query: [Page, Line], by: [id], order: either, route: "GET /pages/{id}/all", allow: anyone }
  inside:      { get: Line, allow: internal }
operations:
  add-page:
    route: ["POST /pages", "PUT /pages/{id} class=a"]
    allow: signed_in
    input: { id: Page.id, class: Page.class, extra: { type: map, open: true } }
    write: [{ put: Page, copy: [id, class], as: page, if: { unchanged: absent } }]
    return: $page
  touch: { route: "DELETE /pages/{id}", allow: signed_in, input: { id: Page.id, force: boolean }, write: [{ delete: Page($id), if: { Kept: $force } }] }
)YAML";

std::unique_ptr<Model> loaded() {
    Diagnostics diagnostics("t");
    auto model = load_model(kText, diagnostics);
    EXPECT_EQ(diagnostics.to_text(), "");
    return model;
}

TEST(ClientTest, CallsHaveNamesOfTheirOwn) {
    const auto model = loaded();
    std::vector<std::string> names;
    for (const auto& call : client_calls(*model)) {
        names.push_back(call.name);
    }
    EXPECT_THAT(
        names, testing::ElementsAre("constructor2", "all", "addPage", "addPage2", "touch", "short")
    );
}

TEST(ClientTest, TypeScriptShowsWhatAnswersHold) {
    const auto text = to_typescript(*loaded());
    EXPECT_THAT(text, HasSubstr("export interface Page2 {\n  id: string;\n"));
    EXPECT_THAT(text, HasSubstr("  class?: \"a\" | \"b c\";\n"));
    EXPECT_THAT(text, HasSubstr("  gone?: string | null;\n"));
    EXPECT_THAT(text, HasSubstr("  sizes?: ({ w: number; h?: number })[];\n"));
    EXPECT_THAT(text, HasSubstr("  at?: number;\n"));
    EXPECT_THAT(text, HasSubstr("  \"odd-one\"?: string;\n"));
    EXPECT_THAT(text, Not(HasSubstr("secret")));
    EXPECT_THAT(text, Not(HasSubstr("helper")));
    EXPECT_THAT(text, HasSubstr("Pick<Page2, \"id\" | \"price\">"));
    EXPECT_THAT(text, HasSubstr("(Page2 & { kind: \"Page\" }) | (Line & { kind: \"Line\" })"));
    EXPECT_THAT(text, HasSubstr("order?: \"asc\" | \"desc\";"));
    EXPECT_THAT(text, HasSubstr("Page2 | Changed"));
    EXPECT_THAT(text, HasSubstr("export class MyShopClient {"));
    EXPECT_THAT(text, HasSubstr("X-1 * / end")) << "a comment ends where it should";
}

TEST(ClientTest, EachCallNamesItsErrors) {
    const auto text = to_typescript(*loaded());
    const auto at = text.find("export type TouchError = ");
    ASSERT_NE(at, std::string::npos);
    const auto line = text.substr(at, text.find('\n', at) - at);
    EXPECT_THAT(line, HasSubstr("\"Kept\""));
    EXPECT_THAT(line, HasSubstr("\"PageNotFound\""));
    EXPECT_THAT(line, Not(HasSubstr("IdempotencyKeyReused")));
}

TEST(ClientTest, CppKeepsOutOfTheWayOfTheLanguage) {
    const auto text = to_cpp(*loaded());
    EXPECT_THAT(text, HasSubstr("namespace gateleg_myShop {"));
    EXPECT_THAT(text, HasSubstr("struct Page2 {"));
    EXPECT_THAT(text, HasSubstr("std::optional<Page2Class> mClass{};"));
    EXPECT_THAT(text, HasSubstr("std::optional<std::string> oddOne{};"));
    EXPECT_THAT(text, HasSubstr("struct Page2Sizes {"));
    EXPECT_THAT(text, HasSubstr("std::variant<Page2, Line> value;"));
    EXPECT_THAT(text, HasSubstr("Json::Object others;"));
    EXPECT_THAT(text, HasSubstr("std::optional<Page2> addPage("));
    EXPECT_THAT(text, HasSubstr("detail::add_query(target, \"force\", input.force);"));
    EXPECT_THAT(text, Not(HasSubstr("secret")));
}

TEST(ClientTest, CppHasAnEnumForEachListOfValues) {
    const auto text = to_cpp(*loaded());
    EXPECT_THAT(
        text,
        HasSubstr("enum class Page2Class {\n    kUnrecognised,  // nothing, or a value that this "
                  "header does not know\n    kA,\n    kBC,\n};\n")
    );
    EXPECT_THAT(text, HasSubstr("        case Page2Class::kBC:\n            return \"b c\";\n"));
    EXPECT_THAT(text, HasSubstr("for (const auto value : {Page2Class::kA, Page2Class::kBC}) {"));
    EXPECT_THAT(text, Not(HasSubstr("InputClass"))) << "an input of the attribute has its enum";
}

TEST(ClientTest, PathsFallIntoTextsAndVariables) {
    std::string seen;
    for (const auto& [text, is_variable] : path_parts("/v1/a/{x}/{y}/b{z}")) {
        seen += (is_variable ? "<" + text + ">" : text) + "|";
    }
    EXPECT_EQ(seen, "/v1/a/|<x>|/|<y>|/b|<z>|");
    EXPECT_TRUE(path_parts("").empty());
}

constexpr const char* kNative = R"YAML(
model: { name: native, path: /n }
table: { name: n, key: { PK: S, SK: S }, marker: kind }
entities:
  User:
    keys: { PK: "USER#{id}", SK: "META" }
    attributes: { id: string!, mail: string!, name: string! }
    visible: "true"
    public: [id, name]
    full: "id = caller"
operations:
  logIn:  { route: "POST /login", allow: anyone, native: true, input: { name: string! }, answer: { token: string!, seconds: integer }, raises: [WrongPassword] }
  me:     { route: "GET /me", allow: signed_in, native: true, answer_item: User }
  users:  { route: "GET /users", allow: signed_in, native: true, answer_list: User }
  report: { route: "GET /report", allow: signed_in, native: true }
  hook:   { route: "POST /hook", allow: anyone, native: true, body: raw }
)YAML";

TEST(ClientTest, OperationsInCppAnswerWithWhatTheyDeclare) {
    Diagnostics diagnostics("t");
    const auto model = load_model(kNative, diagnostics);
    ASSERT_EQ(diagnostics.to_text(), "");
    const auto text = to_typescript(*model);
    EXPECT_THAT(text, HasSubstr("Call<{ token: string; seconds?: number }, LogInError>"));
    EXPECT_THAT(text, HasSubstr("\"WrongPassword\""));
    EXPECT_THAT(text, HasSubstr("me(call: CallOptions = {}): Call<User, MeError>"));
    EXPECT_THAT(text, HasSubstr("users(call: CallOptions = {}): Call<Page<User>, UsersError>"));
    EXPECT_THAT(text, HasSubstr("report(call: CallOptions = {}): Call<JsonValue, ReportError>"));
    EXPECT_THAT(text, Not(HasSubstr("hook("))) << "raw bytes are not a client's to send";
    EXPECT_THAT(text, HasSubstr("  id: string;\n  mail?: string;\n  name: string;\n"))
        << "what is not public may be missing";
    const auto cpp = to_cpp(*model);
    EXPECT_THAT(cpp, HasSubstr("struct LogInAnswer {\n    std::string token{};\n"));
    EXPECT_THAT(cpp, HasSubstr("LogInAnswer logIn(const LogInInput& input, "));
    EXPECT_THAT(cpp, HasSubstr("Page<User> users("));
}

}  // namespace
}  // namespace gateleg::model

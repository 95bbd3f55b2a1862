#include "api/rest/read_call.h"

#include <gtest/gtest.h>

#include "model/load.h"
#include "value/json_tree.h"

namespace gateleg::api::rest {
namespace {

constexpr std::string_view kModel = R"YAML(
model: { name: notes, path: /notes }
table: { name: notes, key: { PK: S, SK: S }, marker: kind }
entities:
  Note:
    keys: { PK: "USER#{userId}", SK: "NOTE#{id}" }
    attributes:
      userId:  { type: string!, stored: false }
      id:      { type: ulid!, default: "ulid()" }
      title:   { type: string!, min: 1, max: 20 }
      size:    integer
      at:      { type: epoch_ms, json: number }
      version: { type: integer!, default: 1 }
    version: version
    open: true
    visible: "userId = caller"
  Entry:
    keys: { PK: "LOG#{userId}", SK: "{at}#{id}" }
    attributes:
      userId: { type: string!, stored: false }
      at:     { type: timestamp! }
      id:     { type: ulid!, default: "ulid()" }
    visible: "true"
patterns:
  notes:   { query: Note, fixed: { userId: caller }, route: "GET /", allow: signed_in, doc: "NO-A1, NO-A2: mine" }
  note:    { get: Note, fixed: { userId: caller }, route: "GET /{id}", allow: signed_in }
  entries: { query: Entry, by: [userId], range: at, order: either, route: ["GET /log?user", "GET /log?user&day"], allow: "role(admin)" }
  hidden:  { query: Note, by: [userId], allow: internal }
operations:
  create: { route: POST /, allow: signed_in, input: { title: Note.title, size: Note.size }, write: [ { put: Note, copy: [title, size], set: { userId: caller }, as: note } ], return: $note }
  edit:   { route: "PATCH /{id}", allow: signed_in, input: { id: Note.id, fields: { type: map!, open: true } }, write: [ { update: "Note(caller, $id)", spread: $fields } ] }
  remove: { route: "DELETE /{id}", allow: signed_in, input: { id: Note.id, force: boolean }, write: [ { delete: "Note(caller, $id)" } ] }
  mark:   { route: "PUT /{id}/read title=seen", allow: signed_in, idempotency: required, input: { id: Note.id, title: Note.title }, write: [ { update: "Note(caller, $id)", copy: [title] } ] }
)YAML";

class ReadCallTest : public testing::Test {
protected:
    void SetUp() override {
        model::Diagnostics diagnostics("notes.yaml");
        model_ = model::load_model(kModel, diagnostics);
        ASSERT_FALSE(diagnostics.has_errors()) << diagnostics.to_text();
        endpoints_ = model::endpoints_of(*model_);
    }

    const model::Endpoint& endpoint(std::string_view id) const {
        for (const auto& candidate : endpoints_) {
            if (candidate.id == id) {
                return candidate;
            }
        }
        ADD_FAILURE() << "no endpoint " << id;
        return endpoints_.front();
    }

    static std::string shown(const model::Arguments& arguments) {
        std::string text;
        value::append_plain_json(text, value::AttributeValue{value::Map(arguments)});
        return text;
    }
    std::string pattern(std::string_view id, CallParts parts) const {
        const auto call = read_pattern_call(endpoint(id), parts);
        return call ? shown(call->arguments) : call.error().code + " " + call.error().field;
    }
    std::string operation(std::string_view id, CallParts parts) const {
        const auto call = read_operation_call(endpoint(id), parts);
        return call ? shown(call->arguments) : call.error().code + " " + call.error().field;
    }
    static CallParts json(std::string_view body) {
        return {.body = body, .content_type = "application/json"};
    }
    static CallParts json_at(std::string variable, std::string_view body) {
        return {
            .variables = {std::move(variable)}, .body = body, .content_type = "application/json"};
    }

    std::unique_ptr<model::Model> model_;
    std::vector<model::Endpoint> endpoints_;
};

TEST_F(ReadCallTest, SurfaceIsWhatTheFileSays) {
    EXPECT_EQ(endpoint("note").path, "/v1/notes/{id}");
    EXPECT_EQ(endpoint("notes").path, "/v1/notes");
    EXPECT_EQ(endpoint("entries.2").selecting, (std::vector<std::string>{"user", "day"}));
    EXPECT_EQ(endpoint("edit").rest, "fields");
    for (const auto& candidate : model::pattern_endpoints_of(*model_)) {
        EXPECT_NE(candidate.pattern->name, "hidden");
    }
    EXPECT_EQ(
        model::row_ids(*model_->find_pattern("notes")), (std::vector<std::string>{"no-a1", "no-a2"})
    );
}

TEST_F(ReadCallTest, ErrorsAreTheirOwn) {
    const auto create = model::errors_of(*model_, endpoint("create"));
    EXPECT_EQ(create.at(409), std::set<std::string>{"NoteAlreadyExists"});
    EXPECT_FALSE(create.contains(403));
    EXPECT_FALSE(create.contains(412));
    const auto edit = model::errors_of(*model_, endpoint("edit"));
    EXPECT_EQ(edit.at(404), std::set<std::string>{"NoteNotFound"});
    EXPECT_TRUE(edit.contains(412));
    EXPECT_FALSE(edit.contains(422));
    EXPECT_TRUE(model::errors_of(*model_, endpoint("mark")).contains(428));
    const auto entries = model::errors_of(*model_, endpoint("entries"));
    EXPECT_TRUE(entries.contains(403));
    EXPECT_FALSE(entries.contains(404));
}

TEST_F(ReadCallTest, PagingParametersAreChecked) {
    const auto call =
        read_pattern_call(endpoint("notes"), {.query = {{"limit", "100"}, {"cursor", "abc"}}});
    ASSERT_TRUE(call);
    EXPECT_EQ(call->limit, 100);
    EXPECT_EQ(call->cursor, "abc");
    for (const auto* limit : {"0", "101", "-1", "x", "", "1.5", " 1", "99999999999"}) {
        EXPECT_EQ(pattern("notes", {.query = {{"limit", limit}}}), "ValidationFailed limit");
    }
    EXPECT_EQ(pattern("notes", {.query = {{"cursor", ""}}}), "InvalidCursor cursor");
    EXPECT_EQ(pattern("notes", {.query = {{"order", "desc"}}}), "ValidationFailed order");
    EXPECT_EQ(pattern("notes", {.query = {{"userId", "u2"}}}), "ValidationFailed userId");
    EXPECT_EQ(
        pattern("note", {.variables = {"n1"}, .query = {{"limit", "1"}}}), "ValidationFailed limit"
    );
}

TEST_F(ReadCallTest, SelectingNamesStandForAttributes) {
    EXPECT_EQ(
        pattern("entries", {.query = {{"user", "u1"}, {"from", "2025-03-01T00:00:00Z"}}}),
        R"({"from":"2025-03-01T00:00:00Z","userId":"u1"})"
    );
    EXPECT_EQ(
        pattern("entries.2", {.query = {{"user", "u1"}, {"day", "2025-03-01"}}}),
        R"({"from":"2025-03-01T00:00:00.000Z","to":"2025-03-01T23:59:59.999Z","userId":"u1"})"
    );
    EXPECT_EQ(
        pattern("entries.2", {.query = {{"user", "u1"}, {"day", "20250301"}}}),
        R"({"from":"2025-03-01T00:00:00.000Z","to":"2025-03-01T23:59:59.999Z","userId":"u1"})"
    );
    EXPECT_EQ(
        pattern("entries.2", {.query = {{"user", "u1"}, {"day", "March"}}}), "ValidationFailed day"
    );
    EXPECT_EQ(pattern("entries", {}), "ValidationFailed user");
    EXPECT_EQ(
        pattern("entries", {.query = {{"user", "u1"}, {"order", "up"}}}), "ValidationFailed order"
    );
}

TEST_F(ReadCallTest, BodiesAreStrict) {
    EXPECT_EQ(operation("create", json(R"({"title":"a","size":3})")), R"({"size":3,"title":"a"})");
    EXPECT_EQ(operation("create", json("")), "{}");
    EXPECT_EQ(operation("create", json(R"({"title":"a","userId":"u2"})")), "UnknownField userId");
    EXPECT_EQ(operation("create", json(R"({"title":"a","PK":"x"})")), "UnknownField PK");
    EXPECT_EQ(operation("create", json(R"({"title":)")), "MalformedJson ");
    EXPECT_EQ(operation("create", json(R"({"title":"a","title":"b"})")), "MalformedJson ");
    EXPECT_EQ(operation("create", json("[]")), "ValidationFailed ");
    EXPECT_EQ(operation("create", json(R"({"size":1e200})")), "ValidationFailed ");
    EXPECT_EQ(operation("create", {.body = "{}"}), "UnsupportedMediaType ");
    EXPECT_EQ(
        operation("create", {.body = "{}", .content_type = "text/plain"}), "UnsupportedMediaType "
    );
    EXPECT_EQ(
        operation("create", {.body = "{}", .content_type = "Application/JSON ; charset=utf-8"}),
        "{}"
    );
    EXPECT_EQ(operation("create", {.query = {{"title", "a"}}}), "ValidationFailed title")
        << "fields of a body do not belong into the query";
}

TEST_F(ReadCallTest, OpenBodiesTakeOtherFieldsButNotThoseOfThePath) {
    EXPECT_EQ(
        operation("edit", json_at("n1", R"({"title":"b","more":[1]})")),
        R"({"fields":{"more":[1],"title":"b"},"id":"n1"})"
    );
    EXPECT_EQ(operation("edit", json_at("n1", R"({"id":"n2"})")), "UnknownField id");
    EXPECT_EQ(operation("mark", json_at("n1", "{}")), "IdempotencyKeyRequired Idempotency-Key");
    auto parts = json_at("n1", R"({"title":"other"})");
    parts.idempotency_key = "k";
    EXPECT_EQ(operation("mark", parts), "UnknownField title") << "the route fixes it";
    parts.body = "";
    EXPECT_EQ(operation("mark", parts), R"({"id":"n1","title":"seen"})");
}

TEST_F(ReadCallTest, DeletesSayTheRestInTheQuery) {
    EXPECT_EQ(
        operation("remove", {.variables = {"n1"}, .query = {{"force", "true"}}}),
        R"({"force":"true","id":"n1"})"
    );
    EXPECT_EQ(
        operation("remove", {.variables = {"n1"}, .query = {{"x", "1"}}}), "ValidationFailed x"
    );
}

TEST_F(ReadCallTest, HeadersAreChecked) {
    auto parts = json(R"({"title":"a"})");
    for (const std::string key : {"", " ", "a b", "a#b", "\xC3\xA4"}) {
        parts.idempotency_key = key;
        EXPECT_EQ(operation("create", parts), "ValidationFailed Idempotency-Key") << key;
    }
    const std::string longest(128, 'k');
    parts.idempotency_key = longest;
    const auto call = read_operation_call(endpoint("create"), parts);
    ASSERT_TRUE(call);
    EXPECT_EQ(call->idempotency_key, longest);
    EXPECT_EQ(call->route, "POST /v1/notes");

    EXPECT_EQ(*parse_if_match("\"7\""), 7);
    EXPECT_EQ(*parse_if_match("7"), 7);
    EXPECT_EQ(*parse_if_match("*"), std::nullopt);
    for (const auto* tag : {"", "\"\"", "\"x\"", "W/\"7\"", "\"1\", \"2\""}) {
        EXPECT_EQ(parse_if_match(tag).error().code, "VersionMismatch") << tag;
    }
    const auto edit = read_operation_call(
        endpoint("edit"), json_at("n1", R"({"expectedVersion":3,"title":"b"})")
    );
    ASSERT_TRUE(edit);
    EXPECT_EQ(edit->if_match, 3);
}

}  // namespace
}  // namespace gateleg::api::rest

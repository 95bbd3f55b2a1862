// Built by cpp_test.js with the header of tests/complaints/model.yaml: enums in paths, bodies and
// answers.

#include <cstdio>

#include "complaints_client.h"

namespace {

using namespace gateleg_complaints;  // NOLINT: one file, no header

// Keeps the last request and answers with a text.
class FakeTransport final : public Transport {
public:
    Request last;
    std::string answer = R"({"changed":true})";

    Response send(const Request& request) override {
        last = request;
        return {200, answer};
    }
};

void expect(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "does not hold: %s\n", what);
        std::exit(1);
    }
}

}  // namespace

int main() {
    FakeTransport transport;
    ComplaintsClient client(transport);

    expect(to_text(TaskState::kParked) == "parked", "an enum has a text");
    TaskState state{};
    expect(state == TaskState::kUnrecognised, "nothing was said yet");
    expect(from_text("done", state) && state == TaskState::kDone, "a text has an enum");
    expect(!from_text("Done", state) && state == TaskState::kUnrecognised, "texts are exact");

    client.editTask({.id = "t1", .state = TaskState::kParked});
    expect(transport.last.body == R"({"state":"parked"})", "in a body");
    client.editTask({.id = "t1"});
    expect(transport.last.body == "{}", "left out");

    transport.answer =
        R"({"items":[{"id":"t1","owner":"Ann","state":"done","points":3,"version":1},)"
        R"({"id":"t2","owner":"Ann","state":"of next year","points":3,"version":1},)"
        R"({"id":"t3","owner":"Ann","points":3,"version":1}],"cursor":null})";
    const auto page = client.byState({.owner = "Ann", .state = TaskState::kDone});
    expect(transport.last.target == "/v1/c/owners/Ann/done", "in a path");
    expect(page.items.size() == 3, "items");
    expect(page.items[0].state == TaskState::kDone, "in an answer");
    expect(page.items[1].state == TaskState::kUnrecognised, "a value of a newer model");
    expect(!page.items[2].state, "none");

    Json json;
    write(json, page.items[0]);
    expect(*json["state"].string() == "done", "written again");
    try {
        client.byState({.owner = "Ann"});
        expect(false, "a path needs a value");
    } catch (const ApiError& error) {
        expect(error.code == Errors::kValidationFailed && error.field == "state", "named");
    }
    std::puts("done");
}

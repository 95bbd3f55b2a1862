#include "jobs/test_world.h"

#include <algorithm>
#include <thread>

#include "model/load.h"
#include "value/json_tree.h"

namespace gateleg::jobs {

World::World() {
    storage::StoreOptions in_memory;
    in_memory.in_memory = true;
    store = storage::Store::open(in_memory);
    clock.freeze_at(kStart);
    engine = std::make_unique<engine::Engine>(*store, clock, engine::EngineOptions{});
    const auto path = std::string(GATELEG_SOURCE_DIR) + "/tests/runtime/parcels.yaml";
    model::Diagnostics diagnostics(path);
    model = model::load_model_file(path, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.to_text();
    runtime = std::make_unique<model::Runtime>(
        *model, *engine, clock, model::RuntimeOptions{.secret = "a secret"}
    );
    EXPECT_TRUE(runtime->create_table());
    EXPECT_EQ(run("register", R"({"id":"p1","owner":"ann"})"), "ok");
}

std::string World::run(const std::string& operation, const std::string& arguments) {
    const auto* found = model->find_operation(operation);
    EXPECT_NE(found, nullptr) << operation;
    const auto tree = json(arguments);
    const auto& map = std::get<value::Map>(tree.data);
    model::OperationCall call;
    call.arguments = {map.begin(), map.end()};
    model::Caller internal;
    internal.internal = true;
    const auto reply = runtime->run(*found, call, internal);
    if (!reply) {
        return reply.error().code;
    }
    return reply->changed ? "ok" : "unchanged";
}

std::string World::send(const std::string& kind, const std::string& payload) {
    std::vector<std::string> before;
    for (const auto& row : waiting()) {
        before.push_back(row.id);
    }
    EXPECT_EQ(
        run("send", R"({"id":"p1","kind":")" + kind + R"(","payload":)" + payload + "}"), "ok"
    );
    for (const auto& row : waiting()) {
        if (std::find(before.begin(), before.end(), row.id) == before.end()) {
            return row.id;
        }
    }
    return {};
}

void World::send_many(const std::string& kind, int count) {
    for (int at = 0; at < count; ++at) {
        EXPECT_EQ(run("send", R"({"id":"p1","kind":")" + kind + R"(","payload":{}})"), "ok");
    }
}

std::vector<model::OutboxRow> World::waiting() const {
    std::vector<model::OutboxRow> all;
    for (int slot = 0; slot < model::kOutboxSlots; ++slot) {
        const auto rows = runtime->outbox().list(slot, "", 1000);
        EXPECT_TRUE(rows);
        all.insert(all.end(), (*rows).begin(), (*rows).end());
    }
    return all;
}

std::vector<model::OutboxRow> World::done() const {
    return *runtime->outbox().list_done(clock.now_millis(), "", 1000);
}

std::vector<model::OutboxRow> World::dead() const {
    return *runtime->outbox().list_dead(clock.now_millis(), "", 1000);
}

std::string World::parcel(const std::string& id, const std::string& attribute) const {
    model::PatternCall call;
    call.arguments["id"] = {id};
    model::Caller internal;
    internal.internal = true;
    const auto found = runtime->get(*model->find_pattern("parcel"), call, internal);
    EXPECT_TRUE(found);
    const auto value = found ? found->item.find(attribute) : value::Item::const_iterator();
    return found && value != found->item.end() ? to_json(value->second) : "null";
}

Config make_config(Config::Variables variables) {
    variables.try_emplace("GATELEG_OUTBOX_POLL", "PT0.05S");
    auto config = Config::parse(std::move(variables));
    EXPECT_TRUE(config);
    return *std::move(config);
}

bool eventually(const std::function<bool()>& holds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(40);
    while (!holds()) {
        if (std::chrono::steady_clock::now() > deadline) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
}

value::AttributeValue json(const std::string& text) {
    auto tree = value::parse_json(text);
    EXPECT_TRUE(tree) << text;
    return *std::move(tree);
}

std::string to_json(const value::AttributeValue& tree) {
    std::string text;
    value::append_plain_json(text, tree);
    return text;
}

}  // namespace gateleg::jobs

// A system on an engine in memory, for tests of what runs beside the requests.

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "engine/engine.h"
#include "jobs/config.h"
#include "model/outbox_table.h"
#include "model/runtime.h"
#include "storage/store.h"

namespace gateleg::jobs {

// 2025-03-01T10:20:30.400Z
inline constexpr std::int64_t kStart = 1'740'824'430'400;

struct World {
    World();

    // "ok", "unchanged" or the code of the error.
    std::string run(const std::string& operation, const std::string& arguments);
    // Puts a row of that kind into the outbox; gives its id.
    std::string send(const std::string& kind, const std::string& payload);
    void send_many(const std::string& kind, int count);
    std::vector<model::OutboxRow> waiting() const;
    std::vector<model::OutboxRow> done() const;
    std::vector<model::OutboxRow> dead() const;
    // An attribute of a parcel as text.
    std::string parcel(const std::string& id, const std::string& attribute) const;

    std::unique_ptr<storage::Store> store;
    SettableClock clock;  // stands still
    SystemClock real_clock;
    std::unique_ptr<engine::Engine> engine;
    std::unique_ptr<model::Model> model;
    std::unique_ptr<model::Runtime> runtime;
};

Config make_config(Config::Variables variables);

// Asks again until it holds, for as long as a busy machine may need.
bool eventually(const std::function<bool()>& holds);

value::AttributeValue json(const std::string& text);
std::string to_json(const value::AttributeValue& tree);

}  // namespace gateleg::jobs

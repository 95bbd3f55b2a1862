// A model, an engine in memory and a clock that stands still.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "engine/engine.h"
#include "model/load.h"
#include "model/runtime.h"
#include "storage/store.h"

namespace gateleg::model {

// 2025-03-01T10:20:30.400Z
inline constexpr std::int64_t kStart = 1'740'824'430'400;

// JSON as a tree without DynamoDB types.
value::AttributeValue json(const std::string& text);
std::string to_json(const value::AttributeValue& tree);

struct World {
    // The model tests/runtime/<name>.yaml, or systems/<name>/model.yaml.
    explicit World(const std::string& name, RuntimeOptions options = {});

    CallResult<OperationReply> run(
        const std::string& operation,
        const std::string& arguments,
        const Caller& caller,
        std::optional<std::string> idempotency_key = {},
        std::optional<std::int64_t> if_match = {}
    );
    CallResult<Page> query(
        const std::string& pattern,
        const std::string& arguments,
        const Caller& caller,
        std::optional<int> limit = {},
        std::optional<std::string> cursor = {}
    );
    CallResult<Found> get(
        const std::string& pattern, const std::string& arguments, const Caller& caller
    );
    // "ok", "unchanged" or the code of the error.
    std::string outcome(
        const std::string& operation,
        const std::string& arguments,
        const Caller& caller,
        std::optional<std::string> idempotency_key = {},
        std::optional<std::int64_t> if_match = {}
    );

    // The raw item as plain JSON, or "null".
    std::string raw(const std::string& partition, const std::string& sort);
    void put_raw(const std::string& item);
    // False if the table does not take it.
    bool put_tree(const value::Item& item);
    std::string fsck();

    std::unique_ptr<storage::Store> store;
    SettableClock clock;
    std::unique_ptr<engine::Engine> engine;
    std::unique_ptr<Model> model;
    std::unique_ptr<Runtime> runtime;
};

Caller user(const std::string& name, std::set<std::string, std::less<>> roles = {});
Caller internal(const std::string& name = {});

// Calls `work(0..count-1)`, each on a thread of its own, at once.
void at_once(int count, const std::function<void(int)>& work);

}  // namespace gateleg::model

#include "app/backend.h"

#include <chrono>
#include <stdexcept>

#include "app/memory_limit.h"
#include "app/remote_store.h"
#include "base/log.h"
#include "emulate/emulated_aws.h"
#include "engine/engine.h"
#include "model/check.h"
#include "remote/polled_changes.h"
#include "remote/remote_dynamo.h"

namespace gateleg::app {
namespace {

storage::StoreOptions store_options(const Config& config, std::atomic<bool>& failed) {
    storage::StoreOptions options;
    options.directory = config.data;
    options.in_memory = config.memory;
    options.durability = config.durability;
    options.block_cache_bytes = config.cache_megabytes != 0 ? config.cache_megabytes << 20
                                                            : block_cache_bytes(memory_limit());
    options.accept_data_loss = config.accept_data_loss;
    options.on_failed = [&failed](const std::string& reason) {
        log_error("the store has failed; no write is accepted any more", {{"reason", reason}});
        failed = true;
    };
    return options;
}

engine::EngineOptions engine_options(const Config& config) {
    constexpr std::chrono::milliseconds kIndexLag{300};
    constexpr std::int64_t kExpiryDelaySeconds = 3600;
    engine::EngineOptions options{.region = config.region, .trust_clock = config.trust_clock};
    if (!config.test_clock) {
        options.uptime = engine::Uptime::of_this_machine();
    }
    if (config.emulate_aws) {
        options.index_lag = kIndexLag;
        options.expiry_delay_seconds = kExpiryDelaySeconds;
    }
    return options;
}

void add_name(std::string& names, const model::Model& model, const std::string& name) {
    names.append(names.empty() ? "" : ", ").append(model.name).append(".").append(name);
}

// Operations that write more than one item, be it their idempotency record.
std::string transactional(const std::vector<model::Runtime*>& runtimes) {
    std::string names;
    for (const auto* runtime : runtimes) {
        for (const auto& operation : runtime->model().operations) {
            if (model::worst_case_actions(runtime->model(), operation) > 1) {
                add_name(names, runtime->model(), operation.name);
            }
        }
    }
    return names;
}

std::string loading(const std::vector<model::Runtime*>& runtimes) {
    std::string names;
    for (const auto* runtime : runtimes) {
        for (const auto& pattern : runtime->model().patterns) {
            if (pattern.load) {
                add_name(names, runtime->model(), pattern.name);
            }
        }
    }
    return names;
}

}  // namespace

struct Backend::Parts {
    std::string name;
    std::atomic<bool> failed = false;
    std::unique_ptr<storage::Store> store;
    std::unique_ptr<engine::Engine> engine;
    std::unique_ptr<emulate::EmulatedAws> emulated;
    std::unique_ptr<remote::RemoteDynamo> remote;
    std::unique_ptr<remote::PolledChanges> polled;  // asks `remote`
    remote::Capabilities capabilities;
};

Backend::Backend(const Config& config, const Clock& clock, const Clock& real_clock)
    : parts_(std::make_unique<Parts>()) {
    parts_->name = config.store;
    if (!has_remote_store(config)) {
        parts_->store = storage::Store::open(store_options(config, parts_->failed));
        parts_->engine =
            std::make_unique<engine::Engine>(*parts_->store, clock, engine_options(config));
        if (config.emulate_aws) {
            parts_->emulated =
                std::make_unique<emulate::EmulatedAws>(*parts_->engine, config.emulation_seed);
            log_warn("emulating AWS: indexes lag, batches and transactions may fail");
        }
        return;
    }
    parts_->remote = std::make_unique<remote::RemoteDynamo>(
        remote_options("--store", config.store, config.region), real_clock
    );
    auto found = parts_->remote->probe();
    if (!found) {
        throw std::runtime_error("--store " + config.store + ": " + found.error().message);
    }
    parts_->capabilities = *std::move(found);
    parts_->polled =
        std::make_unique<remote::PolledChanges>(*parts_->remote, *parts_->remote, real_clock);
    log_info("tables are kept by a remote store", {{"store", config.store}});
}

Backend::~Backend() = default;

dynamo::Dynamo& Backend::dynamo() {
    if (parts_->emulated) {
        return *parts_->emulated;
    }
    if (parts_->engine) {
        return *parts_->engine;
    }
    return *parts_->remote;
}

dynamo::StoreCalls* Backend::store_calls() {
    return parts_->remote.get();
}

dynamo::Streams* Backend::streams() {
    return parts_->engine.get();
}

dynamo::Backups* Backend::backups() {
    return parts_->engine.get();
}

dynamo::TableSettings* Backend::settings() {
    return parts_->engine.get();
}

const storage::Store* Backend::store() const {
    return parts_->store.get();
}

const engine::Engine* Backend::engine() const {
    return parts_->engine.get();
}

const dynamo::PartitionReader* Backend::partitions() const {
    return parts_->engine.get();
}

const dynamo::HotKeyReader* Backend::hot_keys() const {
    return parts_->engine.get();
}

dynamo::ChangeFeed& Backend::changes() {
    if (parts_->engine) {
        return *parts_->engine;
    }
    return *parts_->polled;
}

bool Backend::has_failed() const {
    return parts_->failed;
}

void Backend::require_operations(const std::vector<model::Runtime*>& runtimes) const {
    const auto& can = parts_->capabilities;
    const auto refuse = [&](std::string_view call, const std::string& names) {
        if (!names.empty()) {
            throw ConfigError(
                "--store " + parts_->name + " has no " + std::string(call) +
                ", which these need: " + names
            );
        }
    };
    if (!can.has("TransactWriteItems")) {
        refuse("TransactWriteItems", transactional(runtimes));
    }
    if (!can.has("BatchGetItem")) {
        refuse("BatchGetItem", loading(runtimes));
    }
}

}  // namespace gateleg::app

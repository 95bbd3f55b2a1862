#include "app/data_store.h"

#include <chrono>
#include <optional>
#include <stdexcept>

#include "app/admin_socket.h"
#include "app/config.h"
#include "app/remote_store.h"
#include "engine/engine.h"
#include "remote/remote_dynamo.h"
#include "storage/store.h"

namespace gateleg::app {
namespace {

// A command can wait longer than a caller of the API.
constexpr std::chrono::seconds kPatience{60};

remote::RemoteOptions socket_options(const AdminSocket& socket) {
    remote::RemoteOptions options;
    options.store = remote::at_unix_socket(socket.path());
    options.credentials.access_key_id = "local";
    options.credentials.secret_access_key = "local";
    options.deadline = kPatience;
    return options;
}

}  // namespace

struct DataStore::Parts {
    std::string name;
    std::optional<AdminSocket> socket;
    std::unique_ptr<storage::Store> store;
    std::unique_ptr<engine::Engine> engine;
    std::unique_ptr<remote::RemoteDynamo> remote;

    void open_endpoint(const DataLocation& location, const Clock& clock) {
        auto options = remote_options("--endpoint", location.endpoint, location.region);
        options.deadline = kPatience;
        name = location.endpoint;
        remote = std::make_unique<remote::RemoteDynamo>(std::move(options), clock);
    }

    void open_directory(const DataLocation& location, bool in_memory, const Clock& clock) {
        name = location.data.string();
        store = storage::Store::open({.directory = location.data, .in_memory = in_memory});
        engine = std::make_unique<engine::Engine>(
            *store, clock, engine::EngineOptions{.region = location.region}
        );
    }
};

DataStore::DataStore(const DataLocation& location, WhenMissing when_missing, const Clock& clock)
    : parts_(std::make_unique<Parts>()) {
    if (!location.endpoint.empty()) {
        parts_->open_endpoint(location, clock);
        return;
    }
    const bool missing = !std::filesystem::exists(location.data);
    if (missing && when_missing == WhenMissing::kRefuse) {
        throw ConfigError(
            location.data.string() +
            ": no such directory; --data names the one that `gateleg serve` uses"
        );
    }
    if (!missing) {
        parts_->socket.emplace(location.data);
        if (parts_->socket->answers()) {
            parts_->name = "the server of " + location.data.string();
            parts_->remote =
                std::make_unique<remote::RemoteDynamo>(socket_options(*parts_->socket), clock);
            return;
        }
    }
    parts_->open_directory(location, missing && when_missing == WhenMissing::kPretend, clock);
}

DataStore::~DataStore() = default;

dynamo::Dynamo& DataStore::dynamo() {
    if (parts_->engine) {
        return *parts_->engine;
    }
    return *parts_->remote;
}

const std::string& DataStore::name() const {
    return parts_->name;
}

}  // namespace gateleg::app

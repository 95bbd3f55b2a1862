#include "app/systems.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/model_file.h"
#include "app/table_setup.h"
#include "base/log.h"
#include "jobs/providers.h"
#include "model/demo.h"
#include "model/load.h"
#include "model/surface.h"
#include "systems/registry.h"

namespace gateleg::app {
namespace {

constexpr std::size_t kSecretBytes = 32;

// One that is built in was checked when it was built; with another catalogue it is another model.
std::unique_ptr<model::Model> load(const Systems::Source& source) {
    if (source.system != nullptr && source.catalog.empty()) {
        return load_built_in(*source.system);
    }
    const bool from_text = source.system != nullptr || !source.catalog.empty();
    return load_checked_model(
        source.file,
        from_text ? std::optional(std::string(source.model_text())) : std::nullopt,
        source.catalog
    );
}

std::vector<Systems::Source> sources_of(const Config& config) {
    std::vector<Systems::Source> sources;
    for (const auto& name : config.systems) {
        const auto* files = systems::find_system(name);
        if (files == nullptr) {
            std::string known;
            for (const auto& one : systems::built_in_systems()) {
                known.append(known.empty() ? "" : ", ").append(one.name);
            }
            throw ConfigError("--systems: there is no system '" + name + "'; there are " + known);
        }
        sources.push_back({.file = "systems/" + name + "/model.yaml", .system = files});
    }
    for (const auto& file : config.models) {
        sources.push_back({.file = file, .text = model::read_model_text(file).value_or("")});
    }
    return sources;
}

std::string read_beside(const std::string& file, const char* name) {
    const auto path = std::filesystem::path(file).parent_path() / name;
    return model::read_model_text(path.string()).value_or("");
}

// Each catalogue names its system; that of the only system need not.
void use_catalogs(const Config& config, std::vector<Systems::Source>& sources) {
    for (const auto& file : config.catalogs) {
        const auto text = model::read_model_text(file);
        if (!text) {
            throw ConfigError("--catalog " + file + " cannot be read");
        }
        const auto name = model::catalog_system(*text);
        const auto found = std::find_if(sources.begin(), sources.end(), [&](const auto& source) {
            return name.empty() ? sources.size() == 1
                                : source.file == "systems/" + name + "/model.yaml" ||
                                      source.file.find("/" + name + "/") != std::string::npos;
        });
        if (found == sources.end()) {
            throw ConfigError(
                "--catalog " + file +
                ": begin it with `system: NAME`, the name of a system that "
                "is served"
            );
        }
        found->catalog = *text;
    }
}

std::optional<std::string> read_setting(const std::string& name) {
    const char* found = std::getenv(name.c_str());
    return found != nullptr ? std::optional<std::string>(found) : std::nullopt;
}

std::string random_secret() {
    std::string bytes(kSecretBytes, '\0');
    if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), kSecretBytes) != 1) {
        throw std::runtime_error("the system gives no random bytes");
    }
    return bytes;
}

// All of it and on the disk, or an exception: the name appears when the content is there.
void write_secret(const std::string& path, const std::string& secret) {
    const auto fresh = path + ".new";
    const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const bool written =
        file >= 0 &&
        ::write(file, secret.data(), secret.size()) == static_cast<ssize_t>(secret.size()) &&
        ::fsync(file) == 0 && ::rename(fresh.c_str(), path.c_str()) == 0;
    const auto reason = std::string(std::strerror(errno));
    if (file >= 0) {
        ::close(file);
    }
    if (!written) {
        throw std::runtime_error(path + " cannot be written: " + reason);
    }
}

}  // namespace

struct ModelLoading::Parts {
    explicit Parts(std::vector<Systems::Source> the_sources)
        : sources(std::move(the_sources)), models(sources.size()), order(sources.size()) {
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [this](std::size_t left, std::size_t right) {
            return sources[left].model_text().size() > sources[right].model_text().size();
        });
    }

    // What is left to do, on each of the threads.
    void work() {
        for (auto at = next++; at < order.size(); at = next++) {
            auto& model = models[order[at]];
            try {
                model.set_value(load(sources[order[at]]));
            } catch (...) {
                model.set_exception(std::current_exception());
            }
        }
    }

    std::vector<Systems::Source> sources;
    std::vector<std::promise<std::unique_ptr<model::Model>>> models;  // in the same order
    std::vector<std::size_t> order;                                   // the longest first
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> threads;
};

ModelLoading::ModelLoading(const Config& config) {
    auto sources = sources_of(config);
    use_catalogs(config, sources);
    parts_ = std::make_unique<Parts>(std::move(sources));
    const auto threads =
        std::min<std::size_t>(parts_->order.size(), std::thread::hardware_concurrency());
    for (std::size_t i = 0; i < std::max<std::size_t>(threads, 1); ++i) {
        parts_->threads.emplace_back([parts = parts_.get()] { parts->work(); });
    }
}

ModelLoading::~ModelLoading() = default;

Systems::Systems(
    const Config& config,
    ModelLoading& loading,
    const std::string& secret,
    dynamo::Dynamo& dynamo,
    const Clock& clock,
    const Clock& real_clock,
    const ObjectHouse& objects
)
    : services_{
          .clock = clock,
          .real_clock = real_clock,
          .secret = secret,
          .test_mode = config.test_clock,
          .setting = read_setting} {
    std::set<std::string> names;
    std::set<std::string> tables;
    for (std::size_t i = 0; i < loading.parts_->sources.size(); ++i) {
        auto& source = loading.parts_->sources[i];
        auto model = loading.parts_->models[i].get_future().get();
        if (!names.insert(model->name).second || !tables.insert(model->table.name).second) {
            throw ConfigError(
                source.file + ": another model has the name " + model->name + " or the table " +
                model->table.name
            );
        }
        if (source.system == nullptr && source.catalog.empty()) {
            source.catalog = read_beside(source.file, "catalog.yaml");  // which load() used
        }
        systems_.push_back({std::move(source), std::move(model), nullptr});
    }
    // Each change of a table waits for the disk; meanwhile there is enough to compute.
    auto prepared = std::async(std::launch::async, [&] {
        for (const auto& system : systems_) {
            prepare_table(*system.model, config, dynamo);
        }
    });
    for (auto& system : systems_) {
        const auto& name = system.model->name;
        system.runtime = std::make_unique<model::Runtime>(
            *system.model, dynamo, clock, model::RuntimeOptions{.secret = secret}
        );
        services_.runtimes[name] = system.runtime.get();
        if (auto* bucket = objects.find(name)) {
            services_.buckets[name] = bucket;
        }
    }
    installed_ = systems::install_systems(services_);
    for (const auto& system : systems_) {
        const auto missing = system.runtime->missing_natives();
        if (!missing.empty()) {
            throw ConfigError(
                system.model->file + ": this binary has no code for the native operation " +
                missing.front()
            );
        }
    }
    sessions_ = systems::make_session_source(services_);
    prepared.get();
    for (const auto& system : systems_) {
        log_info(
            "serving a model",
            {{"model", system.model->name},
             {"path", model::base_path(*system.model)},
             {"table", system.model->table.name}}
        );
    }
    if (config.demo) {
        load_demos();
    }
}

void Systems::load_demos() {
    for (const auto& system : systems_) {
        const auto beside = system.source.system == nullptr
                                ? read_beside(system.source.file, "demo.yaml")
                                : std::string(system.source.system->demo);
        const auto filled = system.runtime->has_items();
        if (beside.empty() || !filled || *filled) {
            continue;  // what is there is not a demo's to change
        }
        const auto loaded = model::load_demo(beside, *system.runtime);
        if (!loaded) {
            throw ConfigError(
                "--demo: the demo of " + system.model->name +
                " cannot be loaded: " + loaded.error().message
            );
        }
        log_info("demo loaded", {{"model", system.model->name}, {"calls", *loaded}});
    }
}

std::string_view Systems::Source::model_text() const {
    return system != nullptr ? system->model : std::string_view(text);
}

std::string_view Systems::Source::catalog_text() const {
    return system != nullptr && catalog.empty() ? system->catalog : std::string_view(catalog);
}

Systems::~Systems() = default;

std::vector<model::Runtime*> Systems::runtimes() const {
    std::vector<model::Runtime*> all;
    for (const auto& system : systems_) {
        all.push_back(system.runtime.get());
    }
    return all;
}

std::vector<Systems::Text> Systems::texts() const {
    std::vector<Text> all;
    for (const auto& system : systems_) {
        all.push_back({system.source.model_text(), system.source.catalog_text()});
    }
    return all;
}

void Systems::add_calls(jobs::Deliveries& deliveries) const {
    // What a story's generation has reserved lies in another table: the end of it is a row.
    if (auto* membership = services_.find("membership")) {
        jobs::add_system_call(
            deliveries, "stories", "settle-credits", *membership, "settleReservation"
        );
        jobs::add_system_call(
            deliveries, "stories", "release-credits", *membership, "releaseReservation"
        );
    }
}

std::string load_server_secret(const Config& config) {
    if (config.memory || !has_systems(config)) {
        return random_secret();
    }
    const auto path = config.data / "server-secret";
    std::ifstream file(path, std::ios::binary);
    std::string secret(kSecretBytes + 1, '\0');
    if (file) {
        file.read(secret.data(), static_cast<std::streamsize>(secret.size()));
        secret.resize(static_cast<std::size_t>(file.gcount()));
        if (secret.size() != kSecretBytes) {
            throw ConfigError(
                path.string() +
                " does not hold 32 bytes: restore it, or delete it and give up "
                "the cursors that were signed with it"
            );
        }
        return secret;
    }
    if (has_remote_store(config) && !std::filesystem::exists(config.data)) {
        // With the embedded store the directory is there by now.
        std::filesystem::create_directories(config.data);
        std::filesystem::permissions(config.data, std::filesystem::perms::owner_all);
    }
    secret = random_secret();
    write_secret(path.string(), secret);
    return secret;
}

}  // namespace gateleg::app

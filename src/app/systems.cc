#include "app/systems.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <set>
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

// One model to serve, before it is read.
struct Source {
    std::string file;     // of --model, or "systems/<name>/model.yaml" of one that is built in
    std::string text;     // of one that is built in
    std::string catalog;  // replaces the one beside it
    std::string demo;
    bool built_in = false;
};

std::unique_ptr<model::Model> load(const Source& source) {
    const bool from_text = source.built_in || !source.catalog.empty();
    return load_checked_model(
        source.file, from_text ? std::optional(source.text) : std::nullopt, source.catalog
    );
}

std::vector<Source> sources_of(const Config& config) {
    std::vector<Source> sources;
    for (const auto& name : config.systems) {
        const auto* files = systems::find_system(name);
        if (files == nullptr) {
            std::string known;
            for (const auto& one : systems::built_in_systems()) {
                known.append(known.empty() ? "" : ", ").append(one.name);
            }
            throw ConfigError("--systems: there is no system '" + name + "'; there are " + known);
        }
        sources.push_back(
            {"systems/" + name + "/model.yaml",
             std::string(files->model),
             std::string(files->catalog),
             std::string(files->demo),
             true}
        );
    }
    for (const auto& file : config.models) {
        const auto beside = std::filesystem::path(file).parent_path() / "demo.yaml";
        sources.push_back(
            {file,
             model::read_model_text(file).value_or(""),
             "",
             model::read_model_text(beside.string()).value_or(""),
             false}
        );
    }
    return sources;
}

// What load() used: the one given, else that beside the file.
std::string catalog_of(const Source& source) {
    if (source.built_in || !source.catalog.empty()) {
        return source.catalog;
    }
    const auto beside = std::filesystem::path(source.file).parent_path() / "catalog.yaml";
    return model::read_model_text(beside.string()).value_or("");
}

// Each catalogue names its system; that of the only system need not.
void use_catalogs(const Config& config, std::vector<Source>& sources) {
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
    std::vector<Source> sources;
    std::vector<std::future<std::unique_ptr<model::Model>>> models;  // in the same order
};

ModelLoading::ModelLoading(const Config& config)
    : parts_(std::make_unique<Parts>(Parts{.sources = sources_of(config), .models = {}})) {
    use_catalogs(config, parts_->sources);
    for (const auto& source : parts_->sources) {
        parts_->models.push_back(std::async(std::launch::async, [&source] { return load(source); })
        );
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
    const auto& sources = loading.parts_->sources;
    std::set<std::string> names;
    std::set<std::string> tables;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto& source = sources[i];
        auto model = loading.parts_->models[i].get();
        if (!names.insert(model->name).second || !tables.insert(model->table.name).second) {
            throw ConfigError(
                source.file + ": another model has the name " + model->name + " or the table " +
                model->table.name
            );
        }
        auto runtime = std::make_unique<model::Runtime>(
            *model, dynamo, clock, model::RuntimeOptions{.secret = secret}
        );
        prepare_table(*model, config, dynamo);
        log_info(
            "serving a model",
            {{"model", model->name},
             {"path", model::base_path(*model)},
             {"table", model->table.name}}
        );
        services_.runtimes[model->name] = runtime.get();
        if (auto* bucket = objects.find(model->name)) {
            services_.buckets[model->name] = bucket;
        }
        systems_.push_back({std::move(model), std::move(runtime)});
        texts_.push_back({source.text, catalog_of(source)});
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
    if (config.demo) {
        std::vector<std::string> demos;
        for (const auto& source : sources) {
            demos.push_back(source.demo);
        }
        load_demos(demos);
    }
}

void Systems::load_demos(const std::vector<std::string>& texts) {
    for (std::size_t i = 0; i < systems_.size(); ++i) {
        const auto filled = systems_[i].runtime->has_items();
        if (texts[i].empty() || !filled || *filled) {
            continue;  // what is there is not a demo's to change
        }
        const auto loaded = model::load_demo(texts[i], *systems_[i].runtime);
        if (!loaded) {
            throw ConfigError(
                "--demo: the demo of " + systems_[i].model->name +
                " cannot be loaded: " + loaded.error().message
            );
        }
        log_info("demo loaded", {{"model", systems_[i].model->name}, {"calls", *loaded}});
    }
}

Systems::~Systems() = default;

std::vector<model::Runtime*> Systems::runtimes() const {
    std::vector<model::Runtime*> all;
    for (const auto& system : systems_) {
        all.push_back(system.runtime.get());
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

#include "app/systems.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>

#include <fcntl.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/table_setup.h"
#include "base/log.h"
#include "model/check.h"
#include "model/load.h"
#include "model/surface.h"

namespace gateleg::app {
namespace {

constexpr std::size_t kSecretBytes = 32;

std::unique_ptr<model::Model> load(const std::string& file) {
    model::Diagnostics diagnostics(file);
    auto loaded = model::load_model_file(file, diagnostics);
    if (loaded && !diagnostics.has_errors()) {
        model::check_model(*loaded, diagnostics);
    }
    if (loaded && !diagnostics.has_errors()) {
        return loaded;
    }
    model::Diagnostics errors(file);
    for (const auto& found : diagnostics.sorted()) {
        if (found.severity == model::Severity::kError) {
            errors.error(found.id, found.position, found.message, found.suggestion);
        }
    }
    throw ConfigError("--model " + file + " cannot be used:\n" + errors.to_text());
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

Systems::Systems(
    const Config& config, const std::string& secret, dynamo::Dynamo& dynamo, const Clock& clock
) {
    std::set<std::string> names;
    std::set<std::string> tables;
    for (const auto& file : config.models) {
        auto model = load(file);
        if (!names.insert(model->name).second || !tables.insert(model->table.name).second) {
            throw ConfigError(
                "--model " + file + ": another model has the name " + model->name +
                " or the table " + model->table.name
            );
        }
        auto runtime = std::make_unique<model::Runtime>(
            *model, dynamo, clock, model::RuntimeOptions{.secret = secret}
        );
        prepare_table(*model, *runtime, dynamo);
        log_info(
            "serving a model",
            {{"model", model->name},
             {"path", model::base_path(*model)},
             {"table", model->table.name}}
        );
        systems_.push_back({std::move(model), std::move(runtime)});
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

std::string load_server_secret(const Config& config) {
    if (config.memory || config.models.empty()) {
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
    secret = random_secret();
    write_secret(path.string(), secret);
    return secret;
}

}  // namespace gateleg::app

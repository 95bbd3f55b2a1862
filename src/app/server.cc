#include "app/server.h"

#include <chrono>
#include <optional>
#include <stdexcept>
#include <thread>

#include "api/admin/face.h"
#include "api/console/face.h"
#include "api/console/link_face.h"
#include "api/dynamodb/face.h"
#include "api/events/hub.h"
#include "api/http_face.h"
#include "api/rest/face.h"
#include "api/s3/face.h"
#include "app/admin_socket.h"
#include "app/backend.h"
#include "app/data_copy.h"
#include "app/keys.h"
#include "app/memory_limit.h"
#include "app/object_house.h"
#include "app/observation.h"
#include "app/systems.h"
#include "app/transfer_jobs.h"
#include "auth/jwt.h"
#include "auth/key_ring.h"
#include "base/clock.h"
#include "base/log.h"
#include "http/server.h"
#include "jobs/background.h"
#include "jobs/providers.h"
#include "outbound/client.h"

namespace gateleg::app {
namespace {

constexpr std::chrono::seconds kDrainPatience{10};

std::unique_ptr<auth::KeyRing> load_keys(const Config& config) {
    auto loaded = auth::KeyRing::open(
        {.credentials = config.credentials,
         .directory = config.memory ? std::filesystem::path() : config.data,
         .master_key = config.key_file.empty() ? auth::default_master_key_file() : config.key_file}
    );
    if (!loaded) {
        throw ConfigError(loaded.error().message);
    }
    if (const auto gate = (*loaded)->gate()) {
        log_info(
            "signatures are asked for on the DynamoDB and S3 APIs; only known keys may call",
            {{"keys", gate->size()}}
        );
    }
    return *std::move(loaded);
}

auth::JwtVerifier load_tokens(const Config& config) {
    constexpr std::size_t kShortSecret = 32;
    auth::JwtVerifier tokens;
    if (!config.jwt_secret.empty()) {
        if (config.jwt_secret.size() < kShortSecret) {
            log_warn("GATELEG_JWT_SECRET has less than 32 bytes: it can be guessed");
        }
        static_cast<void>(tokens.use_secret(config.jwt_secret));
    }
    if (config.jwks) {
        if (const auto used = tokens.use_key_set_file(*config.jwks); !used) {
            throw ConfigError("--jwks " + used.error().message);
        }
    }
    if (has_systems(config) && !tokens.accepts_any()) {
        log_warn("nobody can sign in: set GATELEG_JWT_SECRET or give --jwks FILE");
    }
    return tokens;
}

jobs::Config load_deliveries() {
    auto loaded = jobs::Config::parse(jobs::Config::environment());
    if (!loaded) {
        throw ConfigError(loaded.error().message);
    }
    return *std::move(loaded);
}

std::optional<http::TlsFiles> tls_files(const Config& config) {
    if (!config.tls_certificate) {
        return std::nullopt;
    }
    return http::TlsFiles{*config.tls_certificate, *config.tls_key};
}

http::HostPolicy host_policy(const Config& config) {
    return {.hosts = config.hosts, .origins = config.origins};
}

std::size_t thread_count(const Config& config) {
    return config.threads != 0 ? config.threads
                               : std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

http::Limits limits(const Config& config) {
    http::Limits limits;
    limits.max_connections = config.max_connections;
    limits.max_connections_per_address = config.max_connections_per_address;
    limits.body_pool_bytes = body_pool_bytes(memory_limit());
    return limits;
}

std::string url_of(const http::ListeningAddress& address, bool tls) {
    const bool six = address.host.find(':') != std::string::npos;
    return (tls ? "https://" : "http://") + (six ? "[" + address.host + "]" : address.host) + ":" +
           std::to_string(address.port);
}

// An address that means all of them is reached from here by the loopback one.
std::string reachable(std::string url) {
    for (const auto& [all, one] :
         {std::pair("//0.0.0.0:", "//127.0.0.1:"), std::pair("//[::]:", "//[::1]:")}) {
        if (const auto at = url.find(all); at != std::string::npos) {
            url.replace(at, std::string_view(all).size(), one);
        }
    }
    return url;
}

}  // namespace

// In the order of construction; destruction runs backwards, so requests stop before the engine and
// the engine before the store.
struct Server::Parts {
    explicit Parts(const Config& config)
        : loading(config),
          backend(config, clock(config), system_clock),
          keys(load_keys(config)),
          transfers(
              backend.dynamo(),
              backend.settings(),
              clock(config),
              config.memory ? std::nullopt : std::optional(config.data)
          ),
          observation(
              config,
              backend,
              system_clock,
              [this] { return server.connection_count(); },
              [this] { return events ? events->count() : 0; }
          ),
          dynamodb(
              backend.dynamo(),
              system_clock,
              {.keys = keys.get(),
               .region = config.region,
               .hosts = host_policy(config),
               .streams = backend.streams(),
               .backups = backend.backups(),
               .settings = backend.settings(),
               .like_dynamodb_local = config.like_dynamodb_local,
               .transfers = backend.settings() != nullptr ? &transfers : nullptr,
               .store = backend.store_calls()}
          ),
          // The permissions of the socket's file decide who may call.
          commands(
              backend.dynamo(),
              system_clock,
              {.region = config.region,
               .streams = backend.streams(),
               .backups = backend.backups(),
               .settings = backend.settings(),
               .store = backend.store_calls()}
          ),
          copies(commands, backend.store(), config.data),
          links(copies, [this] { return console_link(); }),
          deliveries(load_deliveries()),
          outbound({.allow = deliveries.allow}),
          tokens(load_tokens(config)),
          secret(load_server_secret(config)),
          objects(config, clock(config), outbound),
          systems(config, loading, secret, backend.dynamo(), clock(config), system_clock, objects),
          background(
              systems.runtimes(),
              deliveries,
              outbound,
              system_clock,
              {.only_server = !has_remote_store(config), .schedules = !config.test_clock}
          ),
          operators(system_clock, has_remote_store(config)),
          gate(operators, host_policy(config)),
          events(config.http ? std::make_unique<api::events::Hub>(backend.changes()) : nullptr),
          console(
              config.http && config.console
                  ? std::make_unique<api::console::Face>(
                        console_context(config), operators, gate, host_policy(config)
                    )
                  : nullptr
          ),
          rest(
              systems.runtimes(),
              tokens,
              system_clock,
              {.hosts = host_policy(config),
               .viewer_salt = secret,
               .sessions = has_systems(config) ? &systems.sessions() : nullptr,
               .console = console ? &gate : nullptr,
               .events = events.get(),
               .dynamo = &backend.dynamo(),
               .explain_to_all = config.test_clock,
               .reads_at_once = backend.streams() != nullptr}
          ),
          admin(
              [this, durability = config.durability] { return health(durability); },
              {.render = [this] { return observation.render(); },
               .open = config.http && is_loopback(*config.http),
               .token = config.metrics_token},
              config.test_clock ? &test_clock : nullptr,
              host_policy(config)
          ),
          http_face(admin, rest, console.get()),
          s3(config.s3 ? std::make_unique<api::s3::Face>(
                             *objects.store(),
                             system_clock,
                             clock(config),
                             api::s3::FaceOptions{
                                 .keys = keys.get(),
                                 .anonymous = config.anonymous,
                                 .region = config.region,
                                 .hosts = host_policy(config)}
                         )
                       : nullptr),
          measured_dynamodb(metrics::Face::kDynamoDb, dynamodb, observation.meters()),
          measured_http(metrics::Face::kHttp, http_face, observation.meters()),
          server(thread_count(config), limits(config)) {
        if (s3) {
            measured_s3.emplace(metrics::Face::kS3, *s3, observation.meters());
        }
        backend.require_operations(systems.runtimes());
        for (const auto* runtime : systems.runtimes()) {
            const auto& name = runtime->model().name;
            if (auto* bucket = objects.find(name)) {
                jobs::add_object_deliveries(background.deliveries(), name, *bucket);
            }
        }
        systems.add_calls(background.deliveries());
    }

    ~Parts() {
        observation.history().stop();
        transfers.stop();
    }

    const Clock& clock(const Config& config) const {
        return config.test_clock ? static_cast<const Clock&>(test_clock) : system_clock;
    }

    api::admin::Health health(storage::Durability durability) const {
        const auto* store = backend.store();
        if (store == nullptr) {
            return {.ok = true, .accepts_writes = true, .reason = "", .durability = "remote"};
        }
        const auto state = store->health();
        return {
            .ok = state == storage::Health::kOk,
            .accepts_writes = state != storage::Health::kFailed,
            .reason = store->health_reason(),
            .durability = durability == storage::Durability::kFsync ? "fsync" : "process",
        };
    }

    api::console::Context console_context(const Config& config) {
        api::console::Context context{
            .dynamo = backend.dynamo(),
            .partitions = backend.partitions(),
            .hot_keys = backend.hot_keys(),
            .streams = backend.streams(),
            .backups = backend.backups(),
            .events = events.get(),
            .accounts = has_systems(config) ? &systems.sessions() : nullptr,
            .objects = objects.store(),
            .keys = keys.get(),
            .requests = observation.meters().requests,
            .history = observation.history(),
            .real_clock = system_clock,
            .clock = clock(config),
            .version = config.version,
            .region = config.region,
            .store = config.store,
            .test_clock = config.test_clock,
            .slow_micros = observation.meters().slow_micros};
        const auto runtimes = systems.runtimes();
        const auto texts = systems.texts();
        for (std::size_t i = 0; i < runtimes.size(); ++i) {
            context.systems.push_back({runtimes[i], texts[i].model, texts[i].catalog});
        }
        return context;
    }

    std::string console_link() {
        return console ? reachable(http_url) + "/_/login?token=" + operators.make_link() : "";
    }

    void listen(
        const Config& config, std::string_view name, const Address& address, http::Handler& handler
    ) {
        const auto bound = server.listen(address.host, address.port, handler, tls_files(config));
        if (!bound) {
            throw ConfigError("--" + std::string(name) + ": " + bound.error().message);
        }
        const auto url = url_of(*bound, config.tls_certificate.has_value());
        faces.append(faces.empty() ? "" : " ").append(name).append("=").append(url);
        if (name == "dynamodb") {
            dynamodb_url = url;
        } else if (name == "s3") {
            s3_url = url;
        } else {
            http_url = url;
        }
    }

    // Commands on this machine call the DynamoDB API through a file in the data directory.
    void listen_for_commands(const Config& config) {
        if (config.memory) {
            return;
        }
        if (std::error_code failure;
            !std::filesystem::exists(config.data, failure) && has_remote_store(config)) {
            std::filesystem::create_directories(config.data, failure);
            std::filesystem::permissions(config.data, std::filesystem::perms::owner_all, failure);
        }
        admin_socket.emplace(config.data);
        if (const auto bound = server.listen_unix(admin_socket->path(), key_calls); !bound) {
            log_warn("commands cannot reach this server", {{"reason", bound.error().message}});
            admin_socket.reset();
        }
    }

    SystemClock system_clock;
    SettableClock test_clock;
    ModelLoading loading;
    Backend backend;
    std::unique_ptr<auth::KeyRing> keys;
    TransferJobs transfers;
    Observation observation;
    api::dynamodb::Face dynamodb;
    api::dynamodb::Face commands;
    CopyFace copies;
    api::console::LinkFace links;
    KeyFace key_calls{links, *keys, system_clock};
    jobs::Config deliveries;
    outbound::Client outbound;
    auth::JwtVerifier tokens;
    std::string secret;
    ObjectHouse objects;
    Systems systems;
    jobs::Background background;
    api::console::Sessions operators;
    api::console::Gate gate;
    // Whoever follows has functions that use what stands above, and its end is told to it by the
    // server, which goes before.
    std::unique_ptr<api::events::Hub> events;
    std::unique_ptr<api::console::Face> console;
    api::rest::Face rest;
    api::admin::Face admin;
    api::HttpFace http_face;
    std::unique_ptr<api::s3::Face> s3;
    api::Measured measured_dynamodb;
    api::Measured measured_http;
    std::optional<api::Measured> measured_s3;
    http::Server server;
    std::optional<AdminSocket> admin_socket;
    std::string faces;
    std::string dynamodb_url;
    std::string http_url;
    std::string s3_url;
};

Server::Server(const Config& config) {
    check(config);
    try {
        parts_ = std::make_unique<Parts>(config);
    } catch (const std::invalid_argument& error) {  // routes of models that cannot be told apart
        throw ConfigError(error.what());
    }
    if (config.dynamodb) {
        parts_->listen(config, "dynamodb", *config.dynamodb, parts_->measured_dynamodb);
    }
    if (config.http) {
        parts_->listen(config, "http", *config.http, parts_->measured_http);
    }
    if (config.s3) {
        parts_->listen(config, "s3", *config.s3, *parts_->measured_s3);
        parts_->objects.set_base_url(parts_->s3_url);
    }
    if (parts_->console) {
        parts_->console->set_urls({parts_->dynamodb_url, parts_->http_url, parts_->s3_url});
    }
    parts_->listen_for_commands(config);
}

Server::~Server() = default;

void Server::start() {
    parts_->transfers.start(parts_->objects.store());
    parts_->server.start();
    parts_->observation.history().start();
    parts_->keys->start_saving();
    parts_->background.start();
}

std::string Server::faces() const {
    return parts_->faces;
}

std::string Server::dynamodb_url() const {
    return parts_->dynamodb_url;
}

std::string Server::s3_url() const {
    return parts_->s3_url;
}

bool Server::asks_for_signatures() const {
    return parts_->keys->gate() != nullptr;
}

std::string Server::console_link() {
    return parts_->console_link();
}

bool Server::has_failed() const {
    return parts_->backend.has_failed();
}

void Server::drain() {
    if (!parts_->server.drain(kDrainPatience)) {
        log_warn("some requests did not end in time and were cut off");
    }
    parts_->observation.history().stop();
    parts_->server.stop();
    parts_->background.stop();
    parts_->transfers.stop();
    if (parts_->admin_socket) {
        parts_->admin_socket->remove();
    }
}

}  // namespace gateleg::app

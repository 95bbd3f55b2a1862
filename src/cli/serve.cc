#include "cli/serve.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <sstream>

#include <sys/resource.h>
#include <unistd.h>

#include "app/config.h"
#include "app/dynamodb_local.h"
#include "app/server.h"
#include "base/log.h"
#include "systems/registry.h"

#ifndef GATELEG_VERSION
#define GATELEG_VERSION "unknown"
#endif

namespace gateleg::cli {
namespace {

// Texts as the user gave them, before they mean anything.
struct ServeArguments {
    app::Config config;
    std::string dynamodb = "127.0.0.1:8000";
    std::string http = "127.0.0.1:8080";
    std::string s3 = "127.0.0.1:9000";
    std::string durability = "fsync";
    std::string systems = "none";
    std::string emulate;
    std::string compat;
    std::string console = "on";
};

void print_ready(app::Server& server) {
    std::printf("gateleg ready %s\n", server.faces().c_str());
    if (const auto link = server.console_link(); !link.empty()) {
        std::printf("console: %s\n", link.c_str());
    }
    if (isatty(STDOUT_FILENO) != 0 && !server.dynamodb_url().empty()) {
        std::printf(
            "\nPaste into another terminal, then use any AWS SDK or the AWS CLI:\n\n"
            "  export AWS_ENDPOINT_URL_DYNAMODB=%s%s%s\n"
            "  export AWS_REGION=us-east-1 AWS_DEFAULT_REGION=us-east-1\n"
            "%s\n"
            "Old versions of the AWS CLI take: --endpoint-url %s\n"
            "Ctrl-C stops the server.\n\n",
            server.dynamodb_url().c_str(),
            server.s3_url().empty() ? "" : " AWS_ENDPOINT_URL_S3=",
            server.s3_url().c_str(),
            server.asks_for_signatures()
                ? "  export AWS_ACCESS_KEY_ID=... AWS_SECRET_ACCESS_KEY=...   # of `gateleg keys "
                  "create`, or of --credentials\n"
                : "  export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local\n",
            server.dynamodb_url().c_str()
        );
    }
    std::fflush(stdout);
}

// SIGINT and SIGTERM are blocked in every thread and taken here. A store that has failed ends the
// wait as well; it is looked at once a second.
int wait_for_end(const app::Server& server, const sigset_t& signals) {
    for (;;) {
        const timespec second{1, 0};
        if (sigtimedwait(&signals, nullptr, &second) > 0) {
            return 0;
        }
        if (server.has_failed()) {
            return 1;
        }
    }
}

// Shells start programs with room for about a thousand connections; more may be had for asking.
void use_all_descriptors() {
    rlimit descriptors{};
    if (getrlimit(RLIMIT_NOFILE, &descriptors) == 0) {
        descriptors.rlim_cur = descriptors.rlim_max;
        static_cast<void>(setrlimit(RLIMIT_NOFILE, &descriptors));
    }
}

int serve(const app::Config& config) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    use_all_descriptors();

    if (config.like_dynamodb_local) {
        std::fputs(app::dynamodb_local_banner(config).c_str(), stdout);
        std::fflush(stdout);
    }
    app::Server server(config);
    server.start();
    print_ready(server);
    const int exit_code = wait_for_end(server, signals);
    log_info("stopping");
    server.drain();
    return exit_code;
}

// "gallery,stories", all or none.
std::vector<std::string> system_names(const std::string& list) {
    std::vector<std::string> names;
    if (list == "all") {
        for (const auto& files : systems::built_in_systems()) {
            names.emplace_back(files.name);
        }
    } else if (list != "none") {
        std::stringstream text(list);
        for (std::string name; std::getline(text, name, ',');) {
            names.push_back(name);
        }
    }
    return names;
}

app::Config finish(const ServeArguments& arguments) {
    auto config = arguments.config;
    config.dynamodb = app::parse_address(arguments.dynamodb);
    config.http = app::parse_address(arguments.http);
    config.s3 = app::parse_address(arguments.s3);
    if (app::has_remote_store(config) && !app::asks_for_signatures(config) &&
        (config.dynamodb || config.s3)) {
        log_info(
            "the DynamoDB and S3 APIs are off: with a remote store they need a key of `gateleg "
            "keys "
            "create`, or --credentials"
        );
        config.dynamodb.reset();
        config.s3.reset();
    }
    config.durability = arguments.durability == "process" ? storage::Durability::kProcess
                                                          : storage::Durability::kFsync;
    config.systems = system_names(arguments.systems);
    config.emulate_aws = arguments.emulate == "aws";
    config.like_dynamodb_local = arguments.compat == "dynamodb-local";
    // From the environment: a command line can be read by other users of the machine.
    if (const char* secret = std::getenv("GATELEG_JWT_SECRET")) {
        config.jwt_secret = secret;
    }
    if (const char* token = std::getenv("GATELEG_METRICS_TOKEN")) {
        config.metrics_token = token;
    }
    config.console = arguments.console == "on";
    config.version = GATELEG_VERSION;
    return config;
}

}  // namespace

void add_serve(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("serve", "Run the server until Ctrl-C or SIGTERM");
    const auto arguments = std::make_shared<ServeArguments>();
    auto& config = arguments->config;
    auto* data =
        command
            ->add_option(
                "--data", config.data, "Directory that holds everything; made if it is not there"
            )
            ->type_name("DIR")
            ->capture_default_str();
    command->add_flag("--memory", config.memory, "Keep everything in memory, for tests")
        ->excludes(data);
    command
        ->add_option(
            "--dynamodb", arguments->dynamodb, "Address of the DynamoDB API; port 0 picks one"
        )
        ->type_name("HOST:PORT|off")
        ->capture_default_str();
    command
        ->add_option(
            "--store",
            config.store,
            "Where the tables are: embedded, or another service, whose tables `gateleg apply` "
            "makes. "
            "Keys to it come from the environment, as for the AWS SDKs; --data then holds this "
            "server's secret only, and the DynamoDB API is off without keys"
        )
        ->type_name("embedded|dynamodb://REGION|http(s)://HOST:PORT")
        ->capture_default_str();
    command
        ->add_option(
            "--systems",
            arguments->systems,
            "Built-in systems to serve under /v1: figureforge, gallery, membership, moderation, "
            "stories"
        )
        ->type_name("LIST|all|none")
        ->capture_default_str();
    command->add_flag(
        "--demo", config.demo, "Load the example data (demo.yaml) of the systems that are served"
    );
    command
        ->add_option(
            "--catalog",
            config.catalogs,
            "Prices, quotas and costs in place of a system's own (its first line is `system: "
            "NAME`); may be repeated"
        )
        ->type_name("FILE");
    command
        ->add_option(
            "--model",
            config.models,
            "Model file to serve under /v1, its table made if it is missing; may be repeated"
        )
        ->type_name("FILE");
    command
        ->add_option(
            "--jwks",
            config.jwks,
            "Public keys (JWK set) of tokens that sign in users of the models; GATELEG_JWT_SECRET "
            "in the environment is the secret of HS256 tokens"
        )
        ->type_name("FILE");
    command
        ->add_option(
            "--http", arguments->http, "Address of the console, /v1, /docs, /healthz and /metrics"
        )
        ->type_name("HOST:PORT|off")
        ->capture_default_str();
    command
        ->add_option(
            "--console",
            arguments->console,
            "The console at / of --http; a link that signs in once is printed at start"
        )
        ->check(CLI::IsMember({"on", "off"}))
        ->capture_default_str();
    command
        ->add_option("--slow-ms", config.slow_millis, "Log requests that take as long; 0 logs none")
        ->type_name("MS")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{3'600'000}))
        ->capture_default_str();
    command->add_option("--s3", arguments->s3, "Address of the S3 API")
        ->type_name("HOST:PORT|off")
        ->capture_default_str();
    command
        ->add_option(
            "--durability",
            arguments->durability,
            "When a write is acknowledged: fsync, when it is on the disk; process, when the kernel "
            "has it (survives kill -9, not a power cut)"
        )
        ->check(CLI::IsMember({"fsync", "process"}))
        ->capture_default_str();
    command
        ->add_option(
            "--credentials",
            config.credentials,
            "AWS credentials file with keys that may call, beside those of `gateleg keys`; while "
            "there "
            "are neither, any key may"
        )
        ->type_name("FILE");
    command
        ->add_option(
            "--key-file",
            config.key_file,
            "Master key that opens the keys of `gateleg keys`, outside the data directory "
            "(default: "
            "gateleg/master.key in the user's configuration, else /etc/gateleg/master.key)"
        )
        ->envname("GATELEG_KEY_FILE")
        ->type_name("FILE");
    command->add_option("--region", config.region, "Region that signatures and ARNs name")
        ->capture_default_str();
    command
        ->add_option("--tls-cert", config.tls_certificate, "Certificate (PEM) to serve HTTPS with")
        ->type_name("FILE");
    command->add_option("--tls-key", config.tls_key, "Private key (PEM) of --tls-cert")
        ->type_name("FILE");
    command->add_flag(
        "--insecure", config.insecure, "Allow addresses other than loopback without TLS"
    );
    command->add_flag(
        "--anonymous", config.anonymous, "Allow addresses other than loopback without credentials"
    );
    command
        ->add_option(
            "--host", config.hosts, "Name the server may be called by, beside localhost and IPs"
        )
        ->type_name("NAME");
    command
        ->add_option(
            "--origin", config.origins, "Origin of web pages that may call, beside loopback"
        )
        ->type_name("URL");
    command->add_flag(
        "--test-clock",
        config.test_clock,
        "Let tests set the time: POST /_test/clock on the HTTP face"
    );
    command
        ->add_option(
            "--emulate",
            arguments->emulate,
            "Behave as AWS may, for tests of code that must run there too: indexes lag, expiry is "
            "late, batches leave items unprocessed, transactions conflict"
        )
        ->check(CLI::IsMember({"aws"}));
    command
        ->add_option("--emulate-seed", config.emulation_seed, "What --emulate draws its chances by")
        ->type_name("N")
        ->capture_default_str();
    command
        ->add_option(
            "--compat",
            arguments->compat,
            "Show what scripts around DynamoDB Local wait for: its first lines of output, and 400 "
            "in answer to a GET"
        )
        ->check(CLI::IsMember({"dynamodb-local"}));
    command->add_flag(
        "--accept-data-loss",
        config.accept_data_loss,
        "Open a damaged data directory and go on with what can be read"
    );
    command->add_flag(
        "--trust-clock",
        config.trust_clock,
        "The clock is right although it has jumped: expire items by it at once"
    );
    command->add_option("--threads", config.threads, "I/O threads; 0 is one per core")
        ->type_name("N")
        ->capture_default_str();
    command
        ->add_option(
            "--cache-mb",
            config.cache_megabytes,
            "Block cache in MB; 0 is an eighth of the memory, 256 at most"
        )
        ->type_name("MB")
        ->capture_default_str();
    command
        ->add_option(
            "--max-connections",
            config.max_connections,
            "Beyond it the longest idle connection makes room; 0 is three quarters of the "
            "descriptors that the process may have"
        )
        ->type_name("N")
        ->capture_default_str();
    command
        ->add_option(
            "--max-connections-per-address",
            config.max_connections_per_address,
            "What one client address may have of them; 0 is no bound"
        )
        ->type_name("N")
        ->capture_default_str();
    command->callback([arguments, &exit_code] { exit_code = serve(finish(*arguments)); });
}

}  // namespace gateleg::cli

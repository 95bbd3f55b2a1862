// What `gateleg serve` was asked to do, checked for contradictions.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "storage/store.h"

namespace gateleg::app {

// HOST:PORT of a face that is on.
struct Address {
    std::string host;
    std::uint16_t port = 0;
};

struct Config {
    std::filesystem::path data = "gateleg-data";
    bool memory = false;
    std::optional<Address> dynamodb = Address{"127.0.0.1", 8000};
    std::optional<Address> http = Address{"127.0.0.1", 8080};
    // "embedded", dynamodb://REGION, http://HOST:PORT or https://HOST:PORT.
    std::string store = "embedded";
    std::optional<Address> s3 = Address{"127.0.0.1", 9000};
    storage::Durability durability = storage::Durability::kFsync;
    std::optional<std::filesystem::path> credentials;
    std::filesystem::path key_file = {};  // of the master key; empty: its default place
    std::vector<std::string> systems;     // names of built-in ones
    std::vector<std::string> models;      // files
    std::vector<std::string> catalogs;    // files that replace a system's own
    bool demo = false;                    // load example data
    std::string jwt_secret;               // empty: no token signed with a secret is accepted
    std::optional<std::filesystem::path> jwks;
    std::optional<std::string> tls_certificate;
    std::optional<std::string> tls_key;
    bool insecure = false;
    bool anonymous = false;
    bool test_clock = false;
    bool accept_data_loss = false;
    bool trust_clock = false;
    // Behave as AWS may: late indexes, unprocessed items, conflicts. Drawn from the seed.
    bool emulate_aws = false;
    std::uint64_t emulation_seed = 1;
    // What scripts around DynamoDB Local look for: its first line of output, 400 to a GET.
    bool like_dynamodb_local = false;
    std::string region = "us-east-1";
    std::vector<std::string> hosts;
    std::vector<std::string> origins;
    bool console = true;               // at / of --http
    std::int64_t slow_millis = 1'000;  // requests that take as long are logged; 0: none is
    std::string metrics_token;         // empty: /metrics is for this machine alone
    std::string version = "unknown";
    std::size_t threads = 0;             // 0: one per core
    std::size_t cache_megabytes = 0;     // 0: by the memory that the process may take
    std::size_t max_connections = 4096;  // 0: three quarters of the descriptors
    std::size_t max_connections_per_address = 0;
};

// A configuration that cannot work, or that would be unsafe; main prints it and exits 2.
class ConfigError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// "127.0.0.1:8000", "[::1]:0", ":8000" (loopback) or "off".
std::optional<Address> parse_address(const std::string& text);

bool is_loopback(const Address& address);

// Some system or model is served.
bool has_systems(const Config& config);

// The tables are kept by another service, not in the data directory.
bool has_remote_store(const Config& config);

// Somebody asked for signatures: a credentials file, or a key in the data directory.
bool asks_for_signatures(const Config& config);

// Refuses what no one should run by accident: a face that others can reach without credentials or
// without TLS, unless both were waived by name.
void check(const Config& config);

}  // namespace gateleg::app

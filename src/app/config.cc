#include "app/config.h"

#include <charconv>

#include "auth/key_ring.h"
#include "base/log.h"

namespace gateleg::app {
namespace {

std::string written(const Address& address) {
    return address.host + ":" + std::to_string(address.port);
}

void check_exposed(const Config& config, std::string_view flag, const Address& address) {
    if (is_loopback(address)) {
        return;
    }
    if (!asks_for_signatures(config) && !config.anonymous) {
        throw ConfigError(
            "--" + std::string(flag) + " " + written(address) +
            " can be reached from other machines: make a key with `gateleg keys create`, give "
            "--credentials FILE, or --anonymous to let everybody in"
        );
    }
    if (!config.tls_certificate && !config.insecure) {
        throw ConfigError(
            "--" + std::string(flag) + " " + written(address) +
            " can be reached from other machines: give --tls-cert and --tls-key, or --insecure to "
            "go without TLS"
        );
    }
    if (!asks_for_signatures(config)) {
        log_warn(
            "everybody who reaches this address may read and write", {{"address", written(address)}}
        );
    }
    if (!config.tls_certificate) {
        log_warn("requests to this address travel unencrypted", {{"address", written(address)}});
    }
}

}  // namespace

std::optional<Address> parse_address(const std::string& text) {
    if (text == "off") {
        return std::nullopt;
    }
    const auto colon = text.rfind(':');
    if (colon == std::string::npos) {
        throw ConfigError("'" + text + "' is not an address: write HOST:PORT, or off");
    }
    auto host = text.substr(0, colon);
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    }
    const auto digits = text.substr(colon + 1);
    std::uint16_t port = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (digits.empty() || parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) {
        throw ConfigError("'" + digits + "' in '" + text + "' is not a port: use 0 to 65535");
    }
    return Address{host.empty() ? "127.0.0.1" : host, port};
}

bool is_loopback(const Address& address) {
    return address.host == "localhost" || address.host == "::1" || address.host.starts_with("127.");
}

bool has_systems(const Config& config) {
    return !config.systems.empty() || !config.models.empty();
}

bool has_remote_store(const Config& config) {
    return config.store != "embedded";
}

bool asks_for_signatures(const Config& config) {
    return config.credentials || (!config.memory && auth::has_keys(config.data));
}

void check(const Config& config) {
    if (config.emulate_aws && has_remote_store(config)) {
        throw ConfigError("--emulate aws is for the embedded store: " + config.store + " is real");
    }
    if (!config.dynamodb && !config.http && !config.s3) {
        throw ConfigError("all faces are off: leave at least one on");
    }
    if (config.tls_certificate.has_value() != config.tls_key.has_value()) {
        throw ConfigError("--tls-cert and --tls-key belong together: give both or none");
    }
    if (!config.models.empty() && !config.http) {
        throw ConfigError("--model is served on --http, which is off");
    }
    if (has_remote_store(config) && config.dynamodb && !asks_for_signatures(config)) {
        throw ConfigError(
            "--dynamodb would let everybody use this server's keys to " + config.store +
            ": make a key with `gateleg keys create`, give --credentials FILE, or --dynamodb off"
        );
    }
    if (config.dynamodb) {
        check_exposed(config, "dynamodb", *config.dynamodb);
    }
    if (config.http) {
        check_exposed(config, "http", *config.http);
    }
    if (config.s3) {
        check_exposed(config, "s3", *config.s3);
    }
    const auto is_exposed = [](const std::optional<Address>& address) {
        return address && !is_loopback(*address);
    };
    if (config.test_clock &&
        (is_exposed(config.dynamodb) || is_exposed(config.http) || is_exposed(config.s3))) {
        throw ConfigError("--test-clock lets anybody set the time: it needs loopback addresses");
    }
}

}  // namespace gateleg::app

#include "app/remote_store.h"

#include <cstdlib>
#include <filesystem>

#include "app/config.h"

namespace gateleg::app {
namespace {

bool names_a_source(const remote::CredentialsOptions& credentials) {
    return !credentials.access_key_id.empty() || !credentials.container_relative_uri.empty() ||
           !credentials.container_full_uri.empty() ||
           (!credentials.file.empty() && std::filesystem::exists(credentials.file));
}

}  // namespace

remote::RemoteOptions remote_options(
    const std::string& option, const std::string& store, const std::string& region
) {
    auto address = remote::parse_store(store, region);
    if (!address) {
        throw ConfigError(option + ": " + address.error().message);
    }
    remote::RemoteOptions options;
    options.store = *std::move(address);
    options.credentials = remote::CredentialsOptions::from_environment();
    if (options.store.loopback && !names_a_source(options.credentials)) {
        options.credentials.access_key_id = "local";
        options.credentials.secret_access_key = "local";
    }
    if (const char* trusted = std::getenv("AWS_CA_BUNDLE")) {
        options.ca_file = trusted;
    }
    return options;
}

}  // namespace gateleg::app

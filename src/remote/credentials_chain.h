// Where this server's own AWS credentials come from: given keys, a profile file, the container's
// endpoint or the instance's metadata, in this order, as in the AWS SDKs.

#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "remote/http_client.h"

namespace gateleg::remote {

struct AwsCredentials {
    std::string access_key_id;
    std::string secret_access_key;
    std::string session_token;  // empty for permanent keys
    std::optional<std::int64_t> expires_seconds;
};

struct CredentialsOptions {
    // If these are set, nothing else is looked at.
    std::string access_key_id;
    std::string secret_access_key;
    std::string session_token;

    std::filesystem::path file;  // empty: none
    std::string profile = "default";

    // At most one is set. The full one must be https, or lead to this machine or to one of the
    // link-local addresses that AWS gives to containers.
    std::string container_relative_uri;
    std::string container_full_uri;
    std::string container_token;
    std::filesystem::path container_token_file;

    bool use_instance_metadata = true;
    // AWS defines 169.254.169.254; anything else is for tests.
    std::string metadata_endpoint = "http://169.254.169.254";
    std::string container_endpoint = "http://169.254.170.2";

    // Of each request to an endpoint.
    std::chrono::milliseconds fetch_timeout{2000};

    // AWS_ACCESS_KEY_ID and the others. Meant for start-up: nobody may change the environment
    // meanwhile.
    static CredentialsOptions from_environment();
};

// The profile's keys in the text of a credentials file, or nothing.
std::optional<AwsCredentials> find_profile(std::string_view text, std::string_view profile);

// True if the container's credentials may be fetched from there.
bool is_container_uri_allowed(std::string_view uri);

using CredentialsDone = UniqueFunction<void(Result<AwsCredentials>)>;

// Keeps what it has found and fetches it again before it expires. Thread-safe. The client outlives
// it, but has stopped before it is destroyed.
class CredentialsChain {
public:
    CredentialsChain(HttpClient& client, const Clock& clock, CredentialsOptions options);

    // Calls `done` at once if there are credentials, otherwise when they have been fetched.
    // kAccessDenied: there are none. kServiceUnavailable: they could not be fetched just now.
    void get(CredentialsDone done);

    // The store did not accept these: look again, unless that has happened already.
    void forget(const AwsCredentials& refused);

private:
    // Gives what there is, or keeps `done`. `start` says whether to fetch() now.
    std::optional<AwsCredentials> find_or_wait(CredentialsDone& done, bool& start);
    void fetch();
    std::optional<AwsCredentials> find_in_file() const;
    void fetch_from_container();
    void fetch_from_instance();
    void fetch_role_name(std::string token);
    void fetch_role(const std::string& token, const std::string& role);
    void request(
        std::string method,
        std::string url,
        std::vector<std::string> headers,
        UniqueFunction<void(Result<std::string>)> done
    );
    void take(Result<AwsCredentials> fetched);
    Error none_found(std::string_view why) const;

    HttpClient& client_;
    const Clock& clock_;
    const CredentialsOptions options_;

    std::mutex mutex_;
    std::optional<AwsCredentials> current_;
    bool is_fetching_ = false;
    std::int64_t next_fetch_seconds_ = 0;
    std::vector<CredentialsDone> waiting_;
};

}  // namespace gateleg::remote

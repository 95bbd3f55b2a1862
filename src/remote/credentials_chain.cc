#include "remote/credentials_chain.h"

#include <array>
#include <chrono>
#include <fstream>
#include <sstream>

#include "base/log.h"
#include "remote/internal/credentials_text.h"

namespace gateleg::remote {
namespace {

// Fetched anew this long before they expire, while the old ones are still given out.
constexpr std::int64_t kEarlySeconds = 300;
// Closer to the end than this they are no longer given out: a call may take ten seconds.
constexpr std::int64_t kLastSeconds = 30;
constexpr std::int64_t kPauseAfterFailureSeconds = 5;

constexpr std::uintmax_t kMaxFileBytes = 1 << 20;

std::optional<std::string> read_file(const std::filesystem::path& file) {
    std::error_code failure;
    const auto size = std::filesystem::file_size(file, failure);
    std::ifstream stream(file, std::ios::binary);
    if (failure || !stream || size > kMaxFileBytes) {
        return std::nullopt;
    }
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

}  // namespace

CredentialsChain::CredentialsChain(
    HttpClient& client, const Clock& clock, CredentialsOptions options
)
    : client_(client), clock_(clock), options_(std::move(options)) {}

void CredentialsChain::get(CredentialsDone done) {
    bool start = false;
    auto found = find_or_wait(done, start);
    if (start) {
        fetch();
    }
    if (found) {
        done(*std::move(found));
    }
}

std::optional<AwsCredentials> CredentialsChain::find_or_wait(CredentialsDone& done, bool& start) {
    const auto now = clock_.now_seconds();
    const std::lock_guard lock(mutex_);
    const auto left = current_ && current_->expires_seconds ? *current_->expires_seconds - now
                                                            : kEarlySeconds + 1;
    if (current_ && left > kLastSeconds) {
        start = left <= kEarlySeconds && !is_fetching_ && now >= next_fetch_seconds_;
        is_fetching_ = is_fetching_ || start;
        return current_;
    }
    start = !is_fetching_;
    is_fetching_ = true;
    waiting_.push_back(std::move(done));
    return std::nullopt;
}

void CredentialsChain::forget(const AwsCredentials& refused) {
    const std::lock_guard lock(mutex_);
    if (current_ && current_->access_key_id == refused.access_key_id &&
        current_->session_token == refused.session_token) {
        current_.reset();
    }
}

void CredentialsChain::fetch() {
    if (!options_.access_key_id.empty()) {
        take(AwsCredentials{
            options_.access_key_id, options_.secret_access_key, options_.session_token, {}});
    } else if (auto in_file = find_in_file()) {
        take(*std::move(in_file));
    } else if (!options_.container_relative_uri.empty() || !options_.container_full_uri.empty()) {
        fetch_from_container();
    } else if (options_.use_instance_metadata) {
        fetch_from_instance();
    } else {
        take(none_found("instance metadata is turned off"));
    }
}

std::optional<AwsCredentials> CredentialsChain::find_in_file() const {
    const auto text = options_.file.empty() ? std::nullopt : read_file(options_.file);
    return text ? find_profile(*text, options_.profile) : std::nullopt;
}

void CredentialsChain::fetch_from_container() {
    auto url = options_.container_full_uri;
    if (options_.container_relative_uri.starts_with('/')) {
        url = options_.container_endpoint + options_.container_relative_uri;
    } else if (!is_container_uri_allowed(url)) {
        take(none_found("AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor on this machine"));
        return;
    }
    auto token = options_.container_token;
    if (!options_.container_token_file.empty()) {
        // Read each time: it is replaced while we run.
        token =
            std::string(internal::trimmed(read_file(options_.container_token_file).value_or("")));
    }
    if (token.find_first_of("\r\n") != std::string::npos) {
        take(none_found("the container's authorization token holds a line break"));
        return;
    }
    std::vector<std::string> headers;
    if (!token.empty()) {
        headers.push_back("Authorization: " + token);
    }
    request("GET", std::move(url), std::move(headers), [this](Result<std::string> body) {
        take(body ? internal::parse_credentials_document(*body) : std::move(body).error());
    });
}

void CredentialsChain::fetch_from_instance() {
    request(
        "PUT",
        options_.metadata_endpoint + "/latest/api/token",
        {"X-aws-ec2-metadata-token-ttl-seconds: 21600", "Content-Type:"},
        [this](Result<std::string> token) {
            if (!token) {
                // Not on an instance, most likely.
                take(none_found("instance metadata: " + token.error().message));
            } else if (token->find_first_of("\r\n") != std::string::npos) {
                take(none_found("instance metadata: the token holds a line break"));
            } else {
                fetch_role_name(*std::move(token));
            }
        }
    );
}

void CredentialsChain::fetch_role_name(std::string token) {
    auto url = options_.metadata_endpoint + "/latest/meta-data/iam/security-credentials/";
    std::vector<std::string> headers = {"X-aws-ec2-metadata-token: " + token};
    request(
        "GET",
        std::move(url),
        std::move(headers),
        [this, token = std::move(token)](const Result<std::string>& names) {
            if (!names) {
                take(none_found("instance metadata: " + names.error().message));
                return;
            }
            const auto role =
                internal::trimmed(std::string_view(*names).substr(0, names->find('\n')));
            if (role.empty()) {
                take(none_found("the instance has no role"));
                return;
            }
            fetch_role(token, std::string(role));
        }
    );
}

void CredentialsChain::fetch_role(const std::string& token, const std::string& role) {
    request(
        "GET",
        options_.metadata_endpoint + "/latest/meta-data/iam/security-credentials/" + role,
        {"X-aws-ec2-metadata-token: " + token},
        [this](Result<std::string> body) {
            take(body ? internal::parse_credentials_document(*body) : std::move(body).error());
        }
    );
}

void CredentialsChain::request(
    std::string method,
    std::string url,
    std::vector<std::string> headers,
    UniqueFunction<void(Result<std::string>)> done
) {
    HttpRequest outgoing;
    outgoing.method = std::move(method);
    outgoing.url = std::move(url);
    outgoing.headers = std::move(headers);
    outgoing.deadline = std::chrono::steady_clock::now() + options_.fetch_timeout;
    outgoing.direct = true;
    client_.send(std::move(outgoing), [done = std::move(done)](HttpResult result) mutable {
        if (const auto* failure = std::get_if<HttpFailure>(&result)) {
            // Once the client has stopped nobody should ask again.
            const bool stopped = failure->kind == HttpFailure::Kind::kStopped;
            done(Error{
                stopped ? ErrorCode::kAccessDenied : ErrorCode::kServiceUnavailable,
                "AWS credentials cannot be fetched: " + failure->reason});
            return;
        }
        auto& reply = std::get<HttpReply>(result);
        if (reply.status != 200) {
            done(service_unavailable(
                "AWS credentials cannot be fetched: HTTP status " + std::to_string(reply.status)
            ));
            return;
        }
        done(std::move(reply.body));
    });
}

void CredentialsChain::take(Result<AwsCredentials> fetched) {
    const auto now = clock_.now_seconds();
    std::vector<CredentialsDone> waiting;
    {
        const std::lock_guard lock(mutex_);
        is_fetching_ = false;
        waiting.swap(waiting_);
        if (fetched) {
            current_ = *fetched;
        }
        // Right after a fetch as well as after a failure: some endpoints hand out old ones again.
        next_fetch_seconds_ = now + kPauseAfterFailureSeconds;
        if (!fetched && current_ && current_->expires_seconds.value_or(now + 1) > now) {
            fetched = *current_;
        }
    }
    if (!fetched) {
        log_warn("no AWS credentials", {{"reason", fetched.error().message}});
    }
    for (auto& done : waiting) {
        done(fetched);
    }
}

Error CredentialsChain::none_found(std::string_view why) const {
    std::string message = "no AWS credentials: AWS_ACCESS_KEY_ID is not set, ";
    if (options_.file.empty()) {
        message += "there is no credentials file";
    } else {
        message += options_.file.string() + " has no keys for profile '" + options_.profile + "'";
    }
    return {ErrorCode::kAccessDenied, message + ", and " + std::string(why)};
}

}  // namespace gateleg::remote

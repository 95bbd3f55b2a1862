#include "remote/internal/credentials_text.h"

#include <array>
#include <cstdlib>

#include "base/time_text.h"
#include "remote/internal/reply_reader.h"

namespace gateleg::remote {
namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): start-up only
    return value == nullptr ? std::string() : std::string(value);
}

// "[name]" in the credentials file, "[profile name]" in the other file of the AWS tools.
bool begins_profile(std::string_view line, std::string_view profile) {
    line = internal::trimmed(line.substr(1, line.find(']') - 1));
    if (line == profile) {
        return true;
    }
    constexpr std::string_view kPrefix = "profile ";
    return line.starts_with(kPrefix) && internal::trimmed(line.substr(kPrefix.size())) == profile;
}

void read_setting(std::string_view line, AwsCredentials& credentials) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) {
        return;
    }
    const auto name = internal::trimmed(line.substr(0, equals));
    const auto value = internal::trimmed(line.substr(equals + 1));
    if (name == "aws_access_key_id") {
        credentials.access_key_id = value;
    } else if (name == "aws_secret_access_key") {
        credentials.secret_access_key = value;
    } else if (name == "aws_session_token") {
        credentials.session_token = value;
    }
}

}  // namespace

namespace internal {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n";
    const auto start = text.find_first_not_of(kBlank);
    if (start == std::string_view::npos) {
        return {};
    }
    return text.substr(start, text.find_last_not_of(kBlank) - start + 1);
}

Result<AwsCredentials> parse_credentials_document(std::string_view json) {
    AwsCredentials credentials;
    std::string expiration;
    std::string code;
    const auto read = read_reply(json, [&](const ReplyReader& in) {
        credentials.access_key_id = in.text("AccessKeyId").value_or("");
        credentials.secret_access_key = in.text("SecretAccessKey").value_or("");
        credentials.session_token = in.text("Token").value_or("");
        expiration = in.text("Expiration").value_or("");
        code = in.text("Code").value_or("Success");
    });
    // The document is not quoted: it may hold a secret.
    if (!read || code != "Success" || credentials.access_key_id.empty() ||
        credentials.secret_access_key.empty()) {
        return service_unavailable(
            "AWS credentials cannot be fetched: the answer holds none" +
            (code == "Success" ? std::string() : " (" + code + ")")
        );
    }
    if (!expiration.empty()) {
        const auto millis = parse_rfc3339_millis(expiration);
        if (!millis) {
            return service_unavailable(
                "AWS credentials cannot be fetched: they expire at no time that can be read"
            );
        }
        credentials.expires_seconds = *millis / 1000;
    }
    return credentials;
}

}  // namespace internal

std::optional<AwsCredentials> find_profile(std::string_view text, std::string_view profile) {
    AwsCredentials credentials;
    bool in_profile = false;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto line = internal::trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line.front() == '#' || line.front() == ';') {
            continue;
        }
        if (line.front() == '[') {
            in_profile = begins_profile(line, profile);
        } else if (in_profile) {
            read_setting(line, credentials);
        }
    }
    const bool whole = !credentials.access_key_id.empty() && !credentials.secret_access_key.empty();
    return whole ? std::optional(std::move(credentials)) : std::nullopt;
}

bool is_container_uri_allowed(std::string_view uri) {
    constexpr std::string_view kPlain = "http://";
    if (uri.starts_with("https://")) {
        return true;
    }
    if (!uri.starts_with(kPlain)) {
        return false;
    }
    uri.remove_prefix(kPlain.size());
    const auto authority = uri.substr(0, uri.find_first_of("/?#"));
    if (authority.find_first_of("@\\") != std::string_view::npos) {
        return false;
    }
    const auto host = authority.starts_with('[') ? authority.substr(0, authority.find(']') + 1)
                                                 : authority.substr(0, authority.find(':'));
    // Loopback, and what ECS and EKS define.
    constexpr std::array<std::string_view, 6> kAllowed = {
        "localhost", "127.0.0.1", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"};
    return std::find(kAllowed.begin(), kAllowed.end(), host) != kAllowed.end();
}

CredentialsOptions CredentialsOptions::from_environment() {
    CredentialsOptions options;
    options.access_key_id = environment("AWS_ACCESS_KEY_ID");
    options.secret_access_key = environment("AWS_SECRET_ACCESS_KEY");
    options.session_token = environment("AWS_SESSION_TOKEN");
    if (options.access_key_id.empty() || options.secret_access_key.empty()) {
        options.access_key_id.clear();
    }
    if (auto profile = environment("AWS_PROFILE"); !profile.empty()) {
        options.profile = std::move(profile);
    }
    if (auto file = environment("AWS_SHARED_CREDENTIALS_FILE"); !file.empty()) {
        options.file = std::move(file);
    } else if (auto home = environment("HOME"); !home.empty()) {
        options.file = std::filesystem::path(home) / ".aws" / "credentials";
    }
    options.container_relative_uri = environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    options.container_full_uri = environment("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    options.container_token = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    options.container_token_file = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    options.use_instance_metadata = environment("AWS_EC2_METADATA_DISABLED") != "true";
    return options;
}

}  // namespace gateleg::remote

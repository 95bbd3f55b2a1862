#include "auth/credentials.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "auth/private_file.h"
#include "base/ids.h"
#include "base/log.h"

namespace gateleg::auth {
namespace {

constexpr std::uintmax_t kMaxFileBytes = 1 << 20;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r";
    const auto start = text.find_first_not_of(kBlank);
    if (start == std::string_view::npos) {
        return {};
    }
    return text.substr(start, text.find_last_not_of(kBlank) - start + 1);
}

// Neither a slash nor a comma: both end an access key inside an Authorization header.
bool is_access_key_id(std::string_view text) {
    return text.size() <= 128 && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-' || c == '.';
           });
}

struct Setting {
    std::string value;
    int line = 0;
};

struct Profile {
    std::string name;
    int line = 0;
    std::optional<Setting> access_key_id;
    std::optional<Setting> secret_access_key;
    std::optional<Setting> scope;
};

// Reads the file line by line; the profiles are judged once it has been read.
class FileParser {
public:
    explicit FileParser(std::string_view source) : source_(source) {}

    Result<std::vector<Profile>> parse(std::string_view text) {
        if (text.starts_with("\xef\xbb\xbf")) {
            text.remove_prefix(3);
        }
        for (int line = 1; !text.empty(); ++line) {
            const auto end = std::min(text.find('\n'), text.size());
            GATELEG_TRY(parse_line(text.substr(0, end), line));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        return std::move(profiles_);
    }

    Error error_at(int line, std::string_view message) const {
        std::string text(source_);
        text.append(":").append(std::to_string(line)).append(": ").append(message);
        return validation_error(std::move(text));
    }

private:
    Result<void> parse_line(std::string_view raw, int line) {
        const auto text = trimmed(raw);
        // An indented line belongs to a nested setting of the AWS tools, none of them ours.
        const bool nested = raw.starts_with(' ') || raw.starts_with('\t');
        if (text.empty() || text.front() == '#' || text.front() == ';' || nested) {
            return {};
        }
        return text.front() == '[' ? parse_heading(text, line) : parse_setting(text, line);
    }

    Result<void> parse_heading(std::string_view text, int line) {
        const auto name = trimmed(text.substr(1, text.size() - 2));
        if (text.back() != ']' || text.size() < 3 || name.empty()) {
            return error_at(line, "expected a profile such as [default]");
        }
        for (const auto& profile : profiles_) {
            if (profile.name == name) {
                return error_at(
                    line,
                    "profile '" + profile.name + "' was begun on line " +
                        std::to_string(profile.line) + " already"
                );
            }
        }
        profiles_.push_back({std::string(name), line, {}, {}, {}});
        return {};
    }

    Result<void> parse_setting(std::string_view text, int line) {
        const auto equals = text.find('=');
        if (equals == std::string_view::npos) {
            // The line is not quoted: it may be a secret without its name.
            return error_at(line, "expected 'name = value'");
        }
        const auto name = trimmed(text.substr(0, equals));
        if (profiles_.empty()) {
            return error_at(line, "a setting before the first [profile]");
        }
        if (name == "aws_session_token") {
            return error_at(
                line,
                "aws_session_token: temporary credentials cannot be accepted; use a "
                "permanent key pair"
            );
        }
        auto* setting = find_setting(profiles_.back(), name);
        if (setting == nullptr) {
            // Other tools keep settings here too, but a misspelt one of ours must not pass.
            return name.starts_with("gateleg_")
                       ? error_at(line, "unknown setting '" + std::string(name) + "'")
                       : Result<void>();
        }
        if (setting->has_value()) {
            return error_at(line, std::string(name) + " is set twice in this profile");
        }
        const auto value = trimmed(text.substr(equals + 1));
        if (value.empty()) {
            return error_at(line, std::string(name) + " is empty");
        }
        *setting = Setting{std::string(value), line};
        return {};
    }

    static std::optional<Setting>* find_setting(Profile& profile, std::string_view name) {
        if (name == "aws_access_key_id") {
            return &profile.access_key_id;
        }
        if (name == "aws_secret_access_key") {
            return &profile.secret_access_key;
        }
        return name == "gateleg_scope" ? &profile.scope : nullptr;
    }

    std::string_view source_;
    std::vector<Profile> profiles_;
};

// What is wrong with a profile that has at least one of our settings, if anything.
Result<void> check_profile(const FileParser& parser, const Profile& profile) {
    if (!profile.access_key_id) {
        return parser.error_at(
            profile.line, "profile '" + profile.name + "' has no aws_access_key_id"
        );
    }
    if (!profile.secret_access_key) {
        return parser.error_at(
            profile.line, "profile '" + profile.name + "' has no aws_secret_access_key"
        );
    }
    if (!is_access_key_id(profile.access_key_id->value)) {
        return parser.error_at(
            profile.access_key_id->line,
            "aws_access_key_id may hold letters, digits, '_', '-' and '.' only, at most 128"
        );
    }
    return {};
}

Result<std::shared_ptr<const Scope>> read_scope(const FileParser& parser, const Profile& profile) {
    if (!profile.scope) {
        return Scope::full();
    }
    auto scope = Scope::parse(profile.scope->value);
    if (!scope) {
        return parser.error_at(profile.scope->line, "gateleg_" + scope.error().message);
    }
    return std::make_shared<const Scope>(*std::move(scope));
}

void warn_if_readable_by_others(const std::filesystem::path& file) {
    if (is_open_to_others(file)) {
        log_warn(
            "credentials file is open to other users; chmod 600 closes it",
            {{"file", file.string()}}
        );
    }
}

}  // namespace

Credentials::Credentials(std::vector<Credential> credentials)
    : signing_keys_(std::make_unique<SigningKeyCache>()), decoy_key_(random_uuid()) {
    for (auto& credential : credentials) {
        auto id = credential.access_key_id;
        by_access_key_.emplace(std::move(id), std::move(credential));
    }
}

Result<Credentials> Credentials::load(const std::filesystem::path& file) {
    std::error_code failure;
    const auto size = std::filesystem::file_size(file, failure);  // fails on a folder too
    std::ifstream stream(file, std::ios::binary);
    if (failure || !stream) {
        const auto cause = failure ? failure.message() : std::string(std::strerror(errno));
        return validation_error(file.string() + ": cannot be read: " + cause);
    }
    if (size > kMaxFileBytes) {
        return validation_error(file.string() + ": larger than 1 MiB, not a credentials file");
    }
    warn_if_readable_by_others(file);
    std::ostringstream text;
    text << stream.rdbuf();
    return parse(text.str(), file.string());
}

Result<Credentials> Credentials::parse(std::string_view text, std::string_view source) {
    FileParser parser(source);
    GATELEG_TRY_ASSIGN(auto profiles, parser.parse(text));
    std::vector<Credential> credentials;
    for (auto& profile : profiles) {
        if (!profile.access_key_id && !profile.secret_access_key && !profile.scope) {
            continue;
        }
        GATELEG_TRY(check_profile(parser, profile));
        GATELEG_TRY_ASSIGN(auto scope, read_scope(parser, profile));
        const auto& id = profile.access_key_id->value;
        for (const auto& other : credentials) {
            if (other.access_key_id == id) {
                return parser.error_at(
                    profile.access_key_id->line,
                    "profile '" + other.profile + "' has this aws_access_key_id already"
                );
            }
        }
        credentials.push_back(
            {.profile = std::move(profile.name),
             .access_key_id = id,
             .secret_access_key = std::move(profile.secret_access_key->value),
             .scope = std::move(scope)}
        );
    }
    if (credentials.empty()) {
        return validation_error(
            std::string(source) + ": no profile has aws_access_key_id and aws_secret_access_key"
        );
    }
    return Credentials(std::move(credentials));
}

std::vector<Credential> Credentials::list() const {
    std::vector<Credential> all;
    for (const auto& [id, credential] : by_access_key_) {
        all.push_back(credential);
    }
    std::sort(all.begin(), all.end(), [](const auto& left, const auto& right) {
        return left.profile < right.profile;
    });
    return all;
}

const Credential* Credentials::find(std::string_view access_key_id, std::int64_t now_seconds)
    const {
    const auto found = by_access_key_.find(access_key_id);
    if (found == by_access_key_.end()) {
        return nullptr;
    }
    const auto& credential = found->second;
    const bool ended = credential.expires_seconds != 0 && credential.expires_seconds <= now_seconds;
    return ended ? nullptr : &credential;
}

HmacKey Credentials::signing_key(const Credential& credential, const SigningScope& scope) const {
    return signing_keys_->get(credential.access_key_id, credential.secret_access_key, scope);
}

}  // namespace gateleg::auth

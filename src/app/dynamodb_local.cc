#include "app/dynamodb_local.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "app/config.h"
#include "base/log.h"

namespace gateleg::app {
namespace {

// They change nothing here: tables are always shared, and are there at once.
constexpr std::array<std::string_view, 5> kIgnored = {
    "-sharedDb",
    "-delayTransientStatuses",
    "-disableTelemetry",
    "-optimizeDbBeforeStartup",
    "-jar"};

bool is_local_option(const std::string& word) {
    return word.size() > 2 && word[0] == '-' && word[1] != '-';
}

class Translation {
public:
    Translation(const std::vector<std::string>& arguments, bool in_container)
        : words_(arguments), in_container_(in_container) {}

    std::vector<std::string> run() {
        while (next_ < words_.size()) {
            take(words_[next_++]);
        }
        if (version_) {
            return {"--version"};
        }
        if (in_container_) {
            // Nothing outside a container reaches its loopback.
            add_unless_given("--dynamodb", "0.0.0.0:" + port_);
            ours_.insert(ours_.end(), {"--insecure", "--anonymous"});
        }
        add_unless_given("--dynamodb", "127.0.0.1:" + port_);
        add_unless_given("--compat", "dynamodb-local");
        // DynamoDB Local has one port.
        add_unless_given("--http", "off");
        add_unless_given("--s3", "off");
        ours_.insert(ours_.begin(), "serve");
        return std::move(ours_);
    }

private:
    void take(const std::string& word) {
        if (word.starts_with("--")) {
            ours_.push_back(word);
            if (next_ < words_.size() && !words_[next_].starts_with("-")) {
                ours_.push_back(words_[next_++]);
            }
        } else if (word.starts_with("-D") || word.starts_with("-X")) {
            // For the Java machine.
        } else if (word == "-help") {
            ours_.emplace_back("--help");
        } else if (word == "-version") {
            version_ = true;
        } else if (word == "-inMemory") {
            ours_.emplace_back("--memory");
        } else if (word == "-dbPath") {
            ours_.insert(ours_.end(), {"--data", value_of(word)});
        } else if (word == "-port") {
            port_ = value_of(word);
        } else if (word == "-cors") {
            add_origins(value_of(word));
        } else if (std::find(kIgnored.begin(), kIgnored.end(), word) != kIgnored.end()) {
            if (word == "-jar") {
                value_of(word);
            }
        } else {
            throw ConfigError(
                word +
                " is not an option of DynamoDB Local that gateleg knows; its own have two "
                "dashes: see gateleg serve --help"
            );
        }
    }

    std::string value_of(const std::string& option) {
        if (next_ >= words_.size()) {
            throw ConfigError(option + " needs a value");
        }
        return words_[next_++];
    }

    void add_origins(const std::string& list) {
        std::stringstream text(list);
        for (std::string origin; std::getline(text, origin, ',');) {
            if (origin == "*") {
                log_warn("-cors *: pages on this machine may call; give others with --origin URL");
            } else {
                ours_.insert(ours_.end(), {"--origin", origin});
            }
        }
    }

    void add_unless_given(const std::string& option, const std::string& value) {
        const bool given = std::any_of(ours_.begin(), ours_.end(), [&](const auto& word) {
            return word == option || word.starts_with(option + "=");
        });
        if (!given) {
            ours_.insert(ours_.end(), {option, value});
        }
    }

    const std::vector<std::string>& words_;
    const bool in_container_;
    std::size_t next_ = 0;
    std::vector<std::string> ours_;
    std::string port_ = "8000";
    bool version_ = false;
};

}  // namespace

std::optional<std::vector<std::string>> translate_dynamodb_local(
    const std::vector<std::string>& arguments, bool in_container
) {
    if (arguments.empty() || !is_local_option(arguments.front())) {
        return std::nullopt;
    }
    return Translation(arguments, in_container).run();
}

std::string dynamodb_local_banner(const Config& config) {
    std::ostringstream text;
    text << "Initializing DynamoDB Local with the following configuration:\n"
         << "Port:\t" << (config.dynamodb ? config.dynamodb->port : 0) << "\n"
         << "InMemory:\t" << (config.memory ? "true" : "false") << "\n"
         << "Version:\tgateleg " << config.version << "\n"
         << "DbPath:\t" << (config.memory ? "null" : config.data.string()) << "\n"
         << "SharedDb:\ttrue\n"
         << "shouldDelayTransientStatuses:\tfalse\n"
         << "CorsParams:\t";
    for (const auto& origin : config.origins) {
        text << (&origin == &config.origins.front() ? "" : ",") << origin;
    }
    text << (config.origins.empty() ? "null\n\n" : "\n\n");
    return text.str();
}

}  // namespace gateleg::app

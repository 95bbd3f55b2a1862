#include "jobs/config.h"

#include <charconv>

#include <unistd.h>

#include "base/time_text.h"

namespace gateleg::jobs {
namespace {

constexpr std::string_view kPrefix = "GATELEG_";

bool has_line_break(std::string_view text) {
    return text.find_first_of("\r\n") != std::string_view::npos;
}

}  // namespace

Config::Variables Config::environment() {
    Variables variables;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const auto equals = text.find('=');
        if (text.starts_with(kPrefix) && equals != std::string_view::npos) {
            variables.emplace(text.substr(0, equals), text.substr(equals + 1));
        }
    }
    return variables;
}

std::string Config::text(std::string_view name) const {
    const auto found = variables_.find(std::string(kPrefix) + std::string(name));
    return found != variables_.end() ? found->second : std::string();
}

Result<Config> Config::parse(Variables variables) {
    Config config;
    config.variables_ = std::move(variables);
    config.smtp_url = config.text("SMTP_URL");
    const auto& smtp = config.smtp_url;
    if (!smtp.empty() && !smtp.starts_with("smtp://") && !smtp.starts_with("smtps://") &&
        !smtp.starts_with("spool:")) {
        return validation_error("GATELEG_SMTP_URL begins with smtp://, smtps:// or spool:");
    }
    if (const auto from = config.text("MAIL_FROM"); !from.empty()) {
        config.mail_from = from;
    }
    if (has_line_break(config.mail_from)) {
        return validation_error("GATELEG_MAIL_FROM holds a line break");
    }
    config.public_url = config.text("PUBLIC_URL");
    while (config.public_url.ends_with('/')) {
        config.public_url.pop_back();
    }
    auto allow = outbound::AllowList::parse(config.text("OUTBOUND_ALLOW"));
    if (!allow) {
        return validation_error("GATELEG_OUTBOUND_ALLOW: " + allow.error().message);
    }
    config.allow = *std::move(allow);
    if (const auto attempts = config.text("OUTBOX_ATTEMPTS"); !attempts.empty()) {
        const auto* end = attempts.data() + attempts.size();
        const auto parsed = std::from_chars(attempts.data(), end, config.max_attempts);
        if (parsed.ec != std::errc() || parsed.ptr != end || config.max_attempts < 1) {
            return validation_error("GATELEG_OUTBOX_ATTEMPTS is a number from 1");
        }
    }
    const auto read_duration = [&](std::string_view name, std::int64_t& millis) {
        const auto given = config.text(name);
        const auto parsed = parse_iso_duration_millis(given);
        if (parsed) {
            millis = *parsed;
        }
        return given.empty() || (parsed && millis > 0);
    };
    if (!read_duration("OUTBOX_BACKOFF", config.first_backoff_millis) ||
        !read_duration("OUTBOX_POLL", config.poll_millis)) {
        return validation_error(
            "GATELEG_OUTBOX_BACKOFF and GATELEG_OUTBOX_POLL are durations such as PT10S"
        );
    }
    return config;
}

std::optional<Target> Config::find_target(std::string_view name) const {
    Target target{text(std::string(name) + "_URL"), text(std::string(name) + "_KEY")};
    if (target.url.empty() || has_line_break(target.key)) {
        return std::nullopt;
    }
    return target;
}

std::string Config::target_name(std::string_view kind) {
    std::string name;
    for (const char c : kind) {
        const bool lower = c >= 'a' && c <= 'z';
        const bool other = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        name += lower ? static_cast<char>(c - 'a' + 'A') : other ? c : '_';
    }
    return name;
}

}  // namespace gateleg::jobs

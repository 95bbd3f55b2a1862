#include "base/log.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <unistd.h>

#include "base/json_writer.h"

namespace gateleg {
namespace {

std::atomic<LogLevel> minimum_level{LogLevel::kInfo};  // NOLINT: the one process-wide setting

std::string_view level_name(LogLevel level) {
    switch (level) {
        case LogLevel::kDebug:
            return "debug";
        case LogLevel::kInfo:
            return "info";
        case LogLevel::kWarn:
            return "warn";
        case LogLevel::kError:
            return "error";
    }
    return "error";
}

std::string now_text() {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    tm parts{};
    gmtime_r(&now.tv_sec, &parts);
    char seconds[32];
    const auto length = std::strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &parts);
    char text[48];
    std::snprintf(
        text, sizeof text, "%.*s.%03ldZ", static_cast<int>(length), seconds, now.tv_nsec / 1'000'000
    );
    return text;
}

void append_json(std::string& out, LogLevel level, std::string_view event, LogFields fields) {
    JsonWriter json(out);
    json.begin_object();
    json.member("time", now_text());
    json.member("level", level_name(level));
    json.member("event", event);
    for (const auto& field : fields) {
        json.key(field.name);
        field.is_number ? json.raw(field.value) : json.string(field.value);
    }
    json.end_object();
}

void append_text(std::string& out, LogLevel level, std::string_view event, LogFields fields) {
    out.append(now_text()).append(" ").append(level_name(level)).append("  ").append(event);
    for (const auto& field : fields) {
        out.append("  ").append(field.name).append("=");
        append_json_string(out, field.value);
    }
}

// GATELEG_LOG=json or text; else by who reads: a person, or a file.
bool wants_text() {
    const char* form = std::getenv("GATELEG_LOG");  // NOLINT: nothing here sets it
    const std::string_view wanted = form == nullptr ? "" : form;
    return wanted == "text" || (wanted != "json" && isatty(STDERR_FILENO) != 0);
}

void write_line(LogLevel level, std::string_view event, LogFields fields) {
    if (level < minimum_level.load(std::memory_order_relaxed)) {
        return;
    }
    static const bool as_text = wants_text();
    std::string line;
    as_text ? append_text(line, level, event, fields) : append_json(line, level, event, fields);
    line.push_back('\n');
    // One write keeps lines whole when several threads log; a broken stderr must not stop us.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

void set_log_level(LogLevel level) {
    minimum_level.store(level, std::memory_order_relaxed);
}

void log_debug(std::string_view event, LogFields fields) {
    write_line(LogLevel::kDebug, event, fields);
}
void log_info(std::string_view event, LogFields fields) {
    write_line(LogLevel::kInfo, event, fields);
}
void log_warn(std::string_view event, LogFields fields) {
    write_line(LogLevel::kWarn, event, fields);
}
void log_error(std::string_view event, LogFields fields) {
    write_line(LogLevel::kError, event, fields);
}

}  // namespace gateleg

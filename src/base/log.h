// Structured logging to stderr: one line an event, JSON unless a person is watching.
//
// Secrets, bodies and item values never go into a field.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace gateleg {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError };

struct LogField {
    LogField(std::string_view field_name, std::string_view text) : name(field_name), value(text) {}
    LogField(std::string_view field_name, const char* text) : name(field_name), value(text) {}
    LogField(std::string_view field_name, const std::string& text)
        : name(field_name), value(text) {}
    template <class Integer>
    requires std::is_integral_v<Integer> LogField(std::string_view field_name, Integer number)
        : name(field_name), value(std::to_string(number)), is_number(true) {}

    std::string_view name;
    std::string value;
    bool is_number = false;
};
using LogFields = std::initializer_list<LogField>;

// Events below `level` are dropped. Thread-safe; meant for start-up.
void set_log_level(LogLevel level);

void log_debug(std::string_view event, LogFields fields = {});
void log_info(std::string_view event, LogFields fields = {});
void log_warn(std::string_view event, LogFields fields = {});
void log_error(std::string_view event, LogFields fields = {});

}  // namespace gateleg

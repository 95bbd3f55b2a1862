// What the commands that move items share: bounds of speed, progress for people and for programs,
// and an end at Ctrl-C that work can go on from.

#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "base/json_writer.h"
#include "cli/data_options.h"
#include "transfer/control.h"

namespace gateleg::cli {

// --max-rcu, --max-wcu and --rate, in so many a second; 0 when not given.
struct SpeedOptions {
    double read_units = 0;
    double write_units = 0;
    double items = 0;
};
void add_read_bound(CLI::App& command, SpeedOptions& options, const std::string& of);
void add_write_bound(CLI::App& command, SpeedOptions& options, const std::string& of);
void add_rate(CLI::App& command, SpeedOptions& options);

// --delimiter: one byte, or \t for a tab.
void add_delimiter(CLI::App& command, std::string& text);
char delimiter_of(const std::string& text);

// What a state file has to be like: there with --resume, not there without. Throws ConfigError.
// `what` is "import" or "clone".
void require_state(const std::filesystem::path& state, bool resume, const std::string& what);

// While it lives, SIGINT and SIGTERM ask the work to end, and progress is shown: a bar on a
// terminal, or with --output json a line {"event":"progress",...} a second on stdout. One at a
// time.
class TransferRun {
public:
    TransferRun(std::string label, const DataOptions& options);
    ~TransferRun();
    TransferRun(const TransferRun&) = delete;
    TransferRun& operator=(const TransferRun&) = delete;

    const transfer::Control& control() const { return control_; }
    // The bar goes, so that lines can be printed.
    void end();

private:
    void show(const transfer::Progress& progress);

    std::string label_;
    bool as_json_;
    std::optional<Progress> bar_;
    std::chrono::steady_clock::time_point last_{};
    transfer::Control control_;
};

// Prints {"event":EVENT, ...} with what `write` adds, as a line.
void print_event(const std::string& event, const std::function<void(JsonWriter&)>& write);

}  // namespace gateleg::cli

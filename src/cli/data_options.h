// What the commands on data have in common: where the data is, how results are printed, and a line
// that shows how far long work has come.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include "app/data_store.h"
#include "model/call.h"

namespace gateleg::cli {

// Nothing failed, and yet the last word is not spoken: changes are pending, findings are left.
inline constexpr int kExitLeftToDo = 5;

struct DataOptions {
    app::DataLocation location;
    std::string output = "text";

    bool as_json() const { return output == "json"; }
};

// --data, --endpoint, --region and --output; `exit_codes` ends the command's help.
void add_data_options(CLI::App& command, DataOptions& options, const std::string& exit_codes);

void print(const std::string& text);

// Ends the command with the message: main prints it and exits 1.
[[noreturn]] void fail(const Error& error);
[[noreturn]] void fail(const model::CallError& error);

template <class Result>
auto value_or_fail(Result result) {
    if (!result) {
        fail(result.error());
    }
    return *std::move(result);
}

inline void value_or_fail_void(const Result<void>& result) {
    if (!result) {
        fail(result.error());
    }
}

// "label [#####...................] 24 %, 1200 of about 5000, 3 s left" on one line of stderr, if
// that is a terminal. One thread at a time.
class Progress {
public:
    // A total of 0 is not known.
    Progress(std::string label, std::int64_t total);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(std::int64_t done);
    void show(const std::string& text);

private:
    std::string label_;
    std::int64_t total_;
    std::int64_t first_ = -1;
    bool on_terminal_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point began_;
    std::chrono::steady_clock::time_point last_;
};

}  // namespace gateleg::cli

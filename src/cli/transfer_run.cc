#include "cli/transfer_run.h"

#include <csignal>
#include <cstdio>

#include "app/config.h"

namespace gateleg::cli {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenEvents{1'000};

volatile std::sig_atomic_t g_stopped = 0;

extern "C" void stop_transfer(int /*signal*/) {
    g_stopped = 1;
}

void on_signals(void (*handler)(int)) {
    for (const int signal : {SIGINT, SIGTERM}) {
        std::signal(signal, handler);
    }
}

void add_bound(CLI::App& command, const char* name, double& value, const std::string& help) {
    command.add_option(name, value, help)->type_name("N")->check(CLI::Range(0.1, 1e9));
}

}  // namespace

void add_read_bound(CLI::App& command, SpeedOptions& options, const std::string& of) {
    add_bound(
        command, "--max-rcu", options.read_units, "The most read capacity units a second" + of
    );
}
void add_write_bound(CLI::App& command, SpeedOptions& options, const std::string& of) {
    add_bound(
        command, "--max-wcu", options.write_units, "The most write capacity units a second" + of
    );
}
void add_rate(CLI::App& command, SpeedOptions& options) {
    add_bound(command, "--rate", options.items, "The most items a second");
}

void add_delimiter(CLI::App& command, std::string& text) {
    const auto check = [](const std::string& given) -> std::string {
        const auto c = delimiter_of(given);
        return c == '\0' || c == '"' || c == '\n' || c == '\r'
                   ? "--delimiter: one character is wanted, such as , or ; or \\t"
                   : "";
    };
    command.add_option("--delimiter", text, "Between the fields of CSV; \\t is a tab")
        ->type_name("C")
        ->check(check)
        ->capture_default_str();
}

char delimiter_of(const std::string& text) {
    if (text == "\\t") {
        return '\t';
    }
    return text.size() == 1 ? text[0] : '\0';
}

void require_state(const std::filesystem::path& state, bool resume, const std::string& what) {
    const bool there = std::filesystem::exists(state);
    if (there && !resume) {
        throw app::ConfigError(
            state.string() + " is there: that " + what +
            " was broken off. --resume goes on with it; to begin anew, delete the file"
        );
    }
    if (!there && resume) {
        throw app::ConfigError(state.string() + " is not there: no " + what + " to go on with");
    }
}

TransferRun::TransferRun(std::string label, const DataOptions& options)
    : label_(std::move(label)), as_json_(options.as_json()) {
    g_stopped = 0;
    on_signals(stop_transfer);
    control_.stopped = [] { return g_stopped != 0; };
    control_.progress = [this](const transfer::Progress& progress) { show(progress); };
}

TransferRun::~TransferRun() {
    on_signals(SIG_DFL);
}

void TransferRun::end() {
    bar_.reset();
}

void TransferRun::show(const transfer::Progress& progress) {
    if (!as_json_) {
        if (!bar_) {
            bar_.emplace(label_, progress.total);
        }
        bar_->show(progress.items);
        return;
    }
    const auto now = Steady::now();
    if (now - last_ < kBetweenEvents) {
        return;
    }
    last_ = now;
    print_event("progress", [&](JsonWriter& json) {
        json.member("items", progress.items);
        if (progress.total > 0) {
            json.member("total", progress.total);
        }
        json.member("readUnits", progress.read_units);
        json.member("writeUnits", progress.write_units);
    });
    std::fflush(stdout);
}

void print_event(const std::string& event, const std::function<void(JsonWriter&)>& write) {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    json.member("event", event);
    write(json);
    json.end_object();
    print(text + "\n");
}

}  // namespace gateleg::cli

#include "cli/data_options.h"

#include <cstdio>
#include <stdexcept>

#include <unistd.h>

namespace gateleg::cli {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLines{200};
constexpr std::size_t kBarWidth = 24;

std::string duration_text(std::int64_t seconds) {
    if (seconds < 60) {
        return std::to_string(seconds) + " s";
    }
    return seconds < 3600 ? std::to_string(seconds / 60) + " min"
                          : std::to_string(seconds / 3600) + " h";
}

}  // namespace

void add_data_options(CLI::App& command, DataOptions& options, const std::string& exit_codes) {
    auto& location = options.location;
    auto* data = command
                     .add_option(
                         "--data",
                         location.data,
                         "Data directory. A server that runs on it is asked through its socket "
                         "admin.sock; otherwise the directory is opened"
                     )
                     ->type_name("DIR")
                     ->capture_default_str();
    command
        .add_option(
            "--endpoint",
            location.endpoint,
            "A store over the network instead: dynamodb://REGION, http://HOST:PORT or "
            "https://HOST:PORT. Keys come from the environment, as for the AWS SDKs"
        )
        ->type_name("URL")
        ->excludes(data);
    command.add_option("--region", location.region, "Region of an --endpoint that names none")
        ->type_name("NAME")
        ->capture_default_str();
    command.add_option("--output", options.output, "How the result is printed")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command.footer("\nExit codes: " + exit_codes);
}

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

void fail(const Error& error) {
    throw std::runtime_error(error.message);
}

void fail(const model::CallError& error) {
    throw std::runtime_error(
        error.message.empty() || error.message == error.code ? error.code
                                                             : error.code + ": " + error.message
    );
}

Progress::Progress(std::string label, std::int64_t total)
    : label_(std::move(label)),
      total_(total),
      on_terminal_(isatty(STDERR_FILENO) != 0),
      began_(Steady::now()) {}

Progress::~Progress() {
    if (shown_) {
        std::fputs("\r\033[K", stderr);
    }
}

void Progress::show(const std::string& text) {
    const auto now = Steady::now();
    if (!on_terminal_ || (shown_ && now - last_ < kBetweenLines)) {
        return;
    }
    shown_ = true;
    last_ = now;
    std::fprintf(stderr, "\r\033[K%s%s%s", label_.c_str(), text.empty() ? "" : " ", text.c_str());
    std::fflush(stderr);
}

void Progress::show(std::int64_t done) {
    if (first_ < 0) {
        first_ = done;
    }
    auto text = std::to_string(done);
    if (total_ > 0 && done <= total_) {
        const auto filled =
            static_cast<std::size_t>(done) * kBarWidth / static_cast<std::size_t>(total_);
        text = "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "] " +
               std::to_string(done * 100 / total_) + " %, " + text + " of about " +
               std::to_string(total_);
        const auto spent =
            std::chrono::duration_cast<std::chrono::seconds>(Steady::now() - began_).count();
        if (spent > 1 && done > first_) {
            text += ", " + duration_text(spent * (total_ - done) / (done - first_)) + " left";
        }
    }
    show(text);
}

}  // namespace gateleg::cli

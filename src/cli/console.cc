#include <cstdio>
#include <memory>

#include "app/config.h"
#include "app/console_link.h"
#include "cli/data_commands.h"
#include "cli/data_options.h"

namespace gateleg::cli {

void add_console(CLI::App& app, int& exit_code) {
    const auto data = std::make_shared<std::string>("gateleg-data");
    auto* command = app.add_subcommand(
        "console",
        "Print a fresh link into the console of a running server; it signs in once, within twelve "
        "hours"
    );
    command->add_option("--data", *data, "Data directory of the server")
        ->type_name("DIR")
        ->capture_default_str();
    command->footer("\nExit codes: 0 done, 1 no server runs there, 2 wrong usage or no console.");
    command->callback([data, &exit_code] {
        const auto url = app::request_console_link(*data);
        if (url.empty()) {
            throw app::ConfigError("the server of " + *data + " runs without a console");
        }
        print(url + "\n");
        exit_code = 0;
    });
}

}  // namespace gateleg::cli

#include <memory>
#include <stdexcept>

#include "app/data_store.h"
#include "app/model_file.h"
#include "base/json_writer.h"
#include "cli/data_commands.h"
#include "cli/data_options.h"
#include "model/runtime.h"
#include "systems/registry.h"

namespace gateleg::cli {
namespace {

constexpr const char* kOperation = "setRoleBySession";

struct RoleArguments {
    std::string session;
    std::string role;
    std::string file = "gallery";
    DataOptions data;
};

// What the operation refuses, for people who do not know the model.
[[noreturn]] void refuse(const model::CallError& error) {
    if (error.code == "SessionNotFound") {
        throw std::runtime_error(
            "SessionNotFound: there is no session of that id, it has ended, or its user is not "
            "active. Log in again and take the id of the new session."
        );
    }
    if (error.code == "LastAdmin") {
        throw std::runtime_error(
            "LastAdmin: this user is the only administrator. Make somebody else one first."
        );
    }
    fail(error);
}

int set_role(const RoleArguments& arguments) {
    const auto model = app::load_named_model(arguments.file);
    const auto* operation = model->find_operation(kOperation);
    if (operation == nullptr) {
        fail(validation_error(
            model->name + " has no operation " + kOperation + "; --model names the gallery's model"
        ));
    }
    const SystemClock clock;
    app::DataStore store(arguments.data.location, app::WhenMissing::kRefuse, clock);
    model::Runtime runtime(*model, store.dynamo(), clock, {});
    systems::Services services{.clock = clock, .real_clock = clock};
    systems::InstalledServices installed;
    if (operation->native) {
        services.runtimes[model->name] = &runtime;
        installed = systems::install_systems(services);
    }
    model::OperationCall call;
    call.arguments["sessionId"] = {arguments.session};
    call.arguments["role"] = {arguments.role};
    model::Caller caller;
    caller.internal = true;
    caller.user = "set-admin-role";  // the actor of the audit row
    const auto answer = runtime.run(*operation, call, caller);
    if (!answer) {
        refuse(answer.error());
    }
    const auto& reply = *answer;
    if (arguments.data.as_json()) {
        std::string text;
        JsonWriter json(text);
        json.begin_object();
        json.member("sessionId", arguments.session);
        json.member("role", arguments.role);
        json.member("changed", reply.changed);
        json.end_object();
        print(text + "\n");
    } else {
        print(
            "The user of this session " +
            std::string(reply.changed ? "has the role " : "already had the role ") +
            arguments.role + ".\n"
        );
    }
    return 0;
}

}  // namespace

void add_set_admin_role(CLI::App& app, int& exit_code) {
    const auto arguments = std::make_shared<RoleArguments>();
    auto* command = app.add_subcommand(
        "set-admin-role",
        "Give the user of a gallery session a role. The first administrator is made this way: log "
        "in, then name the session's id. It holds from the user's next request on and leaves an "
        "audit row."
    );
    command->add_option("SESSION", arguments->session, "Id of a session of the user")->required();
    command->add_option("ROLE", arguments->role, "The role")
        ->required()
        ->check(CLI::IsMember({"user", "moderator", "admin"}));
    command->add_option("--model", arguments->file, "Model file in place of the built-in gallery")
        ->type_name("FILE")
        ->capture_default_str();
    add_data_options(
        *command,
        arguments->data,
        "0 done or already so, 1 refused (no such session, last administrator) or failed, 2 wrong "
        "usage "
        "or model."
    );
    command->callback([arguments, &exit_code] { exit_code = set_role(*arguments); });
}

}  // namespace gateleg::cli

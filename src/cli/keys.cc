#include "app/keys.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <memory>

#include "app/config.h"
#include "base/json_writer.h"
#include "cli/data_commands.h"
#include "cli/data_options.h"

namespace gateleg::cli {
namespace {

struct KeyArguments {
    app::KeyPlace place;
    std::string output = "text";
    std::string name;
    std::string scope = "admin";
    std::string expires;
    std::string id;

    bool as_json() const { return output == "json"; }
};

// "30m", "12h", "90d" or "52w", in seconds.
std::int64_t read_duration(const std::string& text) {
    constexpr std::int64_t kMost = std::int64_t{100} * 365 * 24 * 3600;
    std::int64_t count = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
    const auto unit =
        std::string_view(end, static_cast<std::size_t>(text.data() + text.size() - end));
    const std::int64_t seconds = unit == "m"   ? 60
                                 : unit == "h" ? 3600
                                 : unit == "d" ? 24 * 3600
                                 : unit == "w" ? 7 * 24 * 3600
                                               : 0;
    if (failure != std::errc() || seconds == 0 || count <= 0 || count > kMost / seconds) {
        throw app::ConfigError(
            "--expires '" + text + "' is no duration: write 30m, 12h, 90d or 52w, up to a century"
        );
    }
    return count * seconds;
}

std::string time_text(std::int64_t seconds) {
    if (seconds == 0) {
        return "-";
    }
    const std::time_t time = seconds;
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

// A column of a list.
std::string padded(std::string text) {
    constexpr std::size_t kWidth = 22;
    text.resize(std::max(text.size() + 1, kWidth), ' ');
    return text;
}

void member_time(JsonWriter& json, std::string_view name, std::int64_t seconds) {
    if (seconds != 0) {
        json.member(name, time_text(seconds));
    }
}

int create(const KeyArguments& arguments) {
    const auto lifetime = arguments.expires.empty() ? 0 : read_duration(arguments.expires);
    const auto made =
        value_or_fail(app::create_key(arguments.place, arguments.name, arguments.scope, lifetime));
    if (arguments.as_json()) {
        std::string text;
        JsonWriter json(text);
        json.begin_object();
        json.member("accessKeyId", made.id);
        json.member("secretAccessKey", made.secret);
        json.member("name", arguments.name);
        json.member("scope", made.scope);
        json.member("first", made.first);
        json.end_object();
        print(text + "\n");
    } else {
        print(
            "The secret is shown this once. For ~/.aws/credentials:\n\n[" + arguments.name +
            "]\naws_access_key_id = " + made.id + "\naws_secret_access_key = " + made.secret +
            "\n\nIt may: " + made.scope + "\n"
        );
    }
    if (made.first) {
        std::fprintf(
            stderr,
            "gateleg: this is the first key of %s. From now on the DynamoDB and S3 APIs take "
            "signed "
            "requests of known keys only; until now any key would do.\n",
            arguments.place.data.c_str()
        );
    }
    return 0;
}

int list(const KeyArguments& arguments) {
    const auto found = value_or_fail(app::list_keys(arguments.place));
    std::string text;
    if (arguments.as_json()) {
        JsonWriter json(text);
        json.begin_object();
        json.member("required", found.required);
        json.key("keys");
        json.begin_array();
        for (const auto& key : found.keys) {
            json.begin_object();
            json.member("accessKeyId", key.id);
            json.member("name", key.name);
            json.member("scope", key.scope);
            member_time(json, "created", key.created_seconds);
            member_time(json, "expires", key.expires_seconds);
            member_time(json, "lastUsed", key.used_seconds);
            json.member("source", key.from_file ? "credentials" : "data");
            json.end_object();
        }
        json.end_array();
        json.end_object();
        print(text + "\n");
        return 0;
    }
    for (const auto& key : found.keys) {
        text.append(padded(key.id)).append(padded(key.name));
        for (const auto time : {key.created_seconds, key.expires_seconds, key.used_seconds}) {
            text.append(padded(time_text(time)));
        }
        text.append(key.scope).append(key.from_file ? " (--credentials)\n" : "\n");
    }
    print(
        found.keys.empty()
            ? std::string(
                  found.required ? "No key is left, and signatures are asked for: nobody can "
                                   "call the DynamoDB and S3 APIs.\n"
                                 : "There are no keys: the DynamoDB and S3 APIs take any.\n"
              )
            : padded("ID") + padded("NAME") + padded("CREATED") + padded("EXPIRES") +
                  padded("LAST USED") + "SCOPE\n" + text
    );
    return 0;
}

int revoke(const KeyArguments& arguments) {
    const auto left = value_or_fail(app::revoke_key(arguments.place, arguments.id));
    if (arguments.as_json()) {
        std::string text;
        JsonWriter json(text);
        json.begin_object();
        json.member("revoked", arguments.id);
        json.member("left", left);
        json.end_object();
        print(text + "\n");
        return 0;
    }
    print(arguments.id + " is revoked.\n");
    if (left == 0) {
        print(
            "No key is left, and signatures are still asked for: `gateleg keys create` makes a new "
            "one. To take any key again, stop the server and delete " +
            (arguments.place.data / "keys").string() + ".\n"
        );
    }
    return 0;
}

std::shared_ptr<KeyArguments> add_common(CLI::App& command) {
    auto arguments = std::make_shared<KeyArguments>();
    command
        .add_option(
            "--data",
            arguments->place.data,
            "Data directory. A server that runs on it is asked, and what it is told holds at once"
        )
        ->type_name("DIR")
        ->capture_default_str();
    command
        .add_option(
            "--key-file",
            arguments->place.key_file,
            "Master key that seals the secrets, outside the data directory, made if it is not "
            "there "
            "(default: gateleg/master.key in the user's configuration, else "
            "/etc/gateleg/master.key); a running server uses its own"
        )
        ->envname("GATELEG_KEY_FILE")
        ->type_name("FILE");
    command.add_option("--output", arguments->output, "How the result is printed")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command.footer("\nExit codes: 0 done, 1 failed, 2 wrong usage or configuration.");
    return arguments;
}

}  // namespace

void add_keys(CLI::App& app, int& exit_code) {
    auto* keys =
        app.add_subcommand("keys", "Make, list and revoke access keys of the DynamoDB and S3 APIs");
    keys->require_subcommand(1);

    auto* creating = keys->add_subcommand(
        "create",
        "Make a key and print its secret, once. The first key of a data directory turns signatures "
        "on: from then on unknown keys are refused"
    );
    const auto made = add_common(*creating);
    creating->add_option("NAME", made->name, "What the key is called in lists and errors")
        ->required();
    creating
        ->add_option(
            "--scope",
            made->scope,
            "What it may do: read, write, admin, for everything or for some: "
            "'read:Orders,Users*;write:Orders', buckets as 'read:s3:photos'"
        )
        ->capture_default_str();
    creating
        ->add_option(
            "--expires", made->expires, "How long it holds: 30m, 12h, 90d, 52w; else for ever"
        )
        ->type_name("DURATION");
    creating->callback([made, &exit_code] { exit_code = create(*made); });

    auto* listing = keys->add_subcommand("list", "Show the keys, without their secrets");
    const auto listed = add_common(*listing);
    listing->callback([listed, &exit_code] { exit_code = list(*listed); });

    auto* revoking = keys->add_subcommand("revoke", "End a key, at once and for good");
    const auto revoked = add_common(*revoking);
    revoking->add_option("ID", revoked->id, "The key's id, GLK...")->required();
    revoking->callback([revoked, &exit_code] { exit_code = revoke(*revoked); });
}

}  // namespace gateleg::cli

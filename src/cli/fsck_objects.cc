#include "cli/fsck_objects.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <unistd.h>

#include "app/config.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "objects/store.h"
#include "objects/thumbnail.h"

namespace gateleg::cli {
namespace {

struct FsckObjectsArguments {
    std::filesystem::path data = "gateleg-data";
    bool repair = false;
    std::string output = "text";
};

std::string as_json(const objects::StoreCheck& check) {
    std::string out;
    JsonWriter json(out);
    json.begin_object();
    json.member("buckets", check.buckets);
    json.member("objects", check.objects);
    json.member("bodies", check.bodies);
    json.member("bytes", check.bytes);
    json.member("orphans", check.orphans);
    json.member("orphanBytes", check.orphan_bytes);
    json.member("orphansRemoved", check.orphans_removed);
    json.member("looseRecords", check.loose_records);
    json.member("missing", check.missing_count);
    json.key("missingObjects");
    json.begin_array();
    for (const auto& missing : check.missing) {
        json.begin_object();
        json.member("bucket", missing.bucket);
        json.member("key", missing.key);
        json.member("problem", missing.problem);
        json.end_object();
    }
    json.end_array();
    json.end_object();
    return out + "\n";
}

std::string as_text(const objects::StoreCheck& check) {
    std::string out;
    for (const auto& missing : check.missing) {
        out += "missing: " + missing.bucket + "/" + missing.key + ": " + missing.problem + "\n";
    }
    const auto line = [&](std::uint64_t count, const std::string& text) {
        out += std::to_string(count) + " " + text + "\n";
    };
    line(check.buckets, "buckets");
    line(check.objects, "objects in " + std::to_string(check.bytes) + " bytes");
    line(check.missing_count, "bodies missing or of another size");
    line(check.loose_records, "records that do not fit together");
    line(
        check.orphans,
        "orphan bodies of " + std::to_string(check.orphan_bytes) + " bytes, " +
            std::to_string(check.orphans_removed) + " removed"
    );
    return out;
}

int fsck_objects(const FsckObjectsArguments& arguments) {
    const auto directory = arguments.data / "objects";
    if (!std::filesystem::exists(directory)) {
        throw app::ConfigError("there is no object store in " + arguments.data.string());
    }
    objects::ObjectStoreOptions options;
    options.directory = directory;
    options.sweep_in_background = false;
    const SystemClock clock;
    objects::ObjectStore store(options, clock);
    const auto check = store.check(arguments.repair);
    if (!check) {
        std::fprintf(stderr, "gateleg: %s\n", check.error().message.c_str());
        return 1;
    }
    const auto text = arguments.output == "json" ? as_json(*check) : as_text(*check);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return check->missing_count == 0 && check->loose_records == 0 ? 0 : 1;
}

}  // namespace

void add_fsck_objects(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand(
        "fsck-objects", "Look for bodies without an object and objects without a body"
    );
    const auto arguments = std::make_shared<FsckObjectsArguments>();
    command->add_option("--data", arguments->data, "Data directory; its server must be stopped")
        ->type_name("DIR")
        ->capture_default_str();
    command->add_flag("--repair", arguments->repair, "Delete bodies that belong to no object");
    command->add_option("--output", arguments->output, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->footer("Exit codes: 0 whole, 1 a body is missing or records do not fit together.");
    command->callback([arguments, &exit_code] { exit_code = fsck_objects(*arguments); });
}

void run_if_thumbnail_worker(int argc, const char* const* argv) {
    if (argc != 5 || std::string_view(argv[1]) != "thumbnail-worker") {
        return;
    }
    ::_exit(objects::thumbnail_worker_main(
        static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10)),
        std::strtoull(argv[3], nullptr, 10),
        std::strtoull(argv[4], nullptr, 10)
    ));
}

}  // namespace gateleg::cli

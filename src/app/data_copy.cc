#include "app/data_copy.h"

#include <chrono>
#include <memory>
#include <utility>
#include <variant>

#include "app/admin_client.h"
#include "app/config.h"
#include "auth/key_ring.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "storage/backup_files.h"

namespace gateleg::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStartPath = "/_admin/copy";
constexpr std::string_view kStatusPath = "/_admin/copy/status";

Result<void> check_target(const fs::path& to) {
    std::error_code problem;
    if (fs::exists(to, problem) && !(fs::is_directory(to, problem) && fs::is_empty(to, problem))) {
        return resource_in_use(to.string() + ": exists and is not an empty directory");
    }
    return {};
}

// Where a copy grows until it is whole.
Result<fs::path> make_room(const fs::path& to) {
    GATELEG_TRY(check_target(to));
    auto partial = fs::path(to.string() + ".partial");
    if (const auto free = check_target(partial); !free) {
        return resource_in_use(
            free.error().message + "; a copy that was broken off leaves it, delete it then"
        );
    }
    return partial;
}

// `partial` gets its name, or goes if it is not whole.
Result<storage::CopyTotals> finish(
    Result<storage::CopyTotals> copied, const fs::path& partial, const fs::path& to
) {
    std::error_code problem;
    if (copied) {
        fs::remove(to, problem);  // an empty directory makes room
        try {
            storage::rename_durably(partial, to);
        } catch (const std::exception& failure) {
            copied = service_unavailable(failure.what());
        }
    }
    if (!copied) {
        fs::remove_all(partial, problem);
    }
    return copied;
}

Result<storage::CopyTotals> copy_into(
    const storage::Store& from,
    const fs::path& data,
    const fs::path& partial,
    const storage::CopyProgress& progress
) {
    try {
        storage::CopyTotals totals;
        {
            const auto store = storage::Store::open({.directory = partial});
            GATELEG_TRY_ASSIGN(totals, storage::copy_store(from, *store, progress));
        }
        GATELEG_TRY(auth::copy_keys(data, partial));
        storage::list_backup_files(partial, totals);
        return totals;
    } catch (const std::exception& problem) {
        return service_unavailable(problem.what());
    }
}

Result<storage::CopyTotals> copy_files(const fs::path& backup, const fs::path& partial) {
    const auto totals = storage::copy_listed_files(backup, partial);
    const auto store = storage::Store::open({.directory = partial});
    GATELEG_TRY(store->verify_checksums());
    return totals;
}

Result<storage::CopyTotals> copy_running(
    const AdminSocket& socket,
    const fs::path& to,
    const std::function<void(const storage::CopyTotals&)>& show
) {
    constexpr std::chrono::milliseconds kBetweenLooks{100};
    remote::HttpClient client;
    std::string body;
    JsonWriter json(body);
    json.begin_object();
    json.member("directory", fs::absolute(to).string());
    json.end_object();
    GATELEG_TRY_ASSIGN(auto state, ask_server(client, socket, kStartPath, std::move(body)));
    for (;;) {
        const storage::CopyTotals totals{number_of(state, "rows"), number_of(state, "bytes")};
        const auto name = text_of(state, "state");
        if (name == "done") {
            return totals;
        }
        if (name != "running") {
            return service_unavailable(text_of(state, "message"));
        }
        show(totals);
        std::this_thread::sleep_for(kBetweenLooks);
        GATELEG_TRY_ASSIGN(state, ask_server(client, socket, kStatusPath, "{}"));
    }
}

}  // namespace

Result<storage::CopyTotals> copy_to_directory(
    const storage::Store& from,
    const fs::path& data,
    const fs::path& to,
    const storage::CopyProgress& progress
) {
    GATELEG_TRY_ASSIGN(const auto partial, make_room(to));
    return finish(copy_into(from, data, partial, progress), partial, to);
}

Result<storage::CopyTotals> copy_data(
    const fs::path& data,
    const fs::path& to,
    const std::function<void(const storage::CopyTotals&)>& show
) {
    if (!fs::exists(data)) {
        throw ConfigError(data.string() + ": no such directory");
    }
    const AdminSocket socket(data);
    if (socket.answers()) {
        return copy_running(socket, to, show);
    }
    const auto store = storage::Store::open({.directory = data});
    return copy_to_directory(*store, data, to, [&](const storage::CopyTotals& totals) {
        show(totals);
        return true;
    });
}

Result<storage::CopyTotals> restore_data(
    const fs::path& backup,
    const fs::path& data,
    const std::function<void(const storage::CopyTotals&)>& show
) {
    if (!storage::is_listed_backup(backup)) {
        return copy_data(backup, data, show);
    }
    GATELEG_TRY_ASSIGN(const auto partial, make_room(data));
    try {
        return finish(copy_files(backup, partial), partial, data);
    } catch (...) {
        std::error_code ignored;
        fs::remove_all(partial, ignored);
        throw;
    }
}

void CopyFace::handle(http::Exchange exchange) {
    const auto& request = exchange.request();
    const auto path = request.head.path();
    if (path != kStartPath && path != kStatusPath) {
        commands_.handle(std::move(exchange));
        return;
    }
    auto body = path == kStartPath ? start(request.body) : status();
    exchange.reply({
        .status = 200,
        .content_type = "application/json",
        .headers = {},
        .body = std::move(body),
    });
}

std::size_t CopyFace::max_body_bytes(const http::RequestHead& head) const {
    return commands_.max_body_bytes(head);
}

std::optional<http::Response> CopyFace::refuse_early(const http::RequestHead& head) const {
    return commands_.refuse_early(head);
}

http::Response CopyFace::refusal(int status, std::string_view reason) const {
    return commands_.refusal(status, reason);
}

std::string CopyFace::start(std::string_view body) {
    const fs::path to = text_of(members_of(body), "directory");
    {
        const std::lock_guard lock(mutex_);
        if (state_.name == "running") {
            return R"({"state":"failed","message":"another copy is being made"})";
        }
        if (store_ == nullptr || !to.is_absolute()) {
            return R"({"state":"failed","message":"there is nothing to copy, or nowhere to"})";
        }
        state_ = {.name = "running", .totals = {}, .message = {}};
        thread_ = std::jthread([this, to](const std::stop_token& stop) { run(stop, to); });
    }
    return status();
}

std::string CopyFace::status() const {
    const std::lock_guard lock(mutex_);
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    json.member("state", state_.name);
    json.member("rows", state_.totals.rows);
    json.member("bytes", state_.totals.bytes);
    json.member("message", state_.message);
    json.end_object();
    return text;
}

void CopyFace::run(const std::stop_token& stop, const fs::path& to) {
    const auto copied =
        copy_to_directory(*store_, data_, to, [&](const storage::CopyTotals& totals) {
            const std::lock_guard lock(mutex_);
            state_.totals = totals;
            return !stop.stop_requested();
        });
    const std::lock_guard lock(mutex_);
    if (copied) {
        state_ = {.name = "done", .totals = *copied, .message = {}};
        log_info("the data directory was copied", {{"to", to.string()}});
    } else {
        state_ = {.name = "failed", .totals = {}, .message = copied.error().message};
    }
}

}  // namespace gateleg::app

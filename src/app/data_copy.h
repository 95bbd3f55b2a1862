// Copies of a whole data directory: of a running server's, asked for through its socket file, and
// of a stopped one's. A copy is a data directory itself.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/result.h"
#include "http/handler.h"
#include "storage/copy_store.h"
#include "storage/store.h"

namespace gateleg::app {

// Copies the rows of `from` into a new data directory at `to`, which must not exist or be empty. It
// appears under its name when it is whole and has been compared. Of what else lies in `data`, the
// access keys are copied, sealed as they are, and objects and the server's secret are not. Throws
// nothing.
Result<storage::CopyTotals> copy_to_directory(
    const storage::Store& from,
    const std::filesystem::path& data,
    const std::filesystem::path& to,
    const storage::CopyProgress& progress
);

// Makes the copy, wherever the data is, and waits for it. Throws ConfigError if there is none.
Result<storage::CopyTotals> copy_data(
    const std::filesystem::path& data,
    const std::filesystem::path& to,
    const std::function<void(const storage::CopyTotals&)>& show
);

// Makes a data directory of a backup: its files are compared with their list while they are copied,
// and left as they are. Without a list it is a data directory that has been in use, and its rows
// are copied. Throws storage::StoreOpenError if the backup is damaged.
Result<storage::CopyTotals> restore_data(
    const std::filesystem::path& backup,
    const std::filesystem::path& data,
    const std::function<void(const storage::CopyTotals&)>& show
);

// On the socket file of a server: the paths of copies, and `commands` for the rest. Thread-safe.
// One copy at a time. What it is given outlives it.
class CopyFace final : public http::Handler {
public:
    // `store` is null when a store over the network answers; `data` is its directory.
    CopyFace(http::Handler& commands, const storage::Store* store, std::filesystem::path data)
        : commands_(commands), store_(store), data_(std::move(data)) {}

    void handle(http::Exchange exchange) override;
    std::size_t max_body_bytes(const http::RequestHead& head) const override;
    std::optional<http::Response> refuse_early(const http::RequestHead& head) const override;
    http::Response refusal(int status, std::string_view reason) const override;

private:
    struct State {
        std::string name = "none";  // running, done, failed
        storage::CopyTotals totals;
        std::string message;
    };

    std::string start(std::string_view body);
    std::string status() const;
    void run(const std::stop_token& stop, const std::filesystem::path& to);

    http::Handler& commands_;
    const storage::Store* store_;
    std::filesystem::path data_;
    mutable std::mutex mutex_;
    State state_;
    std::jthread thread_;
};

}  // namespace gateleg::app

// A file system that knows what a power cut would leave of it, for tests.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include <rocksdb/file_system.h>

namespace gateleg::storage::internal {

// What images left out. A test that never lost anything proves nothing.
struct PowerLosses {
    int images = 0;
    int files_torn = 0;     // files without all of what was not synced
    int files_dropped = 0;  // files that were made after the last sync of the directory
    int files_back = 0;     // files that were deleted, and are there again
    int renames_undone = 0;
};

// The real file system under one folder. It keeps what each file held at its last sync, and which
// names the folder had at its own; a cut leaves that, and of what came after any beginning: as
// journals do, names in the order in which they changed. Thread-safe: one call at a time.
class PowerLossFs final : public rocksdb::FileSystemWrapper {
public:
    // `side` is an empty folder on the same disk, for files that have lost their name.
    PowerLossFs(std::filesystem::path folder, std::filesystem::path side, std::uint32_t seed);

    // Called before each call that changes something, and while none goes on.
    std::function<void()> before_call;
    // Only from before_call: writes what a cut at this moment may leave to the new folder `to`.
    void write_image(const std::filesystem::path& to);
    const PowerLosses& losses() const { return losses_; }

    const char* Name() const override { return "PowerLossFs"; }
    rocksdb::IOStatus NewWritableFile(
        const std::string& name,
        const rocksdb::FileOptions& options,
        std::unique_ptr<rocksdb::FSWritableFile>* file,
        rocksdb::IODebugContext* debug
    ) override;
    rocksdb::IOStatus NewDirectory(
        const std::string& name,
        const rocksdb::IOOptions& options,
        std::unique_ptr<rocksdb::FSDirectory>* directory,
        rocksdb::IODebugContext* debug
    ) override;
    rocksdb::IOStatus RenameFile(
        const std::string& from,
        const std::string& to,
        const rocksdb::IOOptions& options,
        rocksdb::IODebugContext* debug
    ) override;
    rocksdb::IOStatus DeleteFile(
        const std::string& name, const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug
    ) override;

private:
    friend class PowerLossFile;
    friend class PowerLossDirectory;

    // A file apart from its name.
    struct Node {
        std::filesystem::path side;
        std::uint64_t synced = 0;
    };
    using Names = std::map<std::string, std::shared_ptr<Node>>;
    // A name that is made, taken away, or given to what another one had.
    struct Change {
        enum class Kind : std::uint8_t { kCreate, kDelete, kRename } kind;
        std::string name;
        std::string to;
        std::shared_ptr<Node> node;
    };

    std::unique_lock<std::mutex> begin_call();
    bool is_inside(const std::filesystem::path& path) const;
    static void apply(const Change& change, Names& names);
    std::size_t choose_changes();
    std::string surviving_bytes(const Node& node);

    std::filesystem::path folder_;
    std::filesystem::path side_;
    std::mutex mutex_;
    std::mt19937 random_;
    Names durable_;
    std::vector<Change> changes_;  // since the last sync of the folder
    int nodes_ = 0;
    PowerLosses losses_;
};

}  // namespace gateleg::storage::internal

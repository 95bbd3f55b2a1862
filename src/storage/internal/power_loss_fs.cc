#include "storage/internal/power_loss_fs.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "storage/internal/file.h"

namespace gateleg::storage::internal {

namespace fs = std::filesystem;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

class PowerLossFile final : public rocksdb::FSWritableFileOwnerWrapper {
public:
    PowerLossFile(
        std::unique_ptr<rocksdb::FSWritableFile> file,
        PowerLossFs& owner,
        std::shared_ptr<PowerLossFs::Node> node
    )
        : FSWritableFileOwnerWrapper(std::move(file)), owner_(owner), node_(std::move(node)) {}

    using FSWritableFileOwnerWrapper::Append;
    IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
        const auto lock = owner_.begin_call();
        return target()->Append(data, options, debug);
    }
    IOStatus Append(
        const Slice& data,
        const IOOptions& options,
        const rocksdb::DataVerificationInfo& /*verification*/,
        IODebugContext* debug
    ) override {
        return Append(data, options, debug);
    }
    IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
        const auto lock = owner_.begin_call();
        return note_sync(target()->Sync(options, debug));
    }
    IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
        const auto lock = owner_.begin_call();
        return note_sync(target()->Fsync(options, debug));
    }
    IOStatus Close(const IOOptions& options, IODebugContext* debug) override {
        const auto lock = owner_.begin_call();
        return target()->Close(options, debug);
    }

private:
    IOStatus note_sync(IOStatus status) {
        if (status.ok()) {
            node_->synced = fs::file_size(node_->side);
        }
        return status;
    }

    PowerLossFs& owner_;
    std::shared_ptr<PowerLossFs::Node> node_;
};

class PowerLossDirectory final : public rocksdb::FSDirectoryWrapper {
public:
    PowerLossDirectory(std::unique_ptr<rocksdb::FSDirectory>&& directory, PowerLossFs& owner)
        : FSDirectoryWrapper(std::move(directory)), owner_(owner) {}

    IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
        const auto lock = owner_.begin_call();
        return note_sync(FSDirectoryWrapper::Fsync(options, debug));
    }
    IOStatus FsyncWithDirOptions(
        const IOOptions& options, IODebugContext* debug, const rocksdb::DirFsyncOptions& how
    ) override {
        const auto lock = owner_.begin_call();
        return note_sync(FSDirectoryWrapper::FsyncWithDirOptions(options, debug, how));
    }

private:
    IOStatus note_sync(IOStatus status) {
        if (status.ok()) {
            for (const auto& change : owner_.changes_) {
                PowerLossFs::apply(change, owner_.durable_);
            }
            owner_.changes_.clear();
        }
        return status;
    }

    PowerLossFs& owner_;
};

PowerLossFs::PowerLossFs(fs::path folder, fs::path side, std::uint32_t seed)
    : FileSystemWrapper(rocksdb::FileSystem::Default()),
      folder_(std::move(folder)),
      side_(std::move(side)),
      random_(seed) {}

std::unique_lock<std::mutex> PowerLossFs::begin_call() {
    std::unique_lock lock(mutex_);
    if (before_call) {
        before_call();
    }
    return lock;
}

bool PowerLossFs::is_inside(const fs::path& path) const {
    return path.parent_path() == folder_;
}

void PowerLossFs::apply(const Change& change, Names& names) {
    switch (change.kind) {
        case Change::Kind::kCreate:
            names[change.name] = change.node;
            break;
        case Change::Kind::kDelete:
            names.erase(change.name);
            break;
        case Change::Kind::kRename:
            names.erase(change.name);
            names[change.to] = change.node;
            break;
    }
}

IOStatus PowerLossFs::NewWritableFile(
    const std::string& name,
    const rocksdb::FileOptions& options,
    std::unique_ptr<rocksdb::FSWritableFile>* file,
    IODebugContext* debug
) {
    const auto lock = begin_call();
    std::error_code none;
    if (is_inside(name)) {
        fs::remove(name, none);  // what had this name keeps its bytes on the side
    }
    auto status = target()->NewWritableFile(name, options, file, debug);
    if (status.ok() && is_inside(name)) {
        auto node = std::make_shared<Node>(Node{side_ / std::to_string(nodes_++)});
        fs::create_hard_link(name, node->side);
        changes_.push_back({Change::Kind::kCreate, fs::path(name).filename().string(), "", node});
        *file = std::make_unique<PowerLossFile>(std::move(*file), *this, std::move(node));
    }
    return status;
}

IOStatus PowerLossFs::NewDirectory(
    const std::string& name,
    const IOOptions& options,
    std::unique_ptr<rocksdb::FSDirectory>* directory,
    IODebugContext* debug
) {
    auto status = target()->NewDirectory(name, options, directory, debug);
    if (status.ok() && fs::path(name) == folder_) {
        *directory = std::make_unique<PowerLossDirectory>(std::move(*directory), *this);
    }
    return status;
}

IOStatus PowerLossFs::RenameFile(
    const std::string& from, const std::string& to, const IOOptions& options, IODebugContext* debug
) {
    const auto lock = begin_call();
    auto status = target()->RenameFile(from, to, options, debug);
    if (status.ok() && is_inside(from)) {
        auto names = durable_;
        for (const auto& change : changes_) {
            apply(change, names);
        }
        const auto name = fs::path(from).filename().string();
        changes_.push_back(
            {Change::Kind::kRename, name, fs::path(to).filename().string(), names.at(name)}
        );
    }
    return status;
}

IOStatus PowerLossFs::DeleteFile(
    const std::string& name, const IOOptions& options, IODebugContext* debug
) {
    const auto lock = begin_call();
    auto status = target()->DeleteFile(name, options, debug);
    if (status.ok() && is_inside(name)) {
        changes_.push_back({Change::Kind::kDelete, fs::path(name).filename().string(), "", nullptr}
        );
    }
    return status;
}

// A third of the images has none, a third has some of them, a third has all.
std::size_t PowerLossFs::choose_changes() {
    switch (random_() % 3) {
        case 0:
            return 0;
        case 1:
            return random_() % (changes_.size() + 1);
        default:
            return changes_.size();
    }
}

std::string PowerLossFs::surviving_bytes(const Node& node) {
    auto bytes = read_file(node.side);
    const auto size = bytes.size();
    const auto synced = std::min<std::size_t>(node.synced, size);
    if (size == synced) {
        return bytes;
    }
    bytes.resize(synced + random_() % (size - synced + 1));
    const auto written = bytes.size();
    switch (random_() % 4) {
        case 0:  // the length came through, the bytes did not
            bytes.resize(size, '\0');
            break;
        case 1:
            bytes.resize(std::min(size, (written + 4095) / 4096 * 4096), '\0');
            break;
        case 2:
            while (bytes.size() < std::min(size, written + 512)) {
                bytes.push_back(static_cast<char>(random_()));
            }
            break;
        default:
            break;
    }
    losses_.files_torn += written < size ? 1 : 0;
    return bytes;
}

void PowerLossFs::write_image(const fs::path& to) {
    auto names = durable_;
    const auto kept = choose_changes();
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        const auto kind = changes_[i].kind;
        if (i < kept) {
            apply(changes_[i], names);
        } else if (kind == Change::Kind::kCreate) {
            ++losses_.files_dropped;
        } else if (kind == Change::Kind::kDelete) {
            ++losses_.files_back;
        } else {
            ++losses_.renames_undone;
        }
    }
    fs::create_directories(to);
    for (const auto& [name, node] : names) {
        std::ofstream(to / name, std::ios::binary) << surviving_bytes(*node);
    }
    ++losses_.images;
}

}  // namespace gateleg::storage::internal

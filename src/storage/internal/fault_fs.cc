#include "storage/internal/fault_fs.h"

#include <string>
#include <utility>

namespace gateleg::storage::internal {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

class FaultFile final : public rocksdb::FSWritableFileOwnerWrapper {
public:
    FaultFile(
        std::unique_ptr<rocksdb::FSWritableFile> file, bool is_log, std::shared_ptr<Faults> faults
    )
        : FSWritableFileOwnerWrapper(std::move(file)),
          is_log_(is_log),
          faults_(std::move(faults)) {}

    using FSWritableFileOwnerWrapper::Append;
    IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
        if (faults_->no_space) {
            ++faults_->fired;
            append_half(data, options, debug);
            return IOStatus::NoSpace("injected");
        }
        if (auto fault = faults_->next(DiskCall::kAppend); !fault.ok()) {
            if (faults_->fault == DiskFault::kShortWrite) {
                append_half(data, options, debug);
            }
            return fault;
        }
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
        auto fault = next_sync();
        return fault.ok() ? target()->Sync(options, debug) : fault;
    }
    IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
        auto fault = next_sync();
        return fault.ok() ? target()->Fsync(options, debug) : fault;
    }
    IOStatus RangeSync(
        std::uint64_t offset, std::uint64_t bytes, const IOOptions& options, IODebugContext* debug
    ) override {
        auto fault = faults_->next(DiskCall::kSync);
        return fault.ok() ? target()->RangeSync(offset, bytes, options, debug) : fault;
    }
    IOStatus Flush(const IOOptions& options, IODebugContext* debug) override {
        auto fault = faults_->next(DiskCall::kFlush);
        return fault.ok() ? target()->Flush(options, debug) : fault;
    }
    IOStatus Close(const IOOptions& options, IODebugContext* debug) override {
        auto fault = faults_->next(DiskCall::kClose);
        auto status = target()->Close(options, debug);
        return fault.ok() ? status : fault;
    }

private:
    void append_half(const Slice& data, const IOOptions& options, IODebugContext* debug) {
        const Slice half(data.data(), data.size() / 2);
        target()->Append(half, options, debug).PermitUncheckedError();
    }
    IOStatus next_sync() {
        if (is_log_ && faults_->log_syncs_until_error >= 0 &&
            faults_->log_syncs_until_error-- == 0) {
            ++faults_->fired;
            return IOStatus::IOError("injected");
        }
        return faults_->next(DiskCall::kSync);
    }

    bool is_log_;
    std::shared_ptr<Faults> faults_;
};

class FaultDirectory final : public rocksdb::FSDirectoryWrapper {
public:
    FaultDirectory(
        std::unique_ptr<rocksdb::FSDirectory>&& directory, std::shared_ptr<Faults> faults
    )
        : FSDirectoryWrapper(std::move(directory)), faults_(std::move(faults)) {}

    IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
        auto fault = faults_->next(DiskCall::kDirectorySync);
        return fault.ok() ? FSDirectoryWrapper::Fsync(options, debug) : fault;
    }
    IOStatus FsyncWithDirOptions(
        const IOOptions& options, IODebugContext* debug, const rocksdb::DirFsyncOptions& how
    ) override {
        auto fault = faults_->next(DiskCall::kDirectorySync);
        return fault.ok() ? FSDirectoryWrapper::FsyncWithDirOptions(options, debug, how) : fault;
    }

private:
    std::shared_ptr<Faults> faults_;
};

class FaultSequentialFile final : public rocksdb::FSSequentialFileOwnerWrapper {
public:
    FaultSequentialFile(
        std::unique_ptr<rocksdb::FSSequentialFile>&& file, std::shared_ptr<Faults> faults
    )
        : FSSequentialFileOwnerWrapper(std::move(file)), faults_(std::move(faults)) {}

    IOStatus Read(
        std::size_t bytes, const IOOptions& options, Slice* data, char* place, IODebugContext* debug
    ) override {
        auto fault = faults_->next(DiskCall::kRead);
        return fault.ok() ? target()->Read(bytes, options, data, place, debug) : fault;
    }

private:
    std::shared_ptr<Faults> faults_;
};

class FaultRandomFile final : public rocksdb::FSRandomAccessFileOwnerWrapper {
public:
    FaultRandomFile(
        std::unique_ptr<rocksdb::FSRandomAccessFile>&& file, std::shared_ptr<Faults> faults
    )
        : FSRandomAccessFileOwnerWrapper(std::move(file)), faults_(std::move(faults)) {}

    IOStatus Read(
        std::uint64_t offset,
        std::size_t bytes,
        const IOOptions& options,
        Slice* data,
        char* place,
        IODebugContext* debug
    ) const override {
        auto fault = faults_->next(DiskCall::kRead);
        return fault.ok() ? target()->Read(offset, bytes, options, data, place, debug) : fault;
    }

private:
    std::shared_ptr<Faults> faults_;
};

class FaultFs final : public rocksdb::FileSystemWrapper {
public:
    explicit FaultFs(std::shared_ptr<Faults> faults)
        : FileSystemWrapper(rocksdb::FileSystem::Default()), faults_(std::move(faults)) {}

    const char* Name() const override { return "FaultFs"; }

    IOStatus NewWritableFile(
        const std::string& name,
        const rocksdb::FileOptions& options,
        std::unique_ptr<rocksdb::FSWritableFile>* file,
        IODebugContext* debug
    ) override {
        if (faults_->no_space) {
            ++faults_->fired;
            return IOStatus::NoSpace("injected");
        }
        if (auto fault = faults_->next(DiskCall::kCreate); !fault.ok()) {
            return fault;
        }
        auto status = target()->NewWritableFile(name, options, file, debug);
        if (status.ok()) {
            *file = std::make_unique<FaultFile>(std::move(*file), name.ends_with(".log"), faults_);
        }
        return status;
    }
    IOStatus NewDirectory(
        const std::string& name,
        const IOOptions& options,
        std::unique_ptr<rocksdb::FSDirectory>* directory,
        IODebugContext* debug
    ) override {
        auto status = target()->NewDirectory(name, options, directory, debug);
        if (status.ok()) {
            *directory = std::make_unique<FaultDirectory>(std::move(*directory), faults_);
        }
        return status;
    }
    IOStatus NewSequentialFile(
        const std::string& name,
        const rocksdb::FileOptions& options,
        std::unique_ptr<rocksdb::FSSequentialFile>* file,
        IODebugContext* debug
    ) override {
        auto status = target()->NewSequentialFile(name, options, file, debug);
        if (status.ok()) {
            *file = std::make_unique<FaultSequentialFile>(std::move(*file), faults_);
        }
        return status;
    }
    IOStatus NewRandomAccessFile(
        const std::string& name,
        const rocksdb::FileOptions& options,
        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
        IODebugContext* debug
    ) override {
        auto status = target()->NewRandomAccessFile(name, options, file, debug);
        if (status.ok()) {
            *file = std::make_unique<FaultRandomFile>(std::move(*file), faults_);
        }
        return status;
    }
    IOStatus RenameFile(
        const std::string& from,
        const std::string& to,
        const IOOptions& options,
        IODebugContext* debug
    ) override {
        auto fault = faults_->next(DiskCall::kRename);
        return fault.ok() ? target()->RenameFile(from, to, options, debug) : fault;
    }
    IOStatus DeleteFile(const std::string& name, const IOOptions& options, IODebugContext* debug)
        override {
        auto fault = faults_->next(DiskCall::kDelete);
        return fault.ok() ? target()->DeleteFile(name, options, debug) : fault;
    }

private:
    std::shared_ptr<Faults> faults_;
};

}  // namespace

rocksdb::IOStatus Faults::next(DiskCall call) {
    ++calls[static_cast<std::size_t>(call)];
    if (call != failing || calls_until_error < 0 || calls_until_error-- != 0) {
        return IOStatus::OK();
    }
    ++fired;
    return fault == DiskFault::kNoSpace ? IOStatus::NoSpace("injected")
                                        : IOStatus::IOError("injected");
}

std::shared_ptr<rocksdb::FileSystem> make_fault_fs(std::shared_ptr<Faults> faults) {
    return std::make_shared<FaultFs>(std::move(faults));
}

}  // namespace gateleg::storage::internal

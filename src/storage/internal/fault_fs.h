// A file system that fails on demand, for tests.

#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include <rocksdb/file_system.h>

namespace gateleg::storage::internal {

// What to fail, and how often it happened: a test whose fault never fired proves nothing.
struct Faults {
    // Writes fail for want of space, after half of the data where there is any.
    std::atomic<bool> no_space{false};
    // Counts down with each sync of a log; the one that reaches 0 fails. Negative: none.
    std::atomic<int> log_syncs_until_error{-1};
    // The same for every call that changes a file or a directory.
    std::atomic<int> calls_until_error{-1};
    std::atomic<bool> error_is_no_space{false};
    std::atomic<int> fired{0};

    rocksdb::IOStatus next_call() {
        if (calls_until_error < 0 || calls_until_error-- != 0) {
            return rocksdb::IOStatus::OK();
        }
        ++fired;
        return error_is_no_space ? rocksdb::IOStatus::NoSpace("injected")
                                 : rocksdb::IOStatus::IOError("injected");
    }
};

class FaultFile final : public rocksdb::FSWritableFileOwnerWrapper {
public:
    FaultFile(
        std::unique_ptr<rocksdb::FSWritableFile> file, bool is_log, std::shared_ptr<Faults> faults
    )
        : FSWritableFileOwnerWrapper(std::move(file)),
          is_log_(is_log),
          faults_(std::move(faults)) {}

    using FSWritableFileOwnerWrapper::Append;
    rocksdb::IOStatus Append(
        const rocksdb::Slice& data,
        const rocksdb::IOOptions& options,
        rocksdb::IODebugContext* debug
    ) override {
        if (faults_->no_space) {
            ++faults_->fired;
            const rocksdb::Slice half(data.data(), data.size() / 2);
            target()->Append(half, options, debug).PermitUncheckedError();
            return rocksdb::IOStatus::NoSpace("injected");
        }
        if (auto fault = faults_->next_call(); !fault.ok()) {
            return fault;
        }
        return target()->Append(data, options, debug);
    }
    rocksdb::IOStatus Append(
        const rocksdb::Slice& data,
        const rocksdb::IOOptions& options,
        const rocksdb::DataVerificationInfo& /*verification*/,
        rocksdb::IODebugContext* debug
    ) override {
        return Append(data, options, debug);
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug)
        override {
        if (is_log_ && faults_->log_syncs_until_error >= 0 &&
            faults_->log_syncs_until_error-- == 0) {
            ++faults_->fired;
            return rocksdb::IOStatus::IOError("injected");
        }
        if (auto fault = faults_->next_call(); !fault.ok()) {
            return fault;
        }
        return target()->Sync(options, debug);
    }
    rocksdb::IOStatus Flush(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug)
        override {
        if (auto fault = faults_->next_call(); !fault.ok()) {
            return fault;
        }
        return target()->Flush(options, debug);
    }
    rocksdb::IOStatus Close(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug)
        override {
        auto fault = faults_->next_call();
        auto status = target()->Close(options, debug);
        return fault.ok() ? status : fault;
    }

private:
    bool is_log_;
    std::shared_ptr<Faults> faults_;
};

class FaultFs final : public rocksdb::FileSystemWrapper {
public:
    explicit FaultFs(std::shared_ptr<Faults> faults)
        : FileSystemWrapper(rocksdb::FileSystem::Default()), faults_(std::move(faults)) {}

    const char* Name() const override { return "FaultFs"; }

    rocksdb::IOStatus NewWritableFile(
        const std::string& name,
        const rocksdb::FileOptions& options,
        std::unique_ptr<rocksdb::FSWritableFile>* file,
        rocksdb::IODebugContext* debug
    ) override {
        if (faults_->no_space) {
            ++faults_->fired;
            return rocksdb::IOStatus::NoSpace("injected");
        }
        if (auto fault = faults_->next_call(); !fault.ok()) {
            return fault;
        }
        auto status = target()->NewWritableFile(name, options, file, debug);
        if (status.ok()) {
            *file = std::make_unique<FaultFile>(std::move(*file), name.ends_with(".log"), faults_);
        }
        return status;
    }
    rocksdb::IOStatus RenameFile(
        const std::string& from,
        const std::string& to,
        const rocksdb::IOOptions& options,
        rocksdb::IODebugContext* debug
    ) override {
        if (auto fault = faults_->next_call(); !fault.ok()) {
            return fault;
        }
        return target()->RenameFile(from, to, options, debug);
    }
    rocksdb::IOStatus DeleteFile(
        const std::string& name, const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug
    ) override {
        if (auto fault = faults_->next_call(); !fault.ok()) {
            return fault;
        }
        return target()->DeleteFile(name, options, debug);
    }

private:
    std::shared_ptr<Faults> faults_;
};

}  // namespace gateleg::storage::internal

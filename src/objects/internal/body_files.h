// The files that hold the bodies of objects: <root>/xx/<name>, xx being the first digits.
//
// A body is written as <root>/incoming/<name>, synced, and renamed into place. From then until its
// record is committed it is in flight: without a record, and yet no orphan.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/result.h"
#include "objects/internal/file_descriptor.h"
#include "objects/internal/records.h"

namespace gateleg::objects::internal {

class BodyFiles;

// The error of a failed call, from errno: a full disk is kServiceUnavailable.
Error file_error(std::string_view what);
Result<void> sync_directory(const std::filesystem::path& directory);

// A name that is in flight. Unless it is released, its file goes when this goes.
class InFlight {
public:
    InFlight(BodyFiles& files, BodyName name) : files_(&files), name_(std::move(name)) {}
    InFlight(InFlight&& other) noexcept
        : files_(std::exchange(other.files_, nullptr)), name_(std::move(other.name_)) {}
    InFlight& operator=(InFlight&&) = delete;
    ~InFlight();

    const BodyName& name() const { return name_; }
    // A record names it now.
    void release();
    // Nobody knows whether a record names it: it stays, and the next start decides.
    void leave() { files_ = nullptr; }

private:
    BodyFiles* files_;
    BodyName name_;
};

// One thread at a time. Destroyed before release() or leave(), it deletes what it wrote.
class BodyFile {
public:
    BodyFile(InFlight flight, FileDescriptor fd, BodyFiles& files)
        : flight_(std::move(flight)), fd_(std::move(fd)), files_(files) {}
    ~BodyFile();

    Result<void> append(std::string_view bytes);
    // Durable, and in its place.
    Result<void> seal();
    std::uint64_t size() const { return size_ + buffer_.size(); }
    InFlight& flight() { return flight_; }

private:
    Result<void> write(std::string_view bytes);

    InFlight flight_;
    FileDescriptor fd_;
    BodyFiles& files_;
    std::string buffer_;
    std::uint64_t size_ = 0;  // of what the file has
    bool sealed_ = false;
};

// Thread-safe.
class BodyFiles {
public:
    // Makes what is missing, and empties incoming/. Throws std::filesystem::filesystem_error.
    BodyFiles(std::filesystem::path root, bool sync);

    Result<std::unique_ptr<BodyFile>> create();
    // A second name for the same bytes: a hard link where the file system has them, else a copy.
    Result<InFlight> duplicate(const BodyName& name);
    // Nothing if there is no such file.
    Result<FileDescriptor> open(std::string_view name) const;
    // For a body that no record names any more. A pinned one goes when it is unpinned.
    void remove(const BodyName& name);

    // Keeps the file of a body from being removed.
    void pin(const BodyName& name);
    void unpin(const BodyName& name);
    // In flight or pinned: not an orphan, whatever the records say.
    bool is_busy(const BodyName& name) const;

    // Calls for every file there is; stops when `visit` returns false.
    void for_each(const std::function<bool(const BodyName&, std::uint64_t size)>& visit) const;
    std::filesystem::path path_of(std::string_view name) const;

private:
    friend class InFlight;
    friend class BodyFile;

    std::filesystem::path incoming_path(std::string_view name) const;
    InFlight start_flight();
    void land(const BodyName& name);
    // Renames or links into place, making the directory if need be.
    Result<void> place(const std::filesystem::path& from, const BodyName& name, bool link);

    const std::filesystem::path root_;
    const bool sync_;
    mutable std::mutex mutex_;
    std::unordered_set<BodyName> in_flight_;
    std::unordered_map<BodyName, int> pins_;
    std::unordered_set<BodyName> remove_when_unpinned_;
};

}  // namespace gateleg::objects::internal

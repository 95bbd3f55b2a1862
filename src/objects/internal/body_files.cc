#include "objects/internal/body_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/ids.h"
#include "base/log.h"

namespace gateleg::objects::internal {

namespace {

constexpr std::size_t kNameSize = 32;
constexpr std::size_t kWriteBytes = std::size_t{256} << 10;
// The kernel begins to write after this much, so that the last sync does not wait for all of it.
constexpr std::uint64_t kWriteBackBytes = std::uint64_t{32} << 20;

BodyName random_name() {
    auto name = random_uuid();
    std::erase(name, '-');
    return name;
}

bool is_body_name(std::string_view name) {
    return name.size() == kNameSize &&
           name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<void> copy_bytes(int from, BodyFile& to) {
    std::vector<char> buffer(kWriteBytes);
    for (off_t offset = 0;;) {
        const auto got = ::pread(from, buffer.data(), buffer.size(), offset);
        if (got < 0) {
            return file_error("read a body");
        }
        if (got == 0) {
            return {};
        }
        offset += got;
        GATELEG_TRY(to.append({buffer.data(), static_cast<std::size_t>(got)}));
    }
}

}  // namespace

Error file_error(std::string_view what) {
    const auto code = errno;
    if (code == ENOSPC || code == EDQUOT || code == EMFILE || code == ENFILE) {
        log_warn("objects out of room", {{"step", what}, {"cause", std::strerror(code)}});
        return service_unavailable("There is no room for this object now.");
    }
    return internal_error(std::string(what) + ": " + std::strerror(code));
}

Result<void> sync_directory(const std::filesystem::path& directory) {
    const FileDescriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0) {
        return file_error("sync a directory");
    }
    return {};
}

InFlight::~InFlight() {
    if (files_ != nullptr) {
        ::unlink(files_->path_of(name_).c_str());
        files_->land(name_);
    }
}

void InFlight::release() {
    if (files_ != nullptr) {
        std::exchange(files_, nullptr)->land(name_);
    }
}

BodyFile::~BodyFile() {
    if (!sealed_) {
        ::unlink(files_.incoming_path(flight_.name()).c_str());
    }
}

Result<void> BodyFile::append(std::string_view bytes) {
    if (buffer_.empty() && bytes.size() >= kWriteBytes) {
        return write(bytes);
    }
    buffer_ += bytes;
    if (buffer_.size() >= kWriteBytes) {
        GATELEG_TRY(write(buffer_));
        buffer_.clear();
    }
    return {};
}

Result<void> BodyFile::write(std::string_view bytes) {
    const auto before = size_;
    while (!bytes.empty()) {
        const auto done = ::write(fd_.get(), bytes.data(), bytes.size());
        if (done < 0) {
            if (errno == EINTR) {
                continue;
            }
            return file_error("write a body");
        }
        bytes.remove_prefix(static_cast<std::size_t>(done));
        size_ += static_cast<std::uint64_t>(done);
    }
    if (files_.sync_ && before / kWriteBackBytes != size_ / kWriteBackBytes) {
        // Only a hint: the sync at the end is what counts.
        ::sync_file_range(fd_.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
    }
    return {};
}

Result<void> BodyFile::seal() {
    GATELEG_TRY(write(buffer_));
    buffer_.clear();
    if (files_.sync_ && ::fdatasync(fd_.get()) != 0) {
        return file_error("sync a body");
    }
    fd_.reset();
    GATELEG_TRY(files_.place(files_.incoming_path(flight_.name()), flight_.name(), false));
    sealed_ = true;
    return {};
}

BodyFiles::BodyFiles(std::filesystem::path root, bool sync) : root_(std::move(root)), sync_(sync) {
    const auto incoming = root_ / "incoming";
    std::filesystem::create_directories(incoming);
    // Nobody else has the store open: what lies here is from a process that is gone.
    std::uint64_t left = 0;
    for (const auto& entry : std::filesystem::directory_iterator(incoming)) {
        std::filesystem::remove(entry.path());
        ++left;
    }
    if (left > 0) {
        log_info("unfinished uploads removed", {{"files", left}});
    }
}

Result<std::unique_ptr<BodyFile>> BodyFiles::create() {
    auto flight = start_flight();
    const auto path = incoming_path(flight.name());
    FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd) {
        return file_error("create a body");
    }
    return std::make_unique<BodyFile>(std::move(flight), std::move(fd), *this);
}

Result<InFlight> BodyFiles::duplicate(const BodyName& name) {
    auto flight = start_flight();
    if (place(path_of(name), flight.name(), true)) {
        return flight;
    }
    GATELEG_TRY_ASSIGN(const auto source, open(name));
    if (!source) {
        return internal_error("a body to copy is missing");
    }
    GATELEG_TRY_ASSIGN(auto copy, create());
    GATELEG_TRY(copy_bytes(source.get(), *copy));
    GATELEG_TRY(copy->seal());
    return std::move(copy->flight());
}

Result<FileDescriptor> BodyFiles::open(std::string_view name) const {
    FileDescriptor fd(::open(path_of(name).c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd && errno != ENOENT) {
        return file_error("open a body");
    }
    return fd;
}

void BodyFiles::remove(const BodyName& name) {
    {
        const std::lock_guard lock(mutex_);
        if (pins_.contains(name)) {
            remove_when_unpinned_.insert(name);
            return;
        }
    }
    if (::unlink(path_of(name).c_str()) != 0 && errno != ENOENT) {
        // An orphan now; a sweep tries again.
        log_warn("body not removed", {{"cause", std::strerror(errno)}});
    }
}

void BodyFiles::pin(const BodyName& name) {
    const std::lock_guard lock(mutex_);
    ++pins_[name];
}

void BodyFiles::unpin(const BodyName& name) {
    {
        const std::lock_guard lock(mutex_);
        const auto found = pins_.find(name);
        if (found == pins_.end() || --found->second > 0) {
            return;
        }
        pins_.erase(found);
        if (remove_when_unpinned_.erase(name) == 0) {
            return;
        }
    }
    remove(name);
}

bool BodyFiles::is_busy(const BodyName& name) const {
    const std::lock_guard lock(mutex_);
    return in_flight_.contains(name) || pins_.contains(name);
}

void BodyFiles::for_each(const std::function<bool(const BodyName&, std::uint64_t size)>& visit
) const {
    std::error_code error;
    for (const auto& folder : std::filesystem::directory_iterator(root_, error)) {
        const auto prefix = folder.path().filename().string();
        if (prefix.size() != 2 || !folder.is_directory(error)) {
            continue;
        }
        for (const auto& entry : std::filesystem::directory_iterator(folder.path(), error)) {
            const auto name = entry.path().filename().string();
            struct stat status {};
            if (!is_body_name(name) || ::stat(entry.path().c_str(), &status) != 0) {
                continue;
            }
            if (!visit(name, static_cast<std::uint64_t>(status.st_size))) {
                return;
            }
        }
    }
}

std::filesystem::path BodyFiles::path_of(std::string_view name) const {
    return root_ / name.substr(0, 2) / name;
}

std::filesystem::path BodyFiles::incoming_path(std::string_view name) const {
    return root_ / "incoming" / name;
}

InFlight BodyFiles::start_flight() {
    auto name = random_name();
    const std::lock_guard lock(mutex_);
    in_flight_.insert(name);
    return {*this, std::move(name)};
}

void BodyFiles::land(const BodyName& name) {
    const std::lock_guard lock(mutex_);
    in_flight_.erase(name);
}

Result<void> BodyFiles::place(const std::filesystem::path& from, const BodyName& name, bool link) {
    const auto to = path_of(name);
    const auto move = [&] {
        return link ? ::link(from.c_str(), to.c_str()) : ::rename(from.c_str(), to.c_str());
    };
    if (move() != 0) {
        if (link && errno != ENOENT) {
            return Error{ErrorCode::kInternal, "no link"};  // not worth a line in the log
        }
        const auto folder = to.parent_path();
        if (errno != ENOENT || (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)) {
            return file_error("place a body");
        }
        if (sync_) {
            GATELEG_TRY(sync_directory(root_));
        }
        if (move() != 0) {
            return file_error("place a body");
        }
    }
    if (sync_) {
        GATELEG_TRY(sync_directory(to.parent_path()));
    }
    return {};
}

}  // namespace gateleg::objects::internal

#include "storage/internal/roomy_logs.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "storage/internal/file.h"

namespace gateleg::storage::internal {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kNowhere = UINT64_MAX;

std::uint64_t next_page(std::uint64_t offset) {
    return (offset + kPageBytes - 1) / kPageBytes * kPageBytes;
}

// One log: how far it is written, and the zeros ahead. What it holds always: zeros go only into
// whole pages behind everything that was appended, and nothing is appended where they are being
// written. The writer and the filler may use it at once.
class Room {
public:
    Room(File file, LogRoom sizes) : sizes_(sizes), file_(std::move(file)) {}

    // Before `bytes` are appended. True if the filler should come.
    bool advance(std::uint64_t bytes) {
        std::unique_lock lock(mutex_);
        settled_.wait(lock, [&] { return written_ + bytes <= filling_; });
        written_ += bytes;
        if (stopped_ || awaited_ || written_ < sizes_.from || usual_write_ > sizes_.most ||
            filled_ >= written_ + wanted() / 2) {
            return false;
        }
        awaited_ = true;
        return true;
    }

    void note_sync() {
        const std::lock_guard lock(mutex_);
        usual_write_ = (7 * usual_write_ + (written_ - synced_)) / 8;
        synced_ = written_;
    }

    // After an append that failed nobody knows where the log ends: it gets no more.
    void give_up() {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        end_known_ = false;
    }

    // Takes the zeros away: nothing is appended any more.
    void close() {
        std::unique_lock lock(mutex_);
        stopped_ = true;
        settled_.wait(lock, [&] { return filling_ == kNowhere; });
        if (end_known_ && filled_ > written_) {
            // If that fails the log ends as after a kill.
            [[maybe_unused]] const int ignored =
                ::ftruncate(file_.fd(), static_cast<off_t>(written_));
            filled_ = 0;
        }
    }

    // The filler's part: until there is enough.
    void fill(const std::string& zeros) {
        bool longer = false;
        for (;;) {
            const auto begin = begin_step();
            if (begin == kNowhere) {
                break;
            }
            const bool written = write_zeros(begin, zeros);
            end_step(begin, written);
            longer = longer || written;
            // Not left to the next sync of the log, which would wait for all of it.
            ::sync_file_range(
                file_.fd(),
                static_cast<off_t>(begin),
                static_cast<off_t>(sizes_.step),
                SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER
            );
        }
        // Now the file has its length and its blocks. An error is the log's own sync to report,
        // which has a descriptor of its own for that.
        if (longer) {
            ::fdatasync(file_.fd());
        }
    }

private:
    std::uint64_t wanted() const { return std::min(sizes_.ahead, written_); }

    std::uint64_t begin_step() {
        const std::lock_guard lock(mutex_);
        if (stopped_ || filled_ >= written_ + wanted()) {
            awaited_ = false;
            return kNowhere;
        }
        // A writer that has caught up gets a lead, for it may not append where zeros are written.
        filling_ = std::max(filled_, next_page(written_ + sizes_.step));
        return filling_;
    }

    void end_step(std::uint64_t begin, bool written) {
        const std::lock_guard lock(mutex_);
        filling_ = kNowhere;
        if (written) {
            filled_ = begin + sizes_.step;
        } else {
            stopped_ = true;  // a full disk: the log goes on without
        }
        settled_.notify_all();
    }

    bool write_zeros(std::uint64_t begin, const std::string& zeros) const {
        const auto end = begin + sizes_.step;
        while (begin < end) {
            const auto bytes = std::min<std::uint64_t>(zeros.size(), end - begin);
            const auto count = ::pwrite(file_.fd(), zeros.data(), bytes, static_cast<off_t>(begin));
            if (count < 0 && errno != EINTR) {
                return false;
            }
            begin += count < 0 ? 0 : static_cast<std::uint64_t>(count);
        }
        return true;
    }

    const LogRoom sizes_;
    const File file_;

    std::mutex mutex_;
    std::condition_variable settled_;
    std::uint64_t written_ = 0;
    std::uint64_t synced_ = 0;
    std::uint64_t usual_write_ = 0;     // bytes from one sync to the next
    std::uint64_t filled_ = 0;          // zeros, or what came in their place, up to here
    std::uint64_t filling_ = kNowhere;  // where zeros are being written
    bool awaited_ = false;              // the filler has been told
    bool stopped_ = false;
    bool end_known_ = true;
};

// The thread that writes the zeros, from the first time that it is needed.
class Filler {
public:
    void add(std::shared_ptr<Room> room) {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(room));
        if (!thread_.joinable()) {
            thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
        }
        filled_.notify_one();
    }

private:
    void run(const std::stop_token& stop) {
        const std::string zeros(64 * 1024, '\0');
        std::vector<std::shared_ptr<Room>> taken;
        for (;;) {
            {
                std::unique_lock lock(mutex_);
                if (!filled_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
                    return;
                }
                taken.swap(waiting_);
            }
            for (const auto& room : taken) {
                room->fill(zeros);
            }
            taken.clear();
        }
    }

    std::mutex mutex_;
    std::condition_variable_any filled_;
    std::vector<std::shared_ptr<Room>> waiting_;  // each at most once
    std::jthread thread_;                         // last: ends before what it uses
};

class RoomyLog final : public rocksdb::FSWritableFileOwnerWrapper {
public:
    RoomyLog(
        std::unique_ptr<rocksdb::FSWritableFile> file,
        std::shared_ptr<Room> room,
        std::shared_ptr<Filler> filler
    )
        : FSWritableFileOwnerWrapper(std::move(file)),
          room_(std::move(room)),
          filler_(std::move(filler)) {}
    ~RoomyLog() override { room_->close(); }

    rocksdb::IOStatus Append(
        const rocksdb::Slice& data,
        const rocksdb::IOOptions& options,
        rocksdb::IODebugContext* debug
    ) override {
        advance(data.size());
        return settle(target()->Append(data, options, debug));
    }
    rocksdb::IOStatus Append(
        const rocksdb::Slice& data,
        const rocksdb::IOOptions& options,
        const rocksdb::DataVerificationInfo& verification,
        rocksdb::IODebugContext* debug
    ) override {
        advance(data.size());
        return settle(target()->Append(data, options, verification, debug));
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug)
        override {
        room_->note_sync();
        return target()->Sync(options, debug);
    }
    rocksdb::IOStatus Close(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug)
        override {
        room_->close();
        return target()->Close(options, debug);
    }

private:
    void advance(std::size_t bytes) {
        if (room_->advance(bytes)) {
            filler_->add(room_);
        }
    }
    rocksdb::IOStatus settle(rocksdb::IOStatus status) {
        if (!status.ok()) {
            room_->give_up();
        }
        return status;
    }

    std::shared_ptr<Room> room_;
    std::shared_ptr<Filler> filler_;
};

class RoomyLogs final : public rocksdb::FileSystemWrapper {
public:
    RoomyLogs(std::shared_ptr<rocksdb::FileSystem> below, LogRoom room)
        : FileSystemWrapper(std::move(below)), room_(room) {}

    const char* Name() const override { return "RoomyLogs"; }

    rocksdb::IOStatus NewWritableFile(
        const std::string& name,
        const rocksdb::FileOptions& options,
        std::unique_ptr<rocksdb::FSWritableFile>* file,
        rocksdb::IODebugContext* debug
    ) override {
        auto status = target()->NewWritableFile(name, options, file, debug);
        if (!status.ok() || !name.ends_with(".log")) {
            return status;
        }
        try {
            auto room = std::make_shared<Room>(File(name, O_WRONLY), room_);
            *file = std::make_unique<RoomyLog>(std::move(*file), std::move(room), filler_);
        } catch (const std::filesystem::filesystem_error&) {
            // No second descriptor is left: a log without room.
        }
        return status;
    }

private:
    const LogRoom room_;
    std::shared_ptr<Filler> filler_ = std::make_shared<Filler>();
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> make_roomy_logs(
    std::shared_ptr<rocksdb::FileSystem> below, LogRoom room
) {
    return std::make_shared<RoomyLogs>(std::move(below), room);
}

}  // namespace gateleg::storage::internal

#include "objects/thumbnail.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "objects/errors.h"
#include "objects/internal/file_descriptor.h"

namespace gateleg::objects {

namespace {

using internal::FileDescriptor;
using Steady = std::chrono::steady_clock;

constexpr std::uint32_t kMaxThumbnailEdge = 4096;

Error system_error(std::string_view what) {
    return internal_error(std::string(what) + ": " + std::strerror(errno));
}

// The image as a file without a name, at its beginning.
Result<FileDescriptor> as_file(std::string_view image) {
    FileDescriptor file(::memfd_create("image", MFD_CLOEXEC));
    if (!file) {
        return system_error("memfd_create");
    }
    for (std::size_t done = 0; done < image.size();) {
        const auto wrote = ::write(file.get(), image.data() + done, image.size() - done);
        if (wrote < 0 && errno != EINTR) {
            return system_error("write an image");
        }
        done += wrote > 0 ? static_cast<std::size_t>(wrote) : 0;
    }
    if (::lseek(file.get(), 0, SEEK_SET) != 0) {
        return system_error("lseek");
    }
    return file;
}

// A child that does not outlive its owner.
class Worker {
public:
    Worker() = default;
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            wait();
        }
    }

    Result<void> start(std::vector<std::string> command, int input, int output) {
        std::vector<char*> arguments;
        for (auto& argument : command) {
            arguments.push_back(argument.data());
        }
        arguments.push_back(nullptr);
        std::array<char*, 1> environment = {nullptr};
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        const auto error = ::posix_spawn(
            &pid_, arguments.front(), &actions, nullptr, arguments.data(), environment.data()
        );
        posix_spawn_file_actions_destroy(&actions);
        if (error != 0) {
            pid_ = 0;
            errno = error;
            return system_error("start the thumbnail worker");
        }
        return {};
    }

    // The status of waitpid.
    int wait() {
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        pid_ = 0;
        return status;
    }

private:
    pid_t pid_ = 0;
};

// What comes out of the pipe until it is closed; nothing if that is too much, or too late.
std::optional<std::string> read_output(int fd, std::size_t max_bytes, Steady::time_point deadline) {
    std::string out;
    std::array<char, 65536> buffer{};
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Steady::now());
        if (left.count() <= 0) {
            return std::nullopt;
        }
        pollfd wait{fd, POLLIN, 0};
        const auto ready = ::poll(&wait, 1, static_cast<int>(left.count()));
        if (ready <= 0) {
            if (ready < 0 && errno == EINTR) {
                continue;
            }
            return std::nullopt;
        }
        const auto got = ::read(fd, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got == 0 ? std::optional(std::move(out)) : std::nullopt;
        }
        out.append(buffer.data(), static_cast<std::size_t>(got));
        if (out.size() > max_bytes) {
            return std::nullopt;
        }
    }
}

Error not_made(std::string_view why) {
    log_info("no thumbnail made", {{"why", why}});
    return object_error(Reason::kNotAnImage);
}

}  // namespace

ThumbnailMaker::ThumbnailMaker(ThumbnailOptions options)
    : options_(std::move(options)), slots_(options_.at_once) {}

Result<Thumbnail> ThumbnailMaker::make(std::string_view image, std::uint32_t max_edge) const {
    if (max_edge < 1 || max_edge > kMaxThumbnailEdge) {
        return object_error(Reason::kInvalidArgument, "A thumbnail has 1 to 4096 pixels an edge.");
    }
    GATELEG_TRY_ASSIGN(const auto what, sniff(image));
    if (!is_image(what.kind)) {
        return object_error(Reason::kNotAnImage);
    }
    GATELEG_TRY(check_limits(what, image.size(), options_.limits));
    GATELEG_TRY_ASSIGN(const auto input, as_file(image));
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return system_error("pipe");
    }
    const FileDescriptor output(ends[0]);
    FileDescriptor to_worker(ends[1]);

    slots_.acquire();
    struct Slot {
        std::counting_semaphore<>& slots;
        ~Slot() { slots.release(); }
    } const slot{slots_};
    auto command = options_.command;
    command.push_back(std::to_string(max_edge));
    command.push_back(std::to_string(options_.max_memory_bytes));
    command.push_back(std::to_string(options_.deadline.count()));
    Worker worker;
    GATELEG_TRY(worker.start(std::move(command), input.get(), to_worker.get()));
    to_worker.reset();
    auto bytes =
        read_output(output.get(), options_.max_output_bytes, Steady::now() + options_.deadline);
    if (!bytes) {
        return not_made("the worker took too long or wrote too much");
    }
    if (const auto status = worker.wait(); !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return not_made("the worker did not finish");
    }
    // The worker may have been taken over by what it read: believe nothing it says.
    const auto made = sniff(*bytes);
    if (!made || (made->kind != MediaKind::kJpeg && made->kind != MediaKind::kPng) ||
        made->width > max_edge || made->height > max_edge) {
        return not_made("the worker answered with something else");
    }
    return Thumbnail{*std::move(bytes), made->kind, made->width, made->height};
}

}  // namespace gateleg::objects

#include "objects/internal/lock_in.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gateleg::objects::internal {

namespace {

// Sanitizers reserve address space by the terabyte and look after threads in their own ways.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

void limit(int resource, rlim_t value) {
    const rlimit both{value, value};
    ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

#if defined(__x86_64__) || defined(__aarch64__)
// Memory, the two open descriptors and the end. Everything else fails, and opens or sends nothing.
bool allow_few_calls() {
    constexpr std::array kAllowed = {
        SYS_read,         SYS_write,        SYS_close,          SYS_fstat,     SYS_brk,
        SYS_mmap,         SYS_munmap,       SYS_mremap,         SYS_mprotect,  SYS_madvise,
        SYS_futex,        SYS_exit,         SYS_exit_group,     SYS_getrandom, SYS_clock_gettime,
        SYS_rt_sigaction, SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_gettid,    SYS_getpid,
        SYS_tgkill,       SYS_sched_yield};
    constexpr auto kCount = kAllowed.size();
    std::array<sock_filter, kCount + 6> code{};
    std::size_t at = 0;
    const auto jump = [](std::uint32_t value, std::size_t yes, std::size_t no) {
        return sock_filter{
            BPF_JMP | BPF_JEQ | BPF_K,
            static_cast<std::uint8_t>(yes),
            static_cast<std::uint8_t>(no),
            value};
    };
    const auto load = [](std::size_t offset) {
        return sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)};
    };
    const auto answer = [](std::uint32_t value) {
        return sock_filter{BPF_RET | BPF_K, 0, 0, value};
    };
    code[at++] = load(offsetof(seccomp_data, arch));
    code[at++] = jump(kArchitecture, 1, 0);
    code[at++] = answer(SECCOMP_RET_KILL_PROCESS);
    code[at++] = load(offsetof(seccomp_data, nr));
    for (std::size_t i = 0; i < kCount; ++i) {
        // Past the calls that are left, and past the refusal.
        code[at++] = jump(static_cast<std::uint32_t>(kAllowed[i]), kCount - i, 0);
    }
    code[at++] = answer(SECCOMP_RET_ERRNO | EPERM);
    code[at++] = answer(SECCOMP_RET_ALLOW);
    const sock_fprog program{static_cast<unsigned short>(at), code.data()};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
#else
bool allow_few_calls() {
    return false;
}
#endif

}  // namespace

bool locks_in_fully() {
#if defined(__x86_64__) || defined(__aarch64__)
    return !kSanitized;
#else
    return false;
#endif
}

void lock_in(std::uint64_t max_memory, std::uint64_t max_seconds) {
    ::syscall(SYS_close_range, 3U, ~0U, 0U);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, max_seconds);
    limit(RLIMIT_FSIZE, 0);  // pipes have no size
    limit(RLIMIT_NOFILE, 3);
    if (!kSanitized) {
        limit(RLIMIT_AS, max_memory);
    }
    ::prctl(PR_SET_DUMPABLE, 0);
    // The worker goes with the server, also when that is killed.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Whether or not the filter can be had, there is no network where this is allowed.
    ::unshare(CLONE_NEWUSER | CLONE_NEWNET);
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!kSanitized) {
        allow_few_calls();
    }
}

}  // namespace gateleg::objects::internal

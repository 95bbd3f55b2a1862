// Preloaded into a server: the disk fails at a chosen call. $FAILING_DISK names a file of four 64-bit words that the test
// and the server share: [0] which calls count (bits: 1 fsync and fdatasync, of directories too, 2 write and pwrite, 4 rename,
// 8 open of a file to write, 16 close, 32 read, pread and fread), [1] how many such calls have come, [2] the call at which it begins to fail (0: never), [3] errno, with 1000 added if every later call
// fails too. Only files below $FAILING_FOLDER count. Allocates nothing.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { kSync = 1, kWrite = 2, kRename = 4, kOpen = 8, kClose = 16, kRead = 32 };

static int64_t* control;
static const char* folder;

__attribute__((constructor)) static void open_control(void) {
    const char* path = getenv("FAILING_DISK");
    folder = getenv("FAILING_FOLDER");
    const int file = path && folder ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) {
        return;
    }
    void* memory = mmap(NULL, 4 * sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    control = memory == MAP_FAILED ? NULL : memory;
    close(file);
}

// The errno to fail with, or 0.
static int fault(int kind) {
    if (!control || !(control[0] & kind)) {
        return 0;
    }
    const int64_t call = __atomic_add_fetch(&control[1], 1, __ATOMIC_SEQ_CST);
    const int64_t from = __atomic_load_n(&control[2], __ATOMIC_SEQ_CST);
    if (from == 0 || call < from || (call > from && control[3] < 1000)) {
        return 0;
    }
    return (int)(control[3] % 1000);
}

static int is_ours(int descriptor) {
    char name[64];
    char path[512];
    if (!control) {
        return 0;
    }
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(name, path, sizeof path - 1);
    if (length <= 0) {
        return 0;
    }
    path[length] = '\0';
    return strncmp(path, folder, strlen(folder)) == 0;
}

static int fails(int kind, int descriptor) {
    const int why = control && (control[0] & kind) && is_ours(descriptor) ? fault(kind) : 0;
    if (why) {
        errno = why;
    }
    return why;
}

int fsync(int descriptor) {
    return fails(kSync, descriptor) ? -1 : (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
    return fails(kSync, descriptor) ? -1 : (int)syscall(SYS_fdatasync, descriptor);
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
    if (fails(kWrite, descriptor)) {
        // Half of it has come through, as on a disk that ran full in the middle.
        if (errno == ENOSPC && size > 1) {
            return (ssize_t)syscall(SYS_write, descriptor, bytes, size / 2);
        }
        return -1;
    }
    return (ssize_t)syscall(SYS_write, descriptor, bytes, size);
}

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t at) {
    return fails(kWrite, descriptor) ? -1 : (ssize_t)syscall(SYS_pwrite64, descriptor, bytes, size, at);
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t at) {
    return fails(kWrite, descriptor) ? -1 : (ssize_t)syscall(SYS_pwrite64, descriptor, bytes, size, at);
}

static int path_fails(int kind, const char* path) {
    const int why = control && folder && strncmp(path, folder, strlen(folder)) == 0 ? fault(kind) : 0;
    if (why) {
        errno = why;
    }
    return why;
}

int rename(const char* from, const char* to) {
    if (path_fails(kRename, to)) {
        return -1;
    }
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int open(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0;
    va_end(rest);
    if ((flags & O_ACCMODE) != O_RDONLY && path_fails(kOpen, path)) {
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

// The descriptor is gone all the same, as POSIX leaves it.
int close(int descriptor) {
    const int why = fails(kClose, descriptor);
    const int closed = (int)syscall(SYS_close, descriptor);
    if (why) {
        errno = why;
        return -1;
    }
    return closed;
}

ssize_t read(int descriptor, void* bytes, size_t size) {
    return fails(kRead, descriptor) ? -1 : (ssize_t)syscall(SYS_read, descriptor, bytes, size);
}

ssize_t pread(int descriptor, void* bytes, size_t size, off_t at) {
    return fails(kRead, descriptor) ? -1 : (ssize_t)syscall(SYS_pread64, descriptor, bytes, size, at);
}

#undef fread_unlocked
size_t fread_unlocked(void* bytes, size_t size, size_t count, FILE* file) {
    static size_t (*real)(void*, size_t, size_t, FILE*);
    if (!real) {
        real = (size_t(*)(void*, size_t, size_t, FILE*))dlsym(RTLD_NEXT, "fread_unlocked");
    }
    if (fails(kRead, fileno(file))) {
        file->_flags |= 0x20;  // as ferror() sees it
        return 0;
    }
    return real(bytes, size, count, file);
}

// Preloaded into a server: a sync takes longer. $SLOW_DISK names a file of one 64-bit word that the test and the server share:
// so many milliseconds before each fsync and fdatasync. It is looked at every millisecond, so that the disk is well again at once.

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t* delay;

__attribute__((constructor)) static void open_control(void) {
    const char* path = getenv("SLOW_DISK");
    const int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) {
        return;
    }
    void* memory = mmap(NULL, sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    delay = memory == MAP_FAILED ? NULL : memory;
    close(file);
}

static void wait_for_disk(void) {
    const struct timespec millisecond = {0, 1000000};
    for (int64_t waited = 0; delay && waited < *delay; ++waited) {
        nanosleep(&millisecond, NULL);
    }
}

int fsync(int descriptor) {
    wait_for_disk();
    return (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
    wait_for_disk();
    return (int)syscall(SYS_fdatasync, descriptor);
}

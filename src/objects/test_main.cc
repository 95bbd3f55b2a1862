// The tests, and the other programs that the test program can be, chosen by its first argument.

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "objects/test_store.h"
#include "objects/test_writer.h"
#include "objects/thumbnail.h"

namespace gateleg::objects {
namespace {

// Puts object after object, and says the number of each once it is acknowledged. Until killed.
int write_for_ever(const std::string& directory, int number) {
    const SystemClock clock;
    ObjectStore store(on_disk(directory), clock);
    (void)store.create_bucket("pictures");
    for (;; ++number) {
        if (!put(store, "pictures", writer_key(number), writer_body(number))) {
            return 1;
        }
        const auto line = std::to_string(number) + "\n";
        if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) {
            return 1;
        }
    }
}

}  // namespace
}  // namespace gateleg::objects

int main(int argc, char** argv) {
    using namespace gateleg::objects;  // NOLINT: the programs to choose from
    const std::vector<std::string> given(argv, argv + argc);
    if (given.size() == 5 && given[1] == "thumbnail-worker") {
        ::_exit(thumbnail_worker_main(
            static_cast<std::uint32_t>(std::stoul(given[2])),
            std::stoull(given[3]),
            std::stoull(given[4])
        ));
    }
    if (given.size() == 4 && given[1] == "write-for-ever") {
        ::_exit(write_for_ever(given[2], std::stoi(given[3])));
    }
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}

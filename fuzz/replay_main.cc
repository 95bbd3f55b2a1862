// Feeds every file that the command line names, or that lies in a folder it names, to the fuzz
// target once. A path that does not exist counts as an empty folder: a new fuzzer has no corpus
// yet.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void feed(const std::string& bytes) {
    // libFuzzer's pointer is never null either, not even for an empty input.
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

void replay(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    // Named before it runs, so that a crash says which file it was.
    std::printf("%s (%zu bytes)\n", path.c_str(), bytes.size());
    std::fflush(stdout);
    feed(bytes);
}

}  // namespace

int main(int argc, char** argv) {
    feed("");
    for (int i = 1; i < argc; ++i) {
        const std::filesystem::path path = argv[i];
        if (std::filesystem::is_directory(path)) {
            for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
                if (entry.is_regular_file()) {
                    replay(entry.path());
                }
            }
        } else if (std::filesystem::exists(path)) {
            replay(path);
        }
    }
}

#include "objects/internal/own_key.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

#include <fcntl.h>

#include "base/ids.h"
#include "objects/internal/body_files.h"

namespace gateleg::objects::internal {

namespace {

std::string random_hex() {
    auto text = random_uuid();
    std::erase(text, '-');
    return text;
}

[[noreturn]] void fail(const char* what, const std::filesystem::path& path) {
    throw std::filesystem::filesystem_error(
        what, path, std::error_code(errno, std::system_category())
    );
}

void write_durably(const std::filesystem::path& path, const std::string& text) {
    const auto draft = std::filesystem::path(path).concat(".new");
    {
        const FileDescriptor fd(
            ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
        );
        if (!fd ||
            ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
            ::fsync(fd.get()) != 0) {
            fail("cannot write the key", draft);
        }
    }
    std::filesystem::rename(draft, path);
    if (!sync_directory(path.parent_path())) {
        fail("cannot sync", path.parent_path());
    }
}

}  // namespace

OwnKey make_own_key() {
    auto id = random_hex().substr(0, 13);
    std::transform(id.begin(), id.end(), id.begin(), [](char c) {
        return c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return {"GATELEG" + id, random_hex() + random_hex()};
}

OwnKey load_own_key(const std::filesystem::path& directory) {
    const auto path = directory / "own-key";
    std::ifstream in(path);
    OwnKey key;
    if (in >> key.access_key_id >> key.secret_access_key) {
        return key;
    }
    if (std::filesystem::exists(path)) {
        errno = EINVAL;
        fail("not a key file: delete it to have a new key made", path);
    }
    key = make_own_key();
    write_durably(path, key.access_key_id + "\n" + key.secret_access_key + "\n");
    return key;
}

}  // namespace gateleg::objects::internal

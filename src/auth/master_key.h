// The key that the secrets of access keys are sealed with (AES-256-GCM). It is a file of its own,
// outside the data directory, so that neither that directory nor a copy of it gives keys away.

#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gateleg::auth {

// Immutable; any thread may use it.
class MasterKey {
public:
    static MasterKey random();
    // 64 hexadecimal digits, as `openssl rand -hex 32` prints them; blanks around them are no part.
    static std::optional<MasterKey> parse(std::string_view text);
    MasterKey(const MasterKey&) = default;
    MasterKey& operator=(const MasterKey&) = default;
    ~MasterKey();

    std::string text() const;
    // Tells one key from another, and nothing about either.
    std::string fingerprint() const;

    // Nonce, encrypted bytes and tag. `bound` is not kept, but must be the same for open().
    std::string seal(std::string_view plain, std::string_view bound) const;
    // Nothing if anything was changed, or another key sealed it.
    std::optional<std::string> open(std::string_view sealed, std::string_view bound) const;

private:
    MasterKey() = default;
    std::array<std::uint8_t, 32> bytes_{};
};

// GATELEG_KEY_FILE, else gateleg/master.key in the user's configuration directory, else (a service
// without a home) /etc/gateleg/master.key.
std::filesystem::path default_master_key_file();

// Refuses a file inside `data`, one that others may read, and one that is no key. Nothing if there
// is none.
Result<std::optional<MasterKey>> load_master_key(
    const std::filesystem::path& file, const std::filesystem::path& data
);
// The same, and makes the file if there is none.
Result<MasterKey> load_or_make_master_key(
    const std::filesystem::path& file, const std::filesystem::path& data
);

// Bytes that nobody can guess.
std::string random_bytes(std::size_t count);

}  // namespace gateleg::auth

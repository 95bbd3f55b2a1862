// The access keys that a server takes: those of a credentials file, and those that are made with
// `gateleg keys` and kept in the data directory.
//
// Once a key was made, signatures are asked for, also after the last one has been revoked: the file
// `keys` in the data directory is the sign, and deleting it opens the gate again.

#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "auth/credentials.h"
#include "auth/key_rows.h"
#include "base/result.h"

namespace gateleg::auth {

struct KeyRingOptions {
    std::optional<std::filesystem::path> credentials = {};  // a file of profiles
    std::filesystem::path directory = {};  // of the data; empty: no key can be made
    std::filesystem::path master_key = {};
};

struct KeyRequest {
    std::string name;
    std::string scope = "admin";
    std::int64_t expires_seconds = 0;  // since the epoch; 0: never
};

// The only time the secret is shown.
struct NewKey {
    std::string id;
    std::string secret;
    std::string scope;
    bool first = false;  // from now on signatures are asked for
};

struct KeyInfo {
    std::string id;
    std::string name;
    std::string scope;
    std::int64_t created_seconds = 0;  // 0: not known
    std::int64_t expires_seconds = 0;  // 0: never
    std::int64_t used_seconds = 0;     // 0: not that we know; about a minute old
    bool from_file = false;            // of --credentials: not to be revoked here
};

// Thread-safe. Once there are keys it holds a lock on the data directory for as long as it lives,
// so that only one process changes them.
class KeyRing {
public:
    // Fails if a file is damaged, or if keys are there and their master key is not.
    static Result<std::unique_ptr<KeyRing>> open(KeyRingOptions options);
    // Keys that lie nowhere and stay as they are.
    static std::unique_ptr<KeyRing> fixed(const Credentials& credentials);
    ~KeyRing();
    KeyRing(const KeyRing&) = delete;
    KeyRing& operator=(const KeyRing&) = delete;

    // Whose signatures are accepted; null as long as nobody asked for any.
    std::shared_ptr<const Credentials> gate() const;

    // False: there is no data directory to keep them in.
    bool can_create() const { return !options_.directory.empty(); }
    // On the disk, and in force, when they return.
    Result<NewKey> create(const KeyRequest& request, std::int64_t now_seconds);
    Result<void> revoke(std::string_view id);
    std::vector<KeyInfo> list() const;

    // From now on the times of last use are kept, about every minute.
    void start_saving();
    void save_use() const;

private:
    explicit KeyRing(KeyRingOptions options);
    Result<void> load();
    Result<void> lock_directory();
    Result<void> load_rows(std::string_view text);
    Result<void> store(const KeyRows& rows) const;
    void publish();

    KeyRingOptions options_;
    int directory_lock_ = -1;
    mutable std::mutex changing_;  // taken before published_lock_
    KeyRows rows_;
    std::vector<Credential> from_file_;
    std::vector<Credential> own_;
    // False for as long as there is no gate, so that most servers need no lock for each request.
    std::atomic<bool> has_gate_{false};
    mutable std::shared_mutex published_lock_;
    std::shared_ptr<const Credentials> published_;
    std::jthread saver_;
};

// Where the data directory has its keys: whether it asks for signatures.
bool has_keys(const std::filesystem::path& data);

// Its keys, sealed as they are, into another directory; nothing if it has none.
Result<void> copy_keys(const std::filesystem::path& data, const std::filesystem::path& to);

}  // namespace gateleg::auth

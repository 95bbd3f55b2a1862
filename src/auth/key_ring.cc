#include "auth/key_ring.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "auth/private_file.h"
#include "base/file_lock.h"
#include "base/log.h"

namespace gateleg::auth {
namespace {

// In a data directory; storage/internal/data_directory.cc knows them too.
constexpr const char* kKeysFile = "keys";
constexpr const char* kUseFile = "keys-used";
constexpr std::size_t kMaxKeys = 1000;

// "GLK" and seventeen characters that cannot be mistaken for one another.
std::string random_id() {
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    std::string id = "GLK";
    for (const char byte : random_bytes(17)) {
        id.push_back(kAlphabet[static_cast<unsigned char>(byte) % kAlphabet.size()]);
    }
    return id;
}

// 240 bits in forty characters that no shell and no file format treats specially.
std::string random_secret() {
    constexpr std::string_view kAlphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::string secret;
    for (const char byte : random_bytes(40)) {
        secret.push_back(kAlphabet[static_cast<unsigned char>(byte) % kAlphabet.size()]);
    }
    return secret;
}

KeyInfo info_of(const Credential& credential) {
    return {
        .id = credential.access_key_id,
        .name = credential.profile,
        .scope = credential.scope->text(),
        .expires_seconds = credential.expires_seconds,
        .used_seconds = credential.used->load(std::memory_order_relaxed)};
}

// A line is "ID SECONDS"; what is none is passed over, for nothing depends on it.
void read_use(std::string_view text, const std::vector<Credential>& keys) {
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const auto blank = std::min(line.find(' '), line.size());
        std::int64_t seconds = 0;
        std::from_chars(line.data() + std::min(blank + 1, line.size()), line.end(), seconds);
        for (const auto& key : keys) {
            if (key.access_key_id == line.substr(0, blank)) {
                key.used->store(std::max<std::int64_t>(seconds, 0), std::memory_order_relaxed);
            }
        }
    }
}

}  // namespace

bool has_keys(const std::filesystem::path& data) {
    std::error_code failure;
    return std::filesystem::exists(data / kKeysFile, failure);
}

Result<void> copy_keys(const std::filesystem::path& data, const std::filesystem::path& to) {
    GATELEG_TRY_ASSIGN(const auto text, read_private_file(data / kKeysFile));
    return text ? replace_private_file(to / kKeysFile, *text) : Result<void>();
}

KeyRing::KeyRing(KeyRingOptions options) : options_(std::move(options)) {}

KeyRing::~KeyRing() {
    if (saver_.joinable()) {
        saver_.request_stop();
        saver_.join();
        save_use();
    }
    if (directory_lock_ >= 0) {
        ::close(directory_lock_);
    }
}

Result<std::unique_ptr<KeyRing>> KeyRing::open(KeyRingOptions options) {
    std::unique_ptr<KeyRing> ring(new KeyRing(std::move(options)));  // its constructor is private
    GATELEG_TRY(ring->load());
    return ring;
}

std::unique_ptr<KeyRing> KeyRing::fixed(const Credentials& credentials) {
    std::unique_ptr<KeyRing> ring(new KeyRing({}));  // its constructor is private
    ring->from_file_ = credentials.list();
    ring->publish();
    return ring;
}

Result<void> KeyRing::load() {
    if (options_.credentials) {
        GATELEG_TRY_ASSIGN(const auto loaded, Credentials::load(*options_.credentials));
        from_file_ = loaded.list();
    }
    if (!options_.directory.empty() && has_keys(options_.directory)) {
        GATELEG_TRY(lock_directory());
        GATELEG_TRY_ASSIGN(const auto text, read_private_file(options_.directory / kKeysFile));
        GATELEG_TRY(load_rows(text.value_or("")));
    }
    publish();
    return {};
}

// A directory can be locked as a file can; the store has a lock of its own, on a file in it.
Result<void> KeyRing::lock_directory() {
    if (directory_lock_ >= 0) {
        return {};
    }
    directory_lock_ = ::open(options_.directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory_lock_ < 0 || !lock_exclusively(directory_lock_)) {
        return resource_in_use(
            options_.directory.string() + (directory_lock_ < 0
                                               ? ": cannot be opened"
                                               : ": already in use by another Gateleg process")
        );
    }
    return {};
}

Result<void> KeyRing::load_rows(std::string_view text) {
    const auto source = (options_.directory / kKeysFile).string();
    GATELEG_TRY_ASSIGN(rows_, parse_key_rows(text, source));
    if (rows_.rows.empty()) {
        return {};
    }
    GATELEG_TRY_ASSIGN(const auto key, load_master_key(options_.master_key, options_.directory));
    if (!key) {
        return validation_error(
            source + " holds access keys, and the master key that opens them is missing: " +
            options_.master_key.string() +
            " is not there; put it back, or name it with --key-file or GATELEG_KEY_FILE"
        );
    }
    if (key->fingerprint() != rows_.fingerprint) {
        return validation_error(
            source + " was sealed with another master key than " + options_.master_key.string() +
            "; name the right one with --key-file or GATELEG_KEY_FILE"
        );
    }
    for (const auto& row : rows_.rows) {
        auto secret = open_secret(*key, row);
        if (!secret) {
            return validation_error(source + ": " + secret.error().message);
        }
        GATELEG_TRY_ASSIGN(auto scope, Scope::parse(row.scope));
        own_.push_back(
            {.profile = row.name,
             .access_key_id = row.id,
             .secret_access_key = *std::move(secret),
             .scope = std::make_shared<const Scope>(std::move(scope)),
             .expires_seconds = row.expires_seconds}
        );
    }
    if (const auto use = read_private_file(options_.directory / kUseFile); use && *use) {
        read_use(**use, own_);
    }
    return {};
}

std::shared_ptr<const Credentials> KeyRing::gate() const {
    if (!has_gate_.load(std::memory_order_acquire)) {
        return nullptr;
    }
    const std::shared_lock lock(published_lock_);
    return published_;
}

void KeyRing::publish() {
    std::shared_ptr<const Credentials> made;
    if (!from_file_.empty() || !rows_.fingerprint.empty()) {
        auto all = from_file_;
        all.insert(all.end(), own_.begin(), own_.end());
        made = std::make_shared<const Credentials>(std::move(all));
    }
    const std::unique_lock lock(published_lock_);
    published_ = std::move(made);
    has_gate_.store(published_ != nullptr, std::memory_order_release);
}

Result<void> KeyRing::store(const KeyRows& rows) const {
    return replace_private_file(options_.directory / kKeysFile, render_key_rows(rows));
}

Result<NewKey> KeyRing::create(const KeyRequest& request, std::int64_t now_seconds) {
    const std::scoped_lock lock(changing_);
    if (!can_create()) {
        return validation_error("keys are kept in a data directory, and there is none");
    }
    if (!is_key_name(request.name)) {
        return validation_error(
            "name: '" + request.name +
            "' cannot be a key's: use 1 to 64 letters, digits, '_', '-', '.', '@' and '+'"
        );
    }
    if (request.expires_seconds != 0 && request.expires_seconds <= now_seconds) {
        return validation_error("expires: the key would have ended already");
    }
    GATELEG_TRY_ASSIGN(auto scope, Scope::parse(request.scope));
    if (own_.size() >= kMaxKeys) {
        return validation_error("there are 1000 keys already; revoke one first");
    }
    std::error_code failure;
    if (!std::filesystem::exists(options_.directory, failure)) {
        std::filesystem::create_directories(options_.directory, failure);
        std::filesystem::permissions(
            options_.directory, std::filesystem::perms::owner_all, failure
        );
    }
    if (is_open_to_others(options_.directory)) {
        return validation_error(
            options_.directory.string() +
            ": other users can reach the data directory; make it "
            "private with: chmod 700 " +
            options_.directory.string()
        );
    }
    GATELEG_TRY(lock_directory());
    GATELEG_TRY_ASSIGN(
        const auto key, load_or_make_master_key(options_.master_key, options_.directory)
    );
    if (!rows_.rows.empty() && key.fingerprint() != rows_.fingerprint) {
        return validation_error(
            "the master key " + options_.master_key.string() +
            " is another one than the keys were "
            "sealed with"
        );
    }
    NewKey made{random_id(), random_secret(), scope.text(), rows_.fingerprint.empty()};
    KeyRow row{made.id, request.name, made.scope, now_seconds, request.expires_seconds};
    seal_secret(key, row, made.secret);
    auto changed = rows_;
    changed.fingerprint = key.fingerprint();
    changed.rows.push_back(std::move(row));
    GATELEG_TRY(store(changed));
    rows_ = std::move(changed);
    own_.push_back(
        {.profile = request.name,
         .access_key_id = made.id,
         .secret_access_key = made.secret,
         .scope = std::make_shared<const Scope>(std::move(scope)),
         .expires_seconds = request.expires_seconds}
    );
    publish();
    log_info("access key made", {{"id", made.id}, {"name", request.name}, {"scope", made.scope}});
    return made;
}

Result<void> KeyRing::revoke(std::string_view id) {
    const std::scoped_lock lock(changing_);
    const auto is_it = [&](const Credential& key) { return key.access_key_id == id; };
    if (std::any_of(from_file_.begin(), from_file_.end(), is_it)) {
        return validation_error(
            "key " + std::string(id) + " is one of --credentials " +
            options_.credentials.value_or("").string() + ": delete it there"
        );
    }
    auto changed = rows_;
    if (std::erase_if(changed.rows, [&](const KeyRow& row) { return row.id == id; }) == 0) {
        return resource_not_found("there is no key " + std::string(id));
    }
    GATELEG_TRY(store(changed));
    rows_ = std::move(changed);
    std::erase_if(own_, is_it);
    publish();
    log_info("access key revoked", {{"id", id}});
    return {};
}

std::vector<KeyInfo> KeyRing::list() const {
    const std::scoped_lock lock(changing_);
    std::vector<KeyInfo> all;
    for (const auto& key : from_file_) {
        all.push_back(info_of(key));
        all.back().from_file = true;
    }
    for (std::size_t i = 0; i < own_.size(); ++i) {
        all.push_back(info_of(own_[i]));
        all.back().created_seconds = rows_.rows[i].created_seconds;
    }
    return all;
}

void KeyRing::start_saving() {
    if (options_.directory.empty()) {
        return;
    }
    saver_ = std::jthread([this](const std::stop_token& stop) {
        constexpr std::chrono::minutes kBetween{1};
        std::mutex sleeping;
        std::condition_variable_any woken;
        std::unique_lock lock(sleeping);
        while (!woken.wait_for(lock, stop, kBetween, [&] { return stop.stop_requested(); })) {
            save_use();
        }
    });
}

void KeyRing::save_use() const {
    const std::scoped_lock lock(changing_);
    std::string text;
    for (const auto& key : own_) {
        if (const auto used = key.used->load(std::memory_order_relaxed); used != 0) {
            text.append(key.access_key_id).append(" ").append(std::to_string(used)).append("\n");
        }
    }
    const auto path = options_.directory / kUseFile;
    const auto before = read_private_file(path);
    if (text.empty() || (before && *before && **before == text)) {
        return;
    }
    if (const auto saved = replace_private_file(path, text); !saved) {
        log_warn("last use of keys cannot be kept", {{"reason", saved.error().message}});
    }
}

}  // namespace gateleg::auth

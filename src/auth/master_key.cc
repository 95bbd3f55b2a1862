#include "auth/master_key.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include "auth/private_file.h"
#include "base/check.h"
#include "base/sha256.h"

namespace gateleg::auth {
namespace {

constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;

struct FreeCipher {
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

std::uint8_t* bytes_of(std::string& text) {
    return reinterpret_cast<std::uint8_t*>(text.data());
}
const std::uint8_t* bytes_of(std::string_view text) {
    return reinterpret_cast<const std::uint8_t*>(text.data());
}

// Whether `path` is `directory` or lies in it, symbolic links followed as far as they exist.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& directory) {
    std::error_code failure;
    const auto inner = std::filesystem::weakly_canonical(path, failure);
    const auto outer = std::filesystem::weakly_canonical(directory, failure);
    return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first ==
           outer.end();
}

Result<void> check_place(const std::filesystem::path& file, const std::filesystem::path& data) {
    if (!data.empty() && is_inside(file, data)) {
        return validation_error(
            "the master key " + file.string() + " lies in the data directory " + data.string() +
            ": a copy of the directory would give all keys away; name another place with "
            "--key-file"
        );
    }
    return {};
}

}  // namespace

std::string random_bytes(std::size_t count) {
    std::string bytes(count, '\0');
    GATELEG_CHECK(RAND_bytes(bytes_of(bytes), static_cast<int>(count)) == 1);
    return bytes;
}

MasterKey MasterKey::random() {
    MasterKey key;
    GATELEG_CHECK(RAND_bytes(key.bytes_.data(), static_cast<int>(key.bytes_.size())) == 1);
    return key;
}

std::optional<MasterKey> MasterKey::parse(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n";
    const auto start = std::min(text.find_first_not_of(kBlank), text.size());
    const auto end = text.find_last_not_of(kBlank);
    const auto digits = parse_hex_digest(text.substr(start, end + 1 - start));
    if (!digits) {
        return std::nullopt;
    }
    MasterKey key;
    key.bytes_ = *digits;
    return key;
}

MasterKey::~MasterKey() {
    OPENSSL_cleanse(bytes_.data(), bytes_.size());
}

std::string MasterKey::text() const {
    return to_hex(bytes_);
}

std::string MasterKey::fingerprint() const {
    return to_hex(HmacKey(bytes_).sign("gateleg master key")).substr(0, 16);
}

std::string MasterKey::seal(std::string_view plain, std::string_view bound) const {
    auto sealed = random_bytes(kNonceBytes);
    sealed.resize(kNonceBytes + plain.size() + kTagBytes);
    auto* out = bytes_of(sealed);
    const Cipher cipher(EVP_CIPHER_CTX_new());
    int count = 0;
    const bool done =
        EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_.data(), out) == 1 &&
        EVP_EncryptUpdate(
            cipher.get(), nullptr, &count, bytes_of(bound), static_cast<int>(bound.size())
        ) == 1 &&
        EVP_EncryptUpdate(
            cipher.get(), out + kNonceBytes, &count, bytes_of(plain), static_cast<int>(plain.size())
        ) == 1 &&
        EVP_EncryptFinal_ex(cipher.get(), out + kNonceBytes + plain.size(), &count) == 1 &&
        EVP_CIPHER_CTX_ctrl(
            cipher.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, out + kNonceBytes + plain.size()
        ) == 1;
    GATELEG_CHECK(done);
    return sealed;
}

std::optional<std::string> MasterKey::open(std::string_view sealed, std::string_view bound) const {
    if (sealed.size() < kNonceBytes + kTagBytes) {
        return std::nullopt;
    }
    const auto encrypted = sealed.substr(kNonceBytes, sealed.size() - kNonceBytes - kTagBytes);
    std::string tag(sealed.substr(sealed.size() - kTagBytes));
    std::string plain(encrypted.size(), '\0');
    const Cipher cipher(EVP_CIPHER_CTX_new());
    int count = 0;
    const bool done =
        EVP_DecryptInit_ex(
            cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_.data(), bytes_of(sealed)
        ) == 1 &&
        EVP_DecryptUpdate(
            cipher.get(), nullptr, &count, bytes_of(bound), static_cast<int>(bound.size())
        ) == 1 &&
        EVP_DecryptUpdate(
            cipher.get(),
            bytes_of(plain),
            &count,
            bytes_of(encrypted),
            static_cast<int>(encrypted.size())
        ) == 1 &&
        EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()) == 1 &&
        EVP_DecryptFinal_ex(cipher.get(), bytes_of(plain) + plain.size(), &count) == 1;
    return done ? std::optional(std::move(plain)) : std::nullopt;
}

std::filesystem::path default_master_key_file() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value == nullptr ? "" : value);
    };
    if (const auto named = variable("GATELEG_KEY_FILE"); !named.empty()) {
        return named;
    }
    if (const auto settings = variable("XDG_CONFIG_HOME"); !settings.empty()) {
        return std::filesystem::path(settings) / "gateleg" / "master.key";
    }
    if (const auto home = variable("HOME"); !home.empty()) {
        return std::filesystem::path(home) / ".config" / "gateleg" / "master.key";
    }
    return "/etc/gateleg/master.key";
}

Result<std::optional<MasterKey>> load_master_key(
    const std::filesystem::path& file, const std::filesystem::path& data
) {
    GATELEG_TRY(check_place(file, data));
    GATELEG_TRY_ASSIGN(const auto text, read_private_file(file));
    if (!text) {
        return std::optional<MasterKey>();
    }
    if (is_open_to_others(file)) {
        return validation_error(
            "the master key " + file.string() +
            " can be read by others; close it with: chmod 600 " + file.string()
        );
    }
    auto key = MasterKey::parse(*text);
    if (!key) {
        return validation_error(
            file.string() + ": is no master key, which is 64 hexadecimal digits in lower case"
        );
    }
    return key;
}

Result<MasterKey> load_or_make_master_key(
    const std::filesystem::path& file, const std::filesystem::path& data
) {
    GATELEG_TRY_ASSIGN(const auto found, load_master_key(file, data));
    if (found) {
        return *found;
    }
    std::error_code failure;
    if (const auto parent = file.parent_path(); !parent.empty()) {
        std::filesystem::create_directories(parent, failure);
    }
    if (failure) {
        return validation_error(
            "the master key " + file.string() + " cannot be made: " + failure.message() +
            "; name another place with --key-file"
        );
    }
    const auto key = MasterKey::random();
    GATELEG_TRY(replace_private_file(file, key.text() + "\n"));
    return key;
}

}  // namespace gateleg::auth

#include "systems/accounts/password.h"

#include <argon2.h>

#include "base/base64.h"
#include "base/check.h"
#include "systems/accounts/secrets.h"

namespace gateleg::systems {
namespace {

constexpr std::size_t kSaltBytes = 16;
constexpr std::size_t kHashBytes = 32;

std::string without_padding(std::string_view bytes) {
    auto encoded = encode_base64(bytes);
    encoded.resize(encoded.find_last_not_of('=') + 1);
    return encoded;
}

PasswordHash make_hash(const PasswordCost& cost, std::string_view password) {
    const auto salt = random_bytes(kSaltBytes);
    const auto size =
        argon2_encodedlen(cost.passes, cost.memory_kib, 1, kSaltBytes, kHashBytes, Argon2_id);
    std::string text(size, '\0');
    const int failed = argon2id_hash_encoded(
        cost.passes,
        cost.memory_kib,
        1,
        password.data(),
        password.size(),
        salt.data(),
        salt.size(),
        kHashBytes,
        text.data(),
        text.size()
    );
    GATELEG_CHECK(failed == ARGON2_OK);
    text.resize(text.find('\0'));
    return {std::move(text), without_padding(salt)};
}

// In the form of a hash, but of no password: to have it computed would take memory and time at the
// start, and comparing with it costs the same either way.
std::string hash_of_nothing(const PasswordCost& cost) {
    return "$argon2id$v=19$m=" + std::to_string(cost.memory_kib) +
           ",t=" + std::to_string(cost.passes) + ",p=1$" +
           without_padding(random_bytes(kSaltBytes)) + "$" +
           without_padding(random_bytes(kHashBytes));
}

}  // namespace

PasswordHasher::PasswordHasher(PasswordCost cost, std::size_t at_once, std::size_t max_waiting)
    : cost_(cost), at_once_(at_once), max_waiting_(max_waiting), nobody_(hash_of_nothing(cost)) {}

PasswordHasher::Place::~Place() {
    if (hasher_ == nullptr) {
        return;
    }
    {
        const std::lock_guard lock(hasher_->mutex_);
        --hasher_->inside_;
    }
    hasher_->left_.notify_one();
}

std::optional<PasswordHasher::Place> PasswordHasher::enter() {
    std::unique_lock lock(mutex_);
    if (inside_ >= at_once_ && waiting_ >= max_waiting_) {
        return std::nullopt;
    }
    ++waiting_;
    left_.wait(lock, [&] { return inside_ < at_once_; });
    --waiting_;
    ++inside_;
    return std::optional<Place>(std::in_place, *this);
}

PasswordHash PasswordHasher::hash(const Place& /*place*/, std::string_view password) const {
    return make_hash(cost_, password);
}

bool PasswordHasher::verify(
    const Place& /*place*/, std::string_view password, const std::string& hash
) const {
    return argon2id_verify(hash.c_str(), password.data(), password.size()) == ARGON2_OK;
}

bool PasswordHasher::verify_nobody(const Place& place, std::string_view password) const {
    static_cast<void>(verify(place, password, nobody_));
    return false;
}

}  // namespace gateleg::systems

#include "systems/accounts/password.h"

#include <argon2.h>

#include "base/base64.h"
#include "base/check.h"
#include "systems/accounts/secrets.h"

namespace gateleg::systems {
namespace {

constexpr std::size_t kSaltBytes = 16;
constexpr std::size_t kHashBytes = 32;

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
    auto encoded = encode_base64(salt);
    encoded.resize(encoded.find_last_not_of('=') + 1);
    return {std::move(text), std::move(encoded)};
}

}  // namespace

PasswordHasher::PasswordHasher(PasswordCost cost, std::size_t at_once, std::size_t max_waiting)
    : cost_(cost),
      at_once_(at_once),
      max_waiting_(max_waiting),
      nobody_(make_hash(cost, random_bytes(kSaltBytes)).text) {}

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

// Passwords as argon2id hashes in the usual text form ($argon2id$v=19$m=..,t=..,p=..$salt$hash).

#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace gateleg::systems {

struct PasswordCost {
    std::uint32_t memory_kib = 19'456;
    std::uint32_t passes = 2;
};
// The least that argon2 takes, for tests.
inline constexpr PasswordCost kCheapestPassword{.memory_kib = 8, .passes = 1};

struct PasswordHash {
    std::string text;
    std::string salt;  // base64, as it also stands in the text
};

// Thread-safe. A hash takes memory and time on purpose, so only a few are computed at once; who
// finds too many waiting is turned away.
class PasswordHasher {
public:
    PasswordHasher(PasswordCost cost, std::size_t at_once, std::size_t max_waiting);

    // The right to compute hashes; given back when it is destroyed.
    class Place {
    public:
        explicit Place(PasswordHasher& hasher) : hasher_(&hasher) {}
        ~Place();
        Place(Place&& other) noexcept : hasher_(other.hasher_) { other.hasher_ = nullptr; }
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        Place& operator=(Place&&) = delete;

    private:
        PasswordHasher* hasher_;
    };
    // Waits for a place. Nothing if too many wait already.
    std::optional<Place> enter();

    PasswordHash hash(const Place& place, std::string_view password) const;
    // False for a text that is no hash of ours.
    bool verify(const Place& place, std::string_view password, const std::string& hash) const;
    // Takes as long as verify() and is never true: for names that nobody has.
    bool verify_nobody(const Place& place, std::string_view password) const;

private:
    const PasswordCost cost_;
    const std::size_t at_once_;
    const std::size_t max_waiting_;
    std::string nobody_;

    std::mutex mutex_;
    std::condition_variable left_;
    std::size_t inside_ = 0;
    std::size_t waiting_ = 0;
};

}  // namespace gateleg::systems

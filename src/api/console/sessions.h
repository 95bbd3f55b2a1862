// Who is signed in to the console: one-time links that make sessions, and the sessions themselves.
//
// Both live in memory and end with the process. Only hashes of links and cookies are kept.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/sha256.h"

namespace gateleg::api::console {

inline constexpr std::int64_t kSessionMillis = std::int64_t{12} * 60 * 60 * 1000;
inline constexpr std::int64_t kLinkMillis = std::int64_t{12} * 60 * 60 * 1000;

// Immutable but for its switch.
struct Session {
    std::string name;  // of whoever signed in
    std::string csrf;
    std::int64_t expires_millis = 0;
    std::atomic<bool> read_only{false};
};

// Thread-safe. The clock outlives it; it is the real one, whatever tests do to the other.
class Sessions {
public:
    Sessions(const Clock& real_clock, bool read_only_at_first);

    // A token that signs in once, until it ends.
    std::string make_link();
    // True the first time.
    bool use_link(std::string_view token);

    struct Opened {
        std::string cookie;
        std::shared_ptr<Session> session;
    };
    Opened open(std::string name);
    // Null if the cookie is of no live session.
    std::shared_ptr<Session> find(std::string_view cookie) const;
    void close(std::string_view cookie);

private:
    void forget_old_locked(std::int64_t now);

    const Clock& clock_;
    const bool read_only_at_first_;
    mutable std::mutex mutex_;
    std::map<Sha256Digest, std::int64_t> links_;  // hash -> when it ends
    std::map<Sha256Digest, std::shared_ptr<Session>> sessions_;
};

}  // namespace gateleg::api::console

#include "api/console/sessions.h"

#include <algorithm>

#include "systems/accounts/secrets.h"

namespace gateleg::api::console {
namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kMostLinks = 64;
constexpr std::size_t kMostSessions = 256;

// Makes room for one more by giving up the one that would end first.
template <class Map, class EndOf>
void bound(Map& map, std::size_t most, EndOf end_of) {
    if (map.size() < most) {
        return;
    }
    const auto first =
        std::min_element(map.begin(), map.end(), [&](const auto& left, const auto& right) {
            return end_of(left.second) < end_of(right.second);
        });
    map.erase(first);
}

}  // namespace

Sessions::Sessions(const Clock& real_clock, bool read_only_at_first)
    : clock_(real_clock), read_only_at_first_(read_only_at_first) {}

void Sessions::forget_old_locked(std::int64_t now) {
    std::erase_if(links_, [&](const auto& link) { return link.second <= now; });
    std::erase_if(sessions_, [&](const auto& each) { return each.second->expires_millis <= now; });
}

std::string Sessions::make_link() {
    auto token = systems::random_text(kSecretBytes);
    const auto now = clock_.now_millis();
    const std::lock_guard lock(mutex_);
    forget_old_locked(now);
    bound(links_, kMostLinks, [](std::int64_t end) { return end; });
    links_[sha256(token)] = now + kLinkMillis;
    return token;
}

bool Sessions::use_link(std::string_view token) {
    const auto hash = sha256(token);
    const std::lock_guard lock(mutex_);
    forget_old_locked(clock_.now_millis());
    return links_.erase(hash) != 0;
}

Sessions::Opened Sessions::open(std::string name) {
    Opened opened{systems::random_text(kSecretBytes), std::make_shared<Session>()};
    auto& session = *opened.session;
    session.name = std::move(name);
    session.csrf = systems::random_text(kSecretBytes);
    session.read_only = read_only_at_first_;
    const auto now = clock_.now_millis();
    session.expires_millis = now + kSessionMillis;
    const std::lock_guard lock(mutex_);
    forget_old_locked(now);
    bound(sessions_, kMostSessions, [](const auto& each) { return each->expires_millis; });
    sessions_[sha256(opened.cookie)] = opened.session;
    return opened;
}

std::shared_ptr<Session> Sessions::find(std::string_view cookie) const {
    if (cookie.empty()) {
        return nullptr;
    }
    const auto hash = sha256(cookie);
    const auto now = clock_.now_millis();
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(hash);
    return found == sessions_.end() || found->second->expires_millis <= now ? nullptr
                                                                            : found->second;
}

void Sessions::close(std::string_view cookie) {
    const auto hash = sha256(cookie);
    const std::lock_guard lock(mutex_);
    sessions_.erase(hash);
}

}  // namespace gateleg::api::console

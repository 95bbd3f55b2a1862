#include "systems/registry.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "systems/accounts/session_lookup.h"
#include "systems/figureforge/install.h"
#include "systems/gallery/install.h"
#include "systems/membership/install.h"
#include "systems/moderation/install.h"
#include "systems/stories/install.h"

namespace gateleg::systems {
namespace {

struct Code {
    std::string_view system;
    void (*install)(model::Runtime&, const Services&);
};
constexpr std::array<Code, 5> kCode = {{
    {"figureforge", install_figureforge},
    {"gallery", install_gallery},
    {"membership", install_membership},
    {"moderation", install_moderation},
    {"stories", install_stories},
}};

}  // namespace

const SystemFiles* find_system(std::string_view name) {
    for (const auto& files : built_in_systems()) {
        if (files.name == name) {
            return &files;
        }
    }
    return nullptr;
}

InstalledServices install_systems(const Services& services) {
    InstalledServices all;
    for (const auto& code : kCode) {
        if (auto* runtime = services.find(code.system)) {
            auto own = std::make_unique<Services>(services);
            const auto bucket = services.buckets.find(code.system);
            own->objects = bucket != services.buckets.end() ? bucket->second : nullptr;
            code.install(*runtime, *own);
            all.push_back(std::move(own));
        }
    }
    return all;
}

std::unique_ptr<SessionSource> make_session_source(const Services& services) {
    return std::make_unique<SessionLookup>(services);
}

model::Runtime* Services::find(std::string_view system) const {
    const auto found = runtimes.find(system);
    return found == runtimes.end() ? nullptr : found->second;
}

std::optional<std::string> Services::find_setting(const std::string& name) const {
    auto found = setting ? setting(name) : std::nullopt;
    return found && !found->empty() ? found : std::nullopt;
}

std::set<std::string, std::less<>> roles_in(const Session& session, std::string_view system) {
    std::set<std::string, std::less<>> roles = {"user"};
    if (session.system == system) {
        roles.insert(session.roles.begin(), session.roles.end());
    } else if (session.system == "gallery" && system == "moderation" && (session.roles.contains("moderator") || session.roles.contains("admin"))) {
        roles.insert("moderator");
    }
    return roles;
}

}  // namespace gateleg::systems

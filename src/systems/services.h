// What the C++ of a system may use.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "model/runtime.h"
#include "systems/object_access.h"
#include "systems/session_source.h"

namespace gateleg::systems {

// Made once at start; outlives every function that was installed with it.
struct Services {
    const Clock& clock;       // the clock in force: tests may set it
    const Clock& real_clock;  // for what strangers signed
    // Random bytes of this data directory: for ids and tokens that nobody may guess.
    std::string secret = {};
    // Tests: the cheapest password hash, no limits by address.
    bool test_mode = false;
    // A setting, such as GATELEG_STRIPE_WEBHOOK_SECRET; nothing if it is unset or empty.
    std::function<std::optional<std::string>(const std::string&)> setting = {};
    // The bucket of the system at hand; null: this server keeps no objects for it.
    ObjectAccess* objects = nullptr;
    // The buckets of all systems that have one.
    std::map<std::string, ObjectAccess*, std::less<>> buckets = {};
    // The loaded systems.
    std::map<std::string, model::Runtime*, std::less<>> runtimes = {};

    // Null if that system is not loaded.
    model::Runtime* find(std::string_view system) const;
    std::optional<std::string> find_setting(const std::string& name) const;
};

}  // namespace gateleg::systems

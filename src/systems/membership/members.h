// Members through the runtime: read them, change them, keep what follows from time.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/native.h"
#include "model/runtime.h"
#include "systems/membership/access.h"
#include "systems/membership/lots.h"
#include "systems/services.h"

namespace gateleg::systems::membership {

using model::Arguments;
using model::CallError;
using model::CallResult;
using model::OperationReply;

// One change of a membership: the member as it will be, and what else the transaction writes.
struct Change {
    Member after;
    Arguments arguments = {};  // of changeMembership, beside what follows from `after`
    value::List outbox = {};
    // Attributes of the profile to set besides its tier; null removes.
    value::Map profile = {};
    // A manual tier that goes away with this change.
    bool drop_manual = false;
};
// From the member as it is. Nothing: there is nothing to change.
using MakeChange = std::function<CallResult<std::optional<Change>>(Member&)>;

// Thread-safe. The runtime and the services outlive it.
class Members {
public:
    Members(model::Runtime& runtime, const Services& services);

    model::Runtime& runtime() const { return runtime_; }
    const Services& services() const { return services_; }
    const Catalog& catalog() const { return catalog_; }
    std::int64_t now_millis() const { return services_.clock.now_millis(); }
    std::int64_t now_seconds() const { return services_.clock.now_seconds(); }

    CallResult<Member> load(const std::string& user) const;
    CallResult<std::vector<Lot>> lots(const std::string& user) const;
    // An item of a `get` pattern, or nothing.
    CallResult<std::optional<value::Item>> find(std::string_view pattern, Arguments arguments)
        const;

    // Makes the change and writes it with the tier that follows, from the start again if somebody
    // else has changed the member meanwhile. False: nothing was changed, or the event of it had
    // been applied before. Audit names `actor`.
    CallResult<bool> change(
        const std::string& user, const MakeChange& make, const std::string& actor = {}
    ) const;

    // Expired lots leave the balance. True if there were some.
    CallResult<bool> expire_lots(const std::string& user) const;
    // The tier follows from what the member has now. True if it did not.
    CallResult<bool> refresh_tier(const std::string& user) const;

    // The answer of GET /me.
    CallResult<value::AttributeValue> show(const std::string& user, const model::Caller& caller)
        const;

private:
    Arguments arguments_of(const Member& before, Change change) const;

    model::Runtime& runtime_;
    const Services& services_;
    const Catalog catalog_;
};

// Repeats what others may get in the way of, for a bounded time.
class Patience {
public:
    // False when the time is over. Waits a little longer each time.
    bool again();

private:
    std::int64_t started_ = 0;
    int rounds_ = 0;
};
CallError too_busy();

// 400 unless the caller can be part of a key.
std::optional<CallError> find_bad_caller(const model::Caller& caller);

// A row of the outbox, as changeMembership takes it.
value::AttributeValue outbox_row(std::string kind, value::Map payload);
// "2025-03-01T00:00:00Z"; null for nothing.
value::AttributeValue time_value(const std::optional<std::int64_t>& seconds);

}  // namespace gateleg::systems::membership

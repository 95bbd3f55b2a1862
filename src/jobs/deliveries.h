// How rows of the outbox leave, by system and kind, and what follows from it.
//
// A delivery gives the answer of whoever took it, as a tree. A hook then tells the system, by an
// internal operation of its model: that the provider gave the job a number, that an object has
// arrived, or that nobody could be reached in the end.

#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "model/call.h"
#include "model/outbox_table.h"
#include "model/runtime.h"
#include "value/attribute_value.h"

namespace gateleg::jobs {

// A row on its way. Valid during the call.
struct Parcel {
    model::Runtime& runtime;
    const model::OutboxRow& row;

    const std::string& system() const { return runtime.model().name; }
    // A member of the payload as text (numbers too); empty if there is none.
    std::string text(std::string_view name) const;
    // Null if there is none.
    const value::AttributeValue* find(std::string_view name) const;
};

// Blocks; may be called again for the same row, with the same row.id.
using Deliver = std::function<Result<value::AttributeValue>(const Parcel& parcel)>;
// `answer` is that of the delivery, or {"message"} of its last failure. Whatever the system refuses
// (4xx) is its last word; after anything else the hook is called again later.
using Hook = std::function<
    model::CallResult<model::Nothing>(const Parcel& parcel, const value::AttributeValue& answer)>;

// A failure that no further attempt will mend: the row is given up at once.
struct Refusal : ErrorDetail {};
Error refusal(std::string message);
bool is_refusal(const Error& error);

// Filled at start, then read by many threads. An empty system means all of them; a kind of one
// system goes before the same kind of all.
class Deliveries {
public:
    void deliver(std::string_view system, std::string_view kind, Deliver deliver);
    // What has no delivery of its own: a function that may find one.
    void deliver_others(std::function<Deliver(std::string_view kind)> find);
    void after(std::string_view system, std::string_view kind, Hook hook);
    void after_failure(std::string_view system, std::string_view kind, Hook hook);
    // Asked first: a row that its system refuses (4xx) has become pointless, and is done.
    void before(std::string_view system, std::string_view kind, Hook hook);
    // Tried for as long as it takes, unless it is refused.
    void never_give_up(std::string_view kind);

    // Empty if rows of that kind have nowhere to go: they wait.
    Deliver find_delivery(std::string_view system, std::string_view kind) const;
    // Empty if nobody wants to be asked.
    Hook find_before(std::string_view system, std::string_view kind) const;
    Hook find_hook(std::string_view system, std::string_view kind) const;
    Hook find_failure_hook(std::string_view system, std::string_view kind) const;
    bool gives_up(std::string_view kind) const;

private:
    template <class Function>
    using ByKind = std::map<std::pair<std::string, std::string>, Function>;

    ByKind<Deliver> deliveries_;
    std::function<Deliver(std::string_view)> others_;
    ByKind<Hook> before_;
    ByKind<Hook> hooks_;
    ByKind<Hook> failure_hooks_;
    std::map<std::string, bool, std::less<>> stubborn_;
};

// A payload or answer without what must not be kept: tokens, passwords, secrets.
value::AttributeValue without_secrets(const value::AttributeValue& tree);

}  // namespace gateleg::jobs

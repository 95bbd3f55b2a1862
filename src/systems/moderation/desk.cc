#include "systems/moderation/desk.h"

#include <algorithm>
#include <array>

namespace gateleg::systems::moderation {
namespace {

using model::Arguments;
using model::CallError;
using model::CallResult;
using model::text;
using value::Item;

constexpr int kServerFault = 500;

// Whoever is told one of these wants to know what the item is now.
bool is_about_state(std::string_view code) {
    constexpr std::array<std::string_view, 6> kCodes = {
        "AlreadyActioned",
        "AlreadyPending",
        "AlreadyReported",
        "ModerationConflict",
        "ClaimedByOther",
        "VersionMismatch"};
    return std::find(kCodes.begin(), kCodes.end(), code) != kCodes.end();
}

Arguments key_of(const Item& item) {
    return {
        {"userId", text(model::text_of(item, "userId"))},
        {"submittedAt", model::number(model::integer_of(item, "submittedAt").value_or(0))}};
}

}  // namespace

CallResult<Item> Desk::find(const std::string& id) const {
    const auto internal = model::internal_caller();
    const Arguments by_id = {{"moderationId", text(id)}};
    const auto indexed = runtime_.get("item", by_id, internal);
    if (indexed) {
        return find_again(indexed->item);
    }
    if (indexed.error().status >= kServerFault && indexed.error().code != "IndexDisabled") {
        return indexed.error();
    }
    auto found = runtime_.get("itemOfEvents", by_id, internal);
    if (found) {
        return std::move(found->item);
    }
    if (found.error().status >= kServerFault) {
        return found.error();
    }
    // An id that no item can have is unknown like any other.
    return CallError{404, "ModerationNotFound", "There is no such Moderation."};
}

CallResult<Item> Desk::find_again(const Item& item) const {
    GATELEG_CALL_TRY_ASSIGN_CALL(
        auto found, runtime_.get("itemNow", key_of(item), model::internal_caller())
    );
    return std::move(found.item);
}

Reply Desk::run(
    std::string_view operation,
    Arguments arguments,
    const model::Caller& caller,
    const model::OperationCall* behind
) const {
    model::OperationCall call{.arguments = std::move(arguments)};
    if (behind != nullptr) {
        call.idempotency_key = behind->idempotency_key;
        call.if_match = behind->if_match;
        call.route = behind->route;
        call.behind = behind;
    }
    auto inner = caller;
    inner.internal = true;
    return runtime_.run(operation, call, inner);
}

Reply Desk::change(
    std::string_view operation,
    const Item& item,
    Arguments more,
    const model::Caller& caller,
    const model::OperationCall* behind
) const {
    more.merge(key_of(item));
    auto done = run(operation, std::move(more), caller, behind);
    if (done && done->body) {
        return done;
    }
    if (!done && !is_about_state(done.error().code)) {
        return done;
    }
    const auto current = find_again(item);
    if (!current) {
        return done ? Reply(current.error()) : done;
    }
    auto body = shown(*current, caller);
    if (!done) {
        auto error = done.error();
        error.facts = std::get<value::Map>(std::move(body.data));
        return error;
    }
    done->body = std::move(body);
    return done;
}

value::AttributeValue Desk::shown(const Item& item, const model::Caller& caller) const {
    return runtime_.to_api(*runtime_.model().find_entity("Moderation"), item, caller);
}

}  // namespace gateleg::systems::moderation

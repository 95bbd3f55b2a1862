// The native operations of moderation: they find the item, run the transaction on it, and say what
// stood in the way.

#pragma once

#include <string>
#include <string_view>

#include "model/runtime.h"

namespace gateleg::systems::moderation {

using Reply = model::CallResult<model::OperationReply>;

// What they share: items by their id, and transactions in the name of whoever calls. Thread-safe;
// the runtime outlives it.
class Desk {
public:
    explicit Desk(model::Runtime& runtime) : runtime_(runtime) {}

    // As it is now, whoever asks. An index may not know it yet; then its history leads to it.
    model::CallResult<value::Item> find(const std::string& id) const;
    model::CallResult<value::Item> find_again(const value::Item& item) const;

    // One of the transactions behind the routes. With a call behind it, its idempotency key and
    // the version it expects count.
    Reply run(
        std::string_view operation,
        model::Arguments arguments,
        const model::Caller& caller,
        const model::OperationCall* behind = nullptr
    ) const;
    // The same on an item. Answers with the item also when nothing had to change, and adds it to
    // an error as it stands.
    Reply change(
        std::string_view operation,
        const value::Item& item,
        model::Arguments more,
        const model::Caller& caller,
        const model::OperationCall* behind = nullptr
    ) const;

    value::AttributeValue shown(const value::Item& item, const model::Caller& caller) const;
    std::int64_t now() const { return runtime_.clock().now_millis(); }
    model::Runtime& runtime() const { return runtime_; }

private:
    model::Runtime& runtime_;
};

// Submissions and reports, and what is said of an item or a user.
void install_intake(model::Runtime& runtime);
// Decisions on items, alone and many at once.
void install_decisions(model::Runtime& runtime);
// Items taken from the queue and given back.
void install_queue(model::Runtime& runtime);
// Erasure and shards.
void install_upkeep(model::Runtime& runtime);

}  // namespace gateleg::systems::moderation

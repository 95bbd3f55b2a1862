#include <deque>
#include <map>
#include <set>

#include "engine/capacity.h"
#include "engine/idempotency.h"
#include "engine/item_writer.h"
#include "engine/keyspace.h"
#include "engine/limits.h"
#include "engine/ops/cancellation.h"
#include "engine/ops/item_write.h"
#include "engine/ops/operations.h"
#include "value/item_size.h"

namespace gateleg::engine::ops {
namespace {

using Request = dynamo::TransactWriteItemsRequest;
using Reply = dynamo::TransactWriteItemsReply;

WriteKind write_kind(dynamo::TransactAction action) {
    switch (action) {
        case dynamo::TransactAction::kConditionCheck:
            return WriteKind::kCheck;
        case dynamo::TransactAction::kPut:
            return WriteKind::kPut;
        case dynamo::TransactAction::kUpdate:
            return WriteKind::kUpdate;
        case dynamo::TransactAction::kDelete:
            return WriteKind::kDelete;
    }
    return WriteKind::kCheck;
}

class TransactWrite final : public WriteOperation {
public:
    TransactWrite(const Core& core, Request request, Done<Request> done)
        : core_(core), request_(std::move(request)), done_(std::move(done)) {}

    Result<void> prepare(const Core& core) {
        for (auto& action : request_.actions) {
            auto& writer = writers_.emplace_back(
                write_kind(action.kind),
                std::move(action.write),
                std::move(action.item),
                std::move(action.update)
            );
            GATELEG_TRY(writer.compile(core.expressions));
        }
        return bind_all(core);
    }

    void apply(CommitContext& context) override {
        decided_ = decide(context);
        if (!decided_ || replayed_) {
            return;
        }
        const bool priced = request_.return_capacity != dynamo::ReturnCapacity::kNone;
        for (auto& writer : writers_) {
            writer.apply(context, priced ? &cost_[writer.table_name()] : nullptr);
        }
        remember_token(context);
    }

    void finish(const Result<void>& committed) override {
        if (!committed) {
            done_(committed.error());
        } else if (!decided_) {
            done_(std::move(decided_).error());
        } else {
            done_(make_reply());
        }
    }

    void refuse(Error error) { done_(std::move(error)); }

private:
    // Everything about keys and tables; the first missing table ends it.
    Result<void> bind_all(const Core& core) {
        Cancellation cancellation(writers_.size());
        std::set<std::string_view> seen;
        for (std::size_t i = 0; i < writers_.size(); ++i) {
            auto& writer = writers_[i];
            GATELEG_TRY_ASSIGN(auto table, core.get_table(writer.table_name()));
            if (auto bound = writer.bind(std::move(table)); !bound) {
                cancellation.add(i, bound.error());
            } else if (!seen.insert(writer.key()).second) {
                return validation_error(
                    "Transaction request cannot include multiple operations on one item"
                );
            }
        }
        if (cancellation.any()) {
            return std::move(cancellation).error();
        }
        auto room = core.early_room();
        for (auto& writer : writers_) {
            writer.read_early(core.store, room);
        }
        return {};
    }

    Result<void> decide(CommitContext& context) {
        GATELEG_TRY(check_token(context));
        if (replayed_) {
            return {};
        }
        Cancellation cancellation(writers_.size());
        std::size_t total_bytes = 0;
        for (std::size_t i = 0; i < writers_.size(); ++i) {
            auto& writer = writers_[i];
            if (auto evaluated = writer.evaluate(context); !evaluated) {
                if (is_fault(evaluated.error())) {
                    return std::move(evaluated).error();
                }
                cancellation.add(i, evaluated.error());
                continue;
            }
            if (writer.new_size() != 0) {
                total_bytes += writer.new_size();
            } else if (const auto old = writer.old_item()) {
                total_bytes += value::item_size(*old);
            }
        }
        if (cancellation.any()) {
            return std::move(cancellation).error();
        }
        if (total_bytes > kMaxTransactionBytes) {
            return validation_error(
                "Aggregated size of items in the transaction cannot exceed 4194304 bytes"
            );
        }
        return {};
    }

    // What is not the action's own doing: it fails the call instead of cancelling the transaction.
    static bool is_fault(const Error& error) {
        return error.code != ErrorCode::kConditionalCheckFailed &&
               error.code != ErrorCode::kValidation;
    }

    Result<void> check_token(CommitContext& context) {
        if (!request_.client_request_token) {
            return {};
        }
        std::string bytes;
        GATELEG_TRY_ASSIGN(
            const bool known, context.get(token_key(*request_.client_request_token), bytes)
        );
        const auto record = known ? decode_token(bytes) : std::nullopt;
        // A clock that jumped ahead ends no token.
        if (!record ||
            (core_.clock_is_trusted() && record->expires_seconds <= core_.clock.now_seconds())) {
            return {};
        }
        if (record->content_hash != request_.content_hash) {
            return Error{
                ErrorCode::kIdempotentParameterMismatch,
                "The request uses the same client token as a previous, but non-identical request. "
                "Do not reuse a client token with different requests, unless the requests are "
                "identical"};
        }
        replayed_ = true;
        return {};
    }

    void remember_token(CommitContext& context) {
        if (!request_.client_request_token) {
            return;
        }
        const auto& token = *request_.client_request_token;
        const TokenRecord record{
            request_.content_hash, core_.clock.now_seconds() + kTokenLifetimeSeconds};
        context.put(token_key(token), encode_token(record));
        context.batch().put(token_expiry_key(record.expires_seconds, token), "");
    }

    Reply make_reply() {
        using Kind = dynamo::ConsumedCapacity::Kind;
        Reply reply;
        if (request_.return_capacity != dynamo::ReturnCapacity::kNone) {
            if (replayed_) {
                // A repeated transaction is not written again: it costs the reads.
                for (const auto& writer : writers_) {
                    cost_[writer.table_name()].table += 1;
                }
            }
            for (const auto& [table, cost] : cost_) {
                reply.capacity.push_back(consumed(
                    table,
                    cost.times(2),
                    request_.return_capacity,
                    replayed_ ? Kind::kTransactRead : Kind::kTransactWrite
                ));
            }
        }
        if (request_.return_collection_metrics) {
            reply.collection_metrics = all_collection_metrics(writers_);
        }
        return reply;
    }

    const Core& core_;
    Request request_;
    Done<Request> done_;
    std::deque<ItemWriter> writers_;
    Result<void> decided_;
    bool replayed_ = false;
    std::map<std::string, WriteCost> cost_;
};

}  // namespace

void transact_write_items(const Core& core, Request request, Done<Request> done) {
    auto operation = std::make_unique<TransactWrite>(core, std::move(request), std::move(done));
    if (auto prepared = operation->prepare(core); !prepared) {
        operation->refuse(std::move(prepared).error());
        return;
    }
    core.submit(std::move(operation));
}

}  // namespace gateleg::engine::ops

#include <deque>
#include <map>
#include <set>

#include "engine/capacity.h"
#include "engine/item_writer.h"
#include "engine/ops/item_write.h"
#include "engine/ops/operations.h"

namespace gateleg::engine::ops {
namespace {

using Request = dynamo::BatchWriteItemRequest;
using Reply = dynamo::BatchWriteItemReply;

// All writes of a request in one batch. They have no conditions, so none can fail alone.
class BatchWrite final : public WriteOperation {
public:
    BatchWrite(Request request, Done<Request> done)
        : request_(std::move(request)), done_(std::move(done)) {}

    Result<void> prepare(const Core& core) {
        auto room = core.early_room();
        for (auto& table : request_.tables) {
            GATELEG_TRY_ASSIGN(const auto found, core.get_table(table.name));
            std::set<std::string_view> seen;
            for (auto& write : table.writes) {
                auto& writer = writers_.emplace_back(
                    write.is_delete ? WriteKind::kDelete : WriteKind::kPut,
                    dynamo::ItemWrite{.table = table.name},
                    std::move(write.item),
                    std::nullopt
                );
                GATELEG_TRY(writer.compile(core.expressions));
                GATELEG_TRY(writer.bind(found));
                if (!seen.insert(writer.key()).second) {
                    return validation_error("Provided list of item keys contains duplicates");
                }
                writer.read_early(core.store, room);
            }
        }
        return {};
    }

    void apply(CommitContext& context) override {
        for (auto& writer : writers_) {
            evaluated_ = writer.evaluate(context);
            if (!evaluated_) {
                return;
            }
        }
        const bool priced = request_.return_capacity != dynamo::ReturnCapacity::kNone;
        for (auto& writer : writers_) {
            writer.apply(context, priced ? &cost_[writer.table_name()] : nullptr);
        }
    }

    void finish(const Result<void>& committed) override {
        if (!committed) {
            done_(committed.error());
        } else if (!evaluated_) {
            done_(std::move(evaluated_).error());
        } else {
            done_(make_reply());
        }
    }

    void refuse(Error error) { done_(std::move(error)); }

private:
    Reply make_reply() {
        Reply reply;
        if (request_.return_capacity != dynamo::ReturnCapacity::kNone) {
            for (const auto& table : request_.tables) {
                reply.capacity.push_back(
                    consumed(table.name, cost_[table.name], request_.return_capacity)
                );
            }
        }
        if (request_.return_collection_metrics) {
            reply.collection_metrics = all_collection_metrics(writers_);
        }
        return reply;
    }

    Request request_;
    Done<Request> done_;
    std::deque<ItemWriter> writers_;
    Result<void> evaluated_;
    std::map<std::string, WriteCost> cost_;
};

}  // namespace

void batch_write_item(const Core& core, Request request, Done<Request> done) {
    auto operation = std::make_unique<BatchWrite>(std::move(request), std::move(done));
    if (auto prepared = operation->prepare(core); !prepared) {
        operation->refuse(std::move(prepared).error());
        return;
    }
    core.submit(std::move(operation));
}

}  // namespace gateleg::engine::ops

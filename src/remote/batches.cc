#include "remote/batches.h"

#include <algorithm>
#include <memory>

#include "remote/internal/typed_call.h"

namespace gateleg::remote {
namespace {

using dynamo::ConsumedCapacity;

void add_units(std::map<std::string, double>& sum, const std::map<std::string, double>& more) {
    for (const auto& [name, units] : more) {
        sum[name] += units;
    }
}

void add_capacity(std::vector<ConsumedCapacity>& sum, const std::vector<ConsumedCapacity>& more) {
    for (const auto& each : more) {
        const auto found = std::find_if(sum.begin(), sum.end(), [&](const ConsumedCapacity& known) {
            return known.table == each.table;
        });
        if (found == sum.end()) {
            sum.push_back(each);
            continue;
        }
        found->units += each.units;
        found->table_units += each.table_units;
        add_units(found->global_indexes, each.global_indexes);
        add_units(found->local_indexes, each.local_indexes);
    }
}

void add_reply(dynamo::BatchGetItemReply& sum, dynamo::BatchGetItemReply more) {
    for (auto& table : more.tables) {
        const auto found =
            std::find_if(sum.tables.begin(), sum.tables.end(), [&](const auto& known) {
                return known.name == table.name;
            });
        if (found == sum.tables.end()) {
            sum.tables.push_back(std::move(table));
            continue;
        }
        for (const auto item : table.items.items()) {
            found->items.bytes_for_next().append(item.bytes());
        }
    }
    add_capacity(sum.capacity, more.capacity);
    sum.unprocessed = std::move(more.unprocessed);
}

void add_reply(dynamo::BatchWriteItemReply& sum, dynamo::BatchWriteItemReply more) {
    for (auto& [table, metrics] : more.collection_metrics) {
        const auto found = std::find_if(
            sum.collection_metrics.begin(),
            sum.collection_metrics.end(),
            [&, &name = table](const auto& known) { return known.first == name; }
        );
        if (found == sum.collection_metrics.end()) {
            sum.collection_metrics.emplace_back(table, std::move(metrics));
        } else {
            std::move(metrics.begin(), metrics.end(), std::back_inserter(found->second));
        }
    }
    add_capacity(sum.capacity, more.capacity);
    sum.unprocessed = std::move(more.unprocessed);
}

std::size_t size_of(const std::vector<dynamo::KeysAndAttributes>& tables) {
    std::size_t count = 0;
    for (const auto& table : tables) {
        count += table.keys.size();
    }
    return count;
}

std::size_t size_of(const std::vector<dynamo::TableWrites>& tables) {
    std::size_t count = 0;
    for (const auto& table : tables) {
        count += table.writes.size();
    }
    return count;
}

// True if the error says that nothing of the request was done, so that all of it is still left.
bool leaves_all(const Error& error) {
    return error.code == ErrorCode::kThrottling || error.code == ErrorCode::kServiceUnavailable;
}

// One thread at a time: each step is started by the one before.
template <class Request>
class Batch : public std::enable_shared_from_this<Batch<Request>> {
public:
    using Reply = typename Request::Reply;

    Batch(StoreClient& client, internal::CallKind kind, Request request, dynamo::Done<Request> done)
        : client_(client),
          kind_(kind),
          deadline_(client.deadline_from_now()),
          request_(std::move(request)),
          done_(std::move(done)) {}

    void step() {
        internal::call_store(
            client_,
            kind_,
            request_,
            deadline_,
            [self = this->shared_from_this()](Result<Reply> reply) { self->take(std::move(reply)); }
        );
    }

private:
    void take(Result<Reply> reply) {
        if (!reply) {
            // What earlier steps have done is worth telling.
            if (has_reply_ && leaves_all(reply.error())) {
                done_(std::move(sum_));
            } else {
                done_(std::move(reply).error());
            }
            return;
        }
        has_reply_ = true;
        const auto before = size_of(request_.tables);
        add_reply(sum_, *std::move(reply));
        if (sum_.unprocessed.empty()) {
            done_(std::move(sum_));
            return;
        }
        pauses_ = size_of(sum_.unprocessed) < before ? 0 : pauses_ + 1;
        const auto pause = backoff(pauses_, random_fraction());
        if (std::chrono::steady_clock::now() + pause >= deadline_) {
            done_(std::move(sum_));
            return;
        }
        request_.tables = sum_.unprocessed;
        client_.run_after(pause, [self = this->shared_from_this()] { self->step(); });
    }

    StoreClient& client_;
    const internal::CallKind kind_;
    const SteadyTime deadline_;
    Request request_;
    dynamo::Done<Request> done_;
    Reply sum_;
    bool has_reply_ = false;
    int pauses_ = 0;
};

}  // namespace

void run_batch(
    StoreClient& client,
    dynamo::BatchGetItemRequest request,
    dynamo::Done<dynamo::BatchGetItemRequest> done
) {
    std::make_shared<Batch<dynamo::BatchGetItemRequest>>(
        client,
        internal::CallKind{"BatchGetItem", Repeat::kHarmless, false},
        std::move(request),
        std::move(done)
    )
        ->step();
}

void run_batch(
    StoreClient& client,
    dynamo::BatchWriteItemRequest request,
    dynamo::Done<dynamo::BatchWriteItemRequest> done
) {
    std::make_shared<Batch<dynamo::BatchWriteItemRequest>>(
        client,
        internal::CallKind{"BatchWriteItem", Repeat::kHarmful, true},
        std::move(request),
        std::move(done)
    )
        ->step();
}

}  // namespace gateleg::remote

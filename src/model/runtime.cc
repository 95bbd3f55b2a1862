#include "model/runtime.h"

#include <future>

#include "model/access.h"
#include "model/fsck.h"
#include "model/item_codec.h"
#include "model/operation_run.h"
#include "model/pattern_run.h"
#include "model/runtime_shared.h"
#include "model/table_request.h"

namespace gateleg::model {
namespace {

// Waits for the reply of a table call.
template <class Request>
Result<typename Request::Reply> wait_for(
    dynamo::Dynamo& dynamo,
    void (dynamo::Dynamo::*method)(Request, dynamo::Done<Request>),
    Request request
) {
    using Reply = Result<typename Request::Reply>;
    std::promise<Reply> promise;
    auto future = promise.get_future();
    auto done = [promise = std::move(promise)](Reply reply) mutable {
        promise.set_value(std::move(reply));
    };
    std::invoke(method, dynamo, std::move(request), std::move(done));
    return future.get();
}

}  // namespace

struct Runtime::Parts {
    Shared shared;
};

std::string_view finding_name(Finding::Kind kind) {
    switch (kind) {
        case Finding::Kind::kUnknownItem:
            return "unknown item";
        case Finding::Kind::kStaleKey:
            return "stale key";
        case Finding::Kind::kMissingRow:
            return "missing row";
        case Finding::Kind::kOrphanRow:
            return "orphan row";
        case Finding::Kind::kBadAttribute:
            return "bad attribute";
    }
    return "";
}

Runtime::Runtime(
    const Model& model, dynamo::Dynamo& dynamo, const Clock& clock, RuntimeOptions options
)
    : parts_(new Parts{Shared(model, dynamo, clock, std::move(options))}) {}

Runtime::~Runtime() = default;

const Model& Runtime::model() const {
    return parts_->shared.model;
}

CallResult<bool> Runtime::create_table() {
    auto& dynamo = parts_->shared.dynamo;
    const auto& table = model().table;
    const auto there =
        wait_for(dynamo, &dynamo::Dynamo::describe_table, dynamo::DescribeTableRequest{table.name});
    if (there) {
        return false;
    }
    if (there.error().code != ErrorCode::kResourceNotFound) {
        return to_call_error(there.error());
    }
    GATELEG_CALL_TRY(wait_for(dynamo, &dynamo::Dynamo::create_table, create_table_request(table)));
    if (!table.ttl.empty()) {
        GATELEG_CALL_TRY(wait_for(
            dynamo,
            &dynamo::Dynamo::update_time_to_live,
            dynamo::UpdateTimeToLiveRequest{table.name, {table.ttl, true}}
        ));
    }
    return true;
}

CallResult<Page> Runtime::query(
    const Pattern& pattern, const PatternCall& call, const Caller& caller, Explained* explained
) {
    auto& shared = parts_->shared;
    Database database(shared.model.table, shared.dynamo, explained);
    return run_query(shared, database, pattern, call, caller);
}

CallResult<Found> Runtime::get(
    const Pattern& pattern, const PatternCall& call, const Caller& caller, Explained* explained
) {
    auto& shared = parts_->shared;
    Database database(shared.model.table, shared.dynamo, explained);
    return run_get(shared, database, pattern, call, caller);
}

CallResult<OperationReply> Runtime::run(
    const Operation& operation,
    const OperationCall& call,
    const Caller& caller,
    Explained* explained
) {
    return run_operation(parts_->shared, operation, call, caller, explained);
}

value::AttributeValue Runtime::to_api(
    const Entity& entity, const value::Item& stored, const Caller& /*caller*/
) const {
    return item_to_api(model(), entity, stored);
}

value::AttributeValue Runtime::to_api(
    const Pattern& pattern, const Entity& entity, const value::Item& stored, const Caller& caller
) const {
    auto shown = to_api(entity, stored, caller);
    if (pattern.returns.empty()) {
        return shown;
    }
    auto& all = std::get<value::Map>(shown.data);
    value::Map named;
    for (const auto& name : pattern.returns) {
        if (const auto found = all.find(name.name); found != all.end()) {
            named[name.name] = std::move(found->second);
        }
    }
    return {std::move(named)};
}

CallResult<FsckReport> Runtime::fsck(std::size_t most) {
    auto& shared = parts_->shared;
    Database database(shared.model.table, shared.dynamo, nullptr);
    return run_fsck(shared, database, most);
}

}  // namespace gateleg::model
